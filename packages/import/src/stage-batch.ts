/** Upserts one batch inside an open transaction. */
import type pg from 'pg';
import type { Batch } from './batch-builder.ts';
import type { Reject } from './faults.ts';
import { stage, upsert, type Counts } from './upsert.ts';

const noCounts: Counts = { inserted: 0, updated: 0, unchanged: 0, deleted: 0, superseded: 0 };

/** PostgreSQL's error classes 22 (data exception) and 23 (integrity constraint violation). */
export const isDataError = (error: unknown): boolean =>
  /^2[23]/.test((error as { code?: string }).code ?? '');

export async function stageBatch(client: pg.Client, batch: Batch): Promise<Counts> {
  return stageRows(client, batch.rows, batch.ends.length);
}

/**
 * For a batch that violates a constraint the import does not check itself: bisects the batch until the
 * refused records are found, adds them to `refused` and upserts the others.
 */
export async function stageAcceptedRecords(
  client: pg.Client,
  batch: Batch,
  refused: Reject[],
  from = 0,
  to = batch.ends.length,
): Promise<Counts> {
  if (from === to) return noCounts;
  await client.query('savepoint part');
  try {
    const rows = batch.rows.subarray(from === 0 ? 0 : batch.ends[from - 1]!, batch.ends[to - 1]);
    const counts = await stageRows(client, rows, to - from);
    await client.query('delete from pg_temp.incoming; release savepoint part');
    return counts;
  } catch (error) {
    if (!isDataError(error)) throw error;
    await client.query('rollback to savepoint part; release savepoint part');
  }
  if (to - from === 1) {
    refused.push({ line: batch.sources[from]!, column: '', rule: 'refused', value: '' });
    return noCounts;
  }
  const middle = (from + to) >> 1;
  const left = await stageAcceptedRecords(client, batch, refused, from, middle);
  const right = await stageAcceptedRecords(client, batch, refused, middle, to);
  return addCounts(left, right);
}

async function stageRows(client: pg.Client, rows: Buffer, count: number): Promise<Counts> {
  if (count === 0) return noCounts;
  await stage(client, rows);
  return upsert(client, count);
}

export const addCounts = (a: Counts, b: Counts): Counts => ({
  inserted: a.inserted + b.inserted,
  updated: a.updated + b.updated,
  unchanged: a.unchanged + b.unchanged,
  deleted: a.deleted + b.deleted,
  superseded: a.superseded + b.superseded,
});
