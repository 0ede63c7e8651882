/** Erasing people: their rows at once, what else holds their text a few seconds later. docs/decisions/erasure.md */
import type pg from 'pg';
import { recordAction } from '../../audit/command-audit.ts';
import type { Secret } from '../../settings/secret.ts';
import { suppressionHashes, suppressionKey } from './hashes.ts';
import type { ErasureEntry, Ledger, SuppressedHash } from './ledger.ts';
import { checkSuppressionKey } from './suppressions.ts';

export interface EraseOptions {
  /** Kept forever: it must not be personal. */
  reason: string;
  /** The key of the suppressions. Without one, only the identifiers stay blocked. */
  secret?: Secret | undefined;
  ledger?: Ledger | undefined;
  /** Whether the audit has an entry of it. */
  audited?: boolean | undefined;
  /** Decides, in the transaction of each batch, who of it is erased; the others are `unknown`. By default all are. */
  choose?: ((uuids: string[]) => Promise<string[]>) | undefined;
}

export interface Erased {
  /** Customers that were there. */
  erased: number;
  /** Identifiers without a customer. They are blocked, and what the log has of them is cleared. */
  unknown: string[];
  /** Of the erased, those whose row cannot be removed yet: see `clearTraces`. */
  pending: number;
}

/** An erasure to make or, with the rest of an entry of the ledger, to make again. */
export type Erasure = Pick<ErasureEntry, 'uuid' | 'reason'> & Partial<ErasureEntry>;

/** Each batch is a transaction. */
const batchSize = 1_000;

/** Erases customers by their identifiers. Must be called outside a transaction. */
export function eraseCustomers(
  client: pg.ClientBase,
  uuids: readonly string[],
  { reason, ...options }: EraseOptions,
): Promise<Erased> {
  const erasures = [...new Set(uuids)].map((uuid) => ({ uuid, reason }));
  return makeErasures(client, erasures, options);
}

export async function makeErasures(
  client: pg.ClientBase,
  erasures: readonly Erasure[],
  options: Omit<EraseOptions, 'reason'>,
): Promise<Erased> {
  // With another secret, imports would not recognise the hashes.
  if (options.secret) await checkSuppressionKey(client, suppressionKey(options.secret));
  const sum: Erased = { erased: 0, unknown: [], pending: 0 };
  for (let at = 0; at < erasures.length; at += batchSize) {
    const batch = erasures.slice(at, at + batchSize);
    const rows = await eraseBatch(client, batch, options);
    const found = rows.filter((row) => row.found);
    const known = new Set(found.map(({ uuid }) => uuid));
    sum.erased += known.size;
    sum.pending += found.filter(({ removed }) => !removed).length;
    sum.unknown.push(...batch.map(({ uuid }) => uuid).filter((uuid) => !known.has(uuid)));
  }
  return sum;
}

interface ErasedRow {
  id: string;
  uuid: string;
  erased_at: Date;
  reason: string;
  /** Whether the row is gone. */
  removed: boolean;
  /** Whether there was one. */
  found: boolean;
  email_address: string | null;
  phone_number: string | null;
}

async function eraseBatch(
  client: pg.ClientBase,
  batch: readonly Erasure[],
  { choose, ...kept }: Omit<EraseOptions, 'reason'>,
): Promise<ErasedRow[]> {
  await client.query('begin');
  try {
    const alone = await lockDeletes(client);
    const chosen = choose && new Set(await choose(batch.map(({ uuid }) => uuid)));
    const wanted = chosen ? batch.filter(({ uuid }) => chosen.has(uuid)) : batch;
    const people = wanted.map(({ id, uuid, erasedAt, reason }) => {
      return { id, uuid, erased_at: erasedAt, reason };
    });
    const { rows } = await client.query<ErasedRow>(
      'select * from clientele.erase_customers($1::jsonb, $2)',
      [JSON.stringify(people), alone],
    );
    const given = new Map(batch.map(({ id, hashes }) => [id, hashes]));
    await keep(
      client,
      rows.map((row) => ({ ...row, email: row.email_address, phone: row.phone_number })),
      kept,
      (id) => given.get(id) ?? [],
    );
    await client.query('commit');
    return rows;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

interface Person {
  uuid: string;
  email: string | null;
  phone: string | null;
}

/**
 * For a feed, which erases by writing tombstones: keeps the erasures that the open transaction has recorded of these
 * people as they were before.
 */
export async function keepErasures(
  client: pg.ClientBase,
  people: readonly Person[],
  options: Omit<EraseOptions, 'reason'>,
): Promise<void> {
  const { rows } = await client.query<Pick<ErasedRow, 'id' | 'uuid' | 'erased_at' | 'reason'>>(
    `select e.id, e.uuid, e.erased_at, e.reason from clientele.erasures as e
     where e.uuid = any ($1::uuid[]) and e.xid = pg_current_xact_id()`,
    [people.map(({ uuid }) => uuid)],
  );
  const known = new Map(people.map((person) => [person.uuid, person]));
  await keep(
    client,
    rows.map((row) => ({ ...known.get(row.uuid)!, ...row })),
    options,
  );
}

/** Everything that outlives the person: suppressions, the audit and the ledger. */
async function keep(
  client: pg.ClientBase,
  rows: readonly (Person & Pick<ErasedRow, 'id' | 'erased_at' | 'reason'>)[],
  { secret, ledger, audited = true }: Omit<EraseOptions, 'reason'>,
  given: (id: string) => SuppressedHash[] = () => [],
): Promise<void> {
  const key = secret && suppressionKey(secret);
  const entries = rows.map((row): ErasureEntry => {
    const { id, uuid, erased_at: erasedAt, reason } = row;
    const hashes = [...given(id), ...(key ? suppressionHashes(key, row) : [])];
    return { type: 'erasure', id, uuid, erasedAt, reason, hashes };
  });
  await suppress(client, entries);
  const uuids = rows.map(({ uuid }) => uuid);
  if (audited) await recordAction(client, 'erase', uuids);
  // Before the commit: what the database has, the ledger must have.
  await ledger?.append(entries);
}

async function suppress(client: pg.ClientBase, entries: readonly ErasureEntry[]): Promise<void> {
  const all = entries.flatMap(({ id, hashes }) => hashes.map((each) => ({ id, ...each })));
  if (all.length === 0) return;
  await client.query('select clientele.suppress($1::uuid[], $2::text[], $3::bytea[])', [
    all.map(({ id }) => id),
    all.map(({ kind }) => kind),
    all.map(({ hash }) => hash),
  ]);
}

/** Waits for imports to commit their batches. False if one of them does not end. */
async function lockDeletes(client: pg.ClientBase): Promise<boolean> {
  await client.query('savepoint before_lock');
  try {
    await client.query(`set local lock_timeout = '5s'`);
    await client.query('select clientele.lock_deletes(true)');
    return true;
  } catch (error) {
    if ((error as pg.DatabaseError).code !== '55P03') throw error;
    await client.query('rollback to savepoint before_lock');
    return false;
  }
}
