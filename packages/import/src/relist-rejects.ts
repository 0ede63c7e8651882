/** The list of rejected records of an import that is resumed. */
import type { Checkpoint } from './checkpoint.ts';
import type { RejectFile } from './reject-file.ts';
import type { ReadOptions, Table } from './table.ts';

/**
 * Lists the records again that were rejected before the checkpoint: the list of the interrupted run may be elsewhere,
 * incomplete, or of another file. Returns how many are not found, because only the database refused them.
 */
export async function relistRejects(
  table: Table,
  { bytes, rejected, rejectBytes }: Checkpoint,
  rejects: RejectFile,
  reading: ReadOptions,
): Promise<number> {
  let length = 0;
  let listed = 0;
  for await (const records of table.read(table.start, { ...reading, examining: true })) {
    const before = records.filter(({ record }) => record.nextByte <= bytes);
    const found = before.map(({ result }) => result).filter((result) => Array.isArray(result));
    listed += found.length;
    length = rejects.write(length, found.flat());
    if (before.length < records.length) break;
  }
  rejects.continueAfter(rejectBytes, length);
  return rejected - listed;
}
