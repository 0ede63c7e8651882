/** Imports one file, from where its last run stopped. */
import { BatchBuilder } from './batches.ts';
import type { Tally } from './checkpoint.ts';
import { CustomerWriter } from './customer-writer.ts';
import { inBatches } from './in-batches.ts';
import type { RejectFile } from './reject-file.ts';
import type { Table } from './table.ts';

export interface ImportFileOptions {
  databaseUrl: string;
  batchSize: number;
  /** The time of records that have none of their own; `now` is the start of the run. */
  asOf: string | undefined;
  fingerprint: string | undefined;
  rejects: RejectFile;
  say: (line: string) => void;
  onProgress: (tally: Tally) => void;
  /** Commits what was read and rejects with the signal's reason; the next run resumes. */
  signal?: AbortSignal | undefined;
}

export interface Imported extends Tally {
  /** How many of those an earlier run had read. */
  resumedAfter: number;
}

export async function importFile(table: Table, options: ImportFileOptions): Promise<Imported> {
  const { asOf, batchSize, say, onProgress, signal } = options;
  const writer = await CustomerWriter.open(options);
  // One batch is read and validated while the one before it is written.
  let writing = Promise.resolve();
  try {
    const { read: resumedAfter, startedAt, bytes, line } = writer.checkpoint;
    if (resumedAfter > 0) say(`${table.name}: resuming after ${resumedAfter} records.`);
    const from = resumedAfter > 0 ? { byte: bytes, line } : table.start;
    const moment = asOf === 'now' ? new Date(startedAt).toISOString() : asOf;
    const records = table.read(from, moment === undefined ? undefined : () => moment);
    const readAll = await inBatches(
      records,
      new BatchBuilder(batchSize),
      async (batch) => {
        await writing;
        onProgress(writer.checkpoint);
        writing = writer.write(batch);
        writing.catch(() => undefined); // Reported by the next await.
      },
      { signal },
    );
    await writing;
    if (!readAll) throw signal!.reason;
    await writer.finish();
    const { read, inserted, updated, unchanged, deleted, rejected, superseded } = writer.checkpoint;
    return { read, inserted, updated, unchanged, deleted, rejected, superseded, resumedAfter };
  } finally {
    await writing.catch(() => undefined); // Reading may have failed while a batch was being written.
    await writer.close();
    options.rejects.close();
  }
}
