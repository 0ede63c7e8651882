/** Erasing people: their rows at once, what else holds their text a few seconds later. docs/decisions/erasure.md */
import type pg from 'pg';
import { recordAction } from '../audit/command-audit.ts';
import type { Secret } from '../audit/secret.ts';
import { suppressionHashes, suppressionKey } from './hashes.ts';
import type { ErasureEntry, Ledger, SuppressedHash } from './ledger.ts';

export interface EraseOptions {
  /** Kept for ever: it must not be personal. */
  reason: string;
  /** The key of the suppressions. Without one, only the identifiers stay blocked. */
  secret?: Secret | undefined;
  ledger?: Ledger | undefined;
  /** Whether the audit has an entry of it. */
  audited?: boolean | undefined;
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
  { secret, ledger, audited = true }: Omit<EraseOptions, 'reason'>,
): Promise<ErasedRow[]> {
  await client.query('begin');
  try {
    const alone = await lockDeletes(client);
    const people = batch.map(({ id, uuid, erasedAt, reason }) => {
      return { id, uuid, erased_at: erasedAt, reason };
    });
    const { rows } = await client.query<ErasedRow>(
      'select * from clientele.erase_customers($1::jsonb, $2)',
      [JSON.stringify(people), alone],
    );
    const given = new Map(batch.map(({ id, hashes = [] }) => [id, hashes]));
    const key = secret && suppressionKey(secret);
    const entries = rows.map((row): ErasureEntry => {
      const hashes = [...(given.get(row.id) ?? []), ...(key ? hashesOf(row, key) : [])];
      return { type: 'erasure', ...entryOf(row), hashes };
    });
    await suppress(client, entries);
    if (audited)
      await recordAction(
        client,
        'erase',
        rows.map(({ uuid }) => uuid),
      );
    // Before the commit: a restore must never know less than the ledger.
    await ledger?.append(entries);
    await client.query('commit');
    return rows;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

const entryOf = ({ id, uuid, erased_at: erasedAt, reason }: ErasedRow) => {
  return { id, uuid, erasedAt, reason };
};

const hashesOf = (row: ErasedRow, key: Buffer): SuppressedHash[] =>
  suppressionHashes(key, { uuid: row.uuid, email: row.email_address, phone: row.phone_number });

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
