/** The list of rejected records of an import that is resumed. */
import type { Checkpoint } from './checkpoint.ts';
import type { Reject } from './faults.ts';
import type { RejectFile } from './reject-file.ts';
import { rawOf } from './source-record.ts';
import type { ParsedRecord, ReadOptions, Table } from './table.ts';

/**
 * Lists the records again that were rejected before the checkpoint: the list of the interrupted run may be elsewhere,
 * incomplete, or of another file. Returns its length.
 */
export async function relistRejects(
  table: Table,
  checkpoint: Checkpoint,
  rejects: RejectFile,
  reading: ReadOptions,
  signal: AbortSignal | undefined,
): Promise<number> {
  let length = 0;
  for await (const records of table.read(table.start, { ...reading, examining: true })) {
    signal?.throwIfAborted();
    const before = records.filter(({ record }) => record.nextByte <= checkpoint.bytes);
    length = rejects.write(
      length,
      before.flatMap((parsed) => rejectsOf(parsed, checkpoint)),
    );
    if (before.length < records.length) break;
  }
  return length;
}

function rejectsOf({ record, result }: ParsedRecord, { refused }: Checkpoint): Reject[] {
  if (Array.isArray(result)) return result;
  const { line } = record;
  const detail = refused[line];
  if (detail === undefined) return [];
  const source = rawOf(record);
  return [{ line, column: '', rule: 'refused', source, ...(detail === '' ? {} : { detail }) }];
}
