/** Upserts one batch inside an open transaction. */
import type pg from 'pg';
import type { Batch } from './batch-builder.ts';
import { addCounts, noCounts, type Counts } from './counts.ts';
import type { Reject } from './faults.ts';
import { stage, upsert } from './upsert.ts';

/** PostgreSQL's error classes 22 (data exception) and 23 (integrity constraint violation). */
export const isDataError = (error: unknown): boolean =>
  /^2[23]/.test((error as { code?: string }).code ?? '');

/** `feed`: the records are in the order of the changes. */
export async function stageBatch(client: pg.Client, batch: Batch, feed: boolean): Promise<Counts> {
  return stageRecords(client, batch, feed, 0, batch.ends.length);
}

/**
 * For a batch that violates a constraint the import does not check itself: bisects the batch until the
 * refused records are found, adds them to `refused` and upserts the others.
 */
export async function stageAcceptedRecords(
  client: pg.Client,
  batch: Batch,
  feed: boolean,
  refused: Reject[],
  from = 0,
  to = batch.ends.length,
): Promise<Counts> {
  if (from === to) return noCounts;
  await client.query('savepoint part');
  let constraint: string | undefined;
  try {
    const counts = await stageRecords(client, batch, feed, from, to);
    await client.query('delete from pg_temp.incoming; release savepoint part');
    return counts;
  } catch (error) {
    if (!isDataError(error)) throw error;
    ({ constraint } = error as { constraint?: string });
    await client.query('rollback to savepoint part; release savepoint part');
  }
  if (to - from === 1) {
    const detail = constraint === undefined ? {} : { detail: `constraint ${constraint}` };
    refused.push({ ...batch.raw.at(from), column: '', rule: 'refused', ...detail });
    return noCounts;
  }
  const middle = (from + to) >> 1;
  const left = await stageAcceptedRecords(client, batch, feed, refused, from, middle);
  const right = await stageAcceptedRecords(client, batch, feed, refused, middle, to);
  return addCounts(left, right);
}

async function stageRecords(
  client: pg.Client,
  { rows, ends, layers }: Batch,
  feed: boolean,
  from: number,
  to: number,
): Promise<Counts> {
  if (from === to) return noCounts;
  await stage(client, rows.subarray(from === 0 ? 0 : ends[from - 1]!, ends[to - 1]));
  return upsert(client, { records: to - from, layers, feed });
}
