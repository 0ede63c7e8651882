/** Reads the audit, for commands that run as the owner of the database. */
import type pg from 'pg';
import { uuidBytes } from './shown.ts';

export interface AuditFilter {
  since?: Date | undefined;
  until?: Date | undefined;
  /** The id of a key, person or login. */
  caller?: string | undefined;
  /** As recorded: a keyed hash. */
  searchHash?: string | undefined;
  /** Only answers that showed this customer. */
  customer?: string | undefined;
  limit?: number | undefined;
}

/** As printed with --json. */
export interface StoredEntry {
  at: Date;
  caller_kind: string;
  caller_id: string;
  caller_name: string;
  address: string;
  action: string;
  request_id: string;
  page: number;
  per_page: number;
  total: number | null;
  shown: number;
  search_hash: string | null;
  /** As parameters of the API; null where nothing was filtered. */
  filters: Record<string, boolean | string> | null;
  /** Null for the newest first. */
  sort: string | null;
  /** The id of the key or person that a command did something to; null for customers. */
  target: string | null;
  customers: string[];
  chain: string;
  number: number;
  position: number;
}

/** Clocks differ: an entry may be stored a little before its own time. */
const clockHours = 24;

/** Newest first, or oldest first without `newestFirst`. Read it to the end, or call its `return`. */
export async function* readAudit(
  client: pg.Client,
  { since, until, caller, searchHash, customer, limit }: AuditFilter,
  { newestFirst }: { newestFirst: boolean },
): AsyncGenerator<StoredEntry> {
  const order = newestFirst ? 'desc' : 'asc';
  await client.query('begin isolation level repeatable read read only');
  try {
    await client.query('set local statement_timeout = 0; set local jit = off');
    // The search for a customer's bytes leaves few batches to take apart.
    await client.query(
      `declare audit_entries no scroll cursor for
       select e.at, e.caller_kind, e.caller_id, e.caller_name, e.address, e.action, e.request_id, e.page,
         e.per_page, e.total::float8 as total, e.shown, e.search_hash, e.filters, e.sort, e.target,
         e.customers::text[] as customers,
         e.chain, e.number::float8 as number, e.position
       from clientele.audit_entries as e
       where ($1::timestamptz is null or e.stored_at >= $1::timestamptz - make_interval(hours => ${clockHours}))
         and ($2::bytea is null or position($2::bytea in e.batch_customers) > 0)
         and ($1::timestamptz is null or e.at >= $1)
         and ($3::timestamptz is null or e.at < $3)
         and ($4::text is null or e.caller_id = $4)
         and ($5::text is null or e.search_hash = $5)
         and ($6::uuid is null or $6 = any (e.customers))
       order by e.stored_at ${order}, e.chain, e.number ${order}, e.position ${order}
       limit $7`,
      [since, customer && uuidBytes(customer), until, caller, searchHash, customer, limit],
    );
    for (;;) {
      const { rows } = await client.query<StoredEntry>('fetch 500 from audit_entries');
      if (rows.length === 0) return;
      yield* rows;
    }
  } finally {
    await client.query('rollback').catch(() => undefined);
  }
}

/** How many whole months are kept besides the current one; sets it if `months` is given. */
export async function keepAuditMonths(client: pg.Client, months?: number): Promise<number> {
  if (months !== undefined) {
    await client.query('update clientele.audit_retention set months = $1', [months]);
  }
  const { rows } = await client.query<{ months: number }>(
    'select months from clientele.audit_retention',
  );
  return rows[0]!.months;
}
