/** Brings a database that was restored from an older backup up to what a ledger says. */
import type pg from 'pg';
import type { Secret } from '../audit/secret.ts';
import type { RunStatement } from '../db/lane.ts';
import { erasedNow, lackedBy, latestLifts } from './compare.ts';
import { eraseCustomers, makeErasures } from './erase.ts';
import type { Ledger, LiftEntry } from './ledger.ts';
import { readErasures, readPresent } from './stored.ts';

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

/** May be interrupted and run again: each batch is a transaction. Must be called outside a transaction. */
export async function reapplyLedger(
  client: pg.ClientBase,
  ledger: Ledger,
  secret: Secret,
): Promise<Reapplied> {
  const run = runOn(client);
  const entries = await ledger.read();
  const lacked = lackedBy(await readErasures(run), entries);
  const made = await makeErasures(client, lacked, { secret });
  // The table may have been restored alone.
  const reapplied = new Set(lacked.map(({ uuid }) => uuid));
  const present = await readPresent(run, [...erasedNow(entries).keys()]);
  const returned = [...present].filter((uuid) => !reapplied.has(uuid));
  const reason = 'had come back';
  const again = await eraseCustomers(client, returned, { reason, secret, ledger });
  return {
    erasures: lacked.length,
    erased: made.erased + again.erased,
    pending: made.pending + again.pending,
    lifted: await reapplyLifts(client, latestLifts(entries)),
  };
}

/** What `Lane` does for a server. */
export const runOn =
  (client: Pick<pg.ClientBase, 'query'>): RunStatement =>
  async <Row extends object>({ text }: { text: string }, values: unknown[]) =>
    (await client.query<Row>(text, values)).rows;

interface Suppressed {
  hash: Buffer;
  kind: string;
  uuid: string;
  erased_at: Date;
}

/** Only suppressions by earlier erasures. */
async function reapplyLifts(client: pg.ClientBase, lifts: Map<string, LiftEntry>): Promise<number> {
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
    await client.query('select clientele.lift_suppressions($1, $2, $3)', [
      [hash],
      customers,
      reason,
    ]);
    lifted += 1;
  }
  return lifted;
}
