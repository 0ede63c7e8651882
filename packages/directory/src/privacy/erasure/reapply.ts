/** Brings a database that was restored from an older backup up to what a ledger says. */
import type pg from 'pg';
import { queriesOf } from '../../audit/command-audit.ts';
import { erasedNow, lackedBy, latestLifts } from './compare.ts';
import { eraseCustomers, makeErasures, type EraseOptions } from './erase.ts';
import type { ErasureEntry, Ledger, LedgerEntry, LiftEntry } from './ledger.ts';
import { storeIdentifiers } from './lift.ts';
import { readErasures, readPresent } from './stored.ts';

/** What a ledger says and the database does not know. */
export interface Lacking {
  erasures: ErasureEntry[];
  /** People whose erasure it knows, and who are in the directory nevertheless. */
  returned: string[];
}

export interface Reapplied {
  /** Erasures that the database lacked. */
  erasures: number;
  /** Customers who were in the directory and are not any more. */
  erased: number;
  /** Of those, the ones whose row cannot be removed yet. */
  pending: number;
  /** Suppressions that were lifted again. */
  lifted: number;
}

export async function findLacking(
  client: pg.ClientBase,
  entries: readonly LedgerEntry[],
): Promise<Lacking> {
  const { query } = queriesOf(client);
  const erasures = lackedBy(await readErasures(query), entries);
  const lacked = new Set(erasures.map(({ uuid }) => uuid));
  const present = await readPresent(query, [...erasedNow(entries).keys()]);
  return { erasures, returned: [...present].filter((uuid) => !lacked.has(uuid)) };
}

/** May be interrupted and run again: each batch is a transaction. Must be called outside a transaction. */
export async function reapplyLedger(
  client: pg.ClientBase,
  { ledger, ...options }: Omit<EraseOptions, 'reason' | 'ledger'> & { ledger: Ledger },
): Promise<Reapplied> {
  const entries = await ledger.read();
  const { erasures, returned } = await findLacking(client, entries);
  // The ledger has these already.
  const made = await makeErasures(client, erasures, options);
  const reason = 'had come back';
  const again = await eraseCustomers(client, returned, { ...options, reason, ledger });
  return {
    erasures: erasures.length,
    erased: made.erased + again.erased,
    pending: made.pending + again.pending,
    lifted: await reapplyLifts(client, latestLifts(entries)),
  };
}

interface Suppressed {
  hash: Buffer;
  kind: string;
  uuid: string;
  erased_at: Date;
}

/** Only suppressions by earlier erasures. */
async function reapplyLifts(client: pg.ClientBase, lifts: Map<string, LiftEntry>): Promise<number> {
  await storeIdentifiers(
    client,
    [...lifts.values()].flatMap(({ hash, uuid }) => (uuid === null ? [] : [{ hash, uuid }])),
  );
  const { rows } = await client.query<Suppressed>(
    `select s.hash, s.kind, e.uuid, e.erased_at
     from clientele.suppressions as s join clientele.erasures as e on e.id = s.erasure
     where s.hash = any ($1::bytea[]) and s.lifted_at is null`,
    [[...lifts.values()].map(({ hash }) => hash)],
  );
  let lifted = 0;
  for (const { hash, kind, uuid, erased_at: erasedAt } of rows) {
    const { liftedAt, reason } = lifts.get(hash.toString('hex'))!;
    if (liftedAt < erasedAt) continue;
    const customers = kind === 'uuid' ? [uuid] : [];
    const values = [[hash], customers, reason];
    await client.query('select clientele.lift_suppressions($1, $2, $3)', values);
    lifted += 1;
  }
  return lifted;
}
