/** Inserts a batch of new customers with one COPY, without staging it. For the first import only. */
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Batch } from './batch-builder.ts';
import { noCounts, type Counts } from './counts.ts';
import { columns } from './fields.ts';
import { stagingColumns } from './upsert.ts';

/**
 * Listing every customer in the change log takes as long as writing the row. If no service follows the log,
 * one entry that makes it count again is enough. Services show up by the names of their connections; one
 * that reads from a standby does not, so with standbys the customers are listed.
 */
const listNothing = `
  select set_config('clientele.changes_limit', '0', true)
  where not exists (
    select from pg_stat_activity as a
    where a.datname = current_database() and a.application_name in
      ('clientele lists', 'clientele searches', 'clientele scans', 'clientele lookups')
  ) and not exists (select from pg_stat_replication)`;

/** Undefined if the batch has to be merged, because some of its records must perhaps not be inserted. */
export async function insertBatch(client: pg.Client, batch: Batch): Promise<Counts | undefined> {
  if (!batch.distinct || batch.ends.length === 0) return undefined;
  // Records of erased people are not in the batch any more.
  const { rows } = await client.query(
    `select from clientele.gone_customers as g where g.gone_at < 'infinity' limit 1`,
  );
  if (rows.length > 0) return undefined;
  await client.query(listNothing);
  const copy = client.query(copyFrom(`copy public.customers (${columns.join(', ')}) from stdin`));
  await pipeline([withoutStagingColumns(batch)], copy);
  return { ...noCounts, inserted: batch.ends.length };
}

const tab = 9;

/** Removes the first columns of each line. */
function withoutStagingColumns({ rows, ends }: Batch): Buffer {
  const lines = Buffer.allocUnsafe(rows.length);
  let length = 0;
  let start = 0;
  for (const end of ends) {
    // Few bytes, which `indexOf` would take longer to find.
    for (const _ of stagingColumns) while (rows[start++] !== tab);
    length += rows.copy(lines, length, start, end);
    start = end;
  }
  return lines.subarray(0, length);
}
