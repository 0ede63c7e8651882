/** Imports one file, resuming where an interrupted run stopped. */
import { BatchBuilder } from './batch-builder.ts';
import { addTallies, noTally, type Tally } from './counts.ts';
import { CustomerWriter } from './customer-writer.ts';
import { inBatches } from './in-batches.ts';
import { relistRejects } from './relist-rejects.ts';
import type { RejectFile } from './reject-file.ts';
import { logNotes, logWarnings, type Table } from './table.ts';

export interface ImportFileOptions {
  databaseUrl: string;
  secretFile?: string | undefined;
  batchSize: number;
  /** The time of records without `updated_at`; `now` is the start of the run. */
  asOf: string | undefined;
  fingerprint: string | undefined;
  /** Do not resume an interrupted run. */
  fromStart?: boolean | undefined;
  /** Other files are imported after this one. */
  moreFollows?: boolean | undefined;
  rejects: RejectFile;
  log: (line: string) => void;
  onProgress: (tally: Tally) => void;
  /** On abort, commits what was read and throws the signal's reason; the next run resumes. */
  signal?: AbortSignal | undefined;
}

export interface Imported extends Tally {
  /** How many of these records an earlier run had read. */
  resumedAfter: number;
}

export async function importFile(table: Table, options: ImportFileOptions): Promise<Imported> {
  const { asOf, batchSize, moreFollows, log, onProgress, signal } = options;
  logNotes(table, log);
  options.rejects.useLayout(table.rejectLayout);
  const writer = await CustomerWriter.open({ ...options, kind: 'file' });
  // The next batch is read and validated while this one is written.
  let writing = Promise.resolve();
  try {
    const { read: resumedAfter, startedAt, bytes, line } = writer.checkpoint;
    if (resumedAfter > 0) log(`${table.name}: resuming after ${resumedAfter} records.`);
    const from = resumedAfter > 0 ? { byte: bytes, line } : table.start;
    const time = asOf === 'now' ? new Date(startedAt).toISOString() : asOf;
    const reading = {
      namespace: writer.idNamespace,
      asOf: time === undefined ? undefined : () => time,
    };
    if (writer.checkpoint.rejected > 0) {
      const { rejects } = options;
      const length = await relistRejects(table, writer.checkpoint, rejects, reading, signal);
      await writer.setRejectBytes(length);
    }
    const records = table.read(from, reading);
    const readAll = await inBatches(
      records,
      new BatchBuilder(batchSize, writer.suppressions),
      async (batch) => {
        await writing;
        onProgress(writer.checkpoint);
        writing = writer.write(batch);
        writing.catch(() => undefined); // The next await throws it.
      },
      { signal },
    );
    await writing;
    if (!readAll) throw signal!.reason;
    await writer.finish({ moreFollows });
    if (writer.checkpoint.rejected === 0) options.rejects.removeStale();
    logWarnings(table, log);
    return { ...addTallies(noTally, writer.checkpoint), resumedAfter };
  } finally {
    await writing.catch(() => undefined); // Reading may have failed while a batch was being written.
    await writer.close();
    options.rejects.close();
  }
}
