/** One file into the database, from where the last run of it stopped. */
import { BatchBuilder } from './batches.ts';
import type { Tally } from './checkpoint.ts';
import { CustomerWriter } from './customer-writer.ts';
import type { RejectFile } from './reject-file.ts';
import type { Table } from './table.ts';

export interface ImportFileOptions {
  batchSize: number;
  /** When its records are from, where they do not say: the run's start for `now`. */
  asOf: string | undefined;
  fingerprint: string | undefined;
  rejects: RejectFile;
  say: (line: string) => void;
  onProgress: (tally: Tally) => void;
}

export interface Imported extends Tally {
  /** How many of those an earlier run had read. */
  resumedAfter: number;
}

export async function importFile(table: Table, options: ImportFileOptions): Promise<Imported> {
  const { asOf, batchSize, say, onProgress } = options;
  const writer = await CustomerWriter.open(options);
  // One batch is read and judged while the one before is written.
  let writing = Promise.resolve();
  try {
    const { read: resumedAfter, startedAt, bytes, line } = writer.checkpoint;
    if (resumedAfter > 0) say(`${table.name}: going on after ${resumedAfter} records.`);
    const from = resumedAfter > 0 ? { byte: bytes, line } : table.start;
    const moment = asOf === 'now' ? new Date(startedAt).toISOString() : asOf;
    const builder = new BatchBuilder(batchSize);
    const flush = async (): Promise<void> => {
      await writing;
      onProgress(writer.checkpoint);
      writing = writer.write(builder.take());
      writing.catch(() => undefined); // Told by the next await.
    };
    for await (const some of table.read(from, moment === undefined ? undefined : () => moment)) {
      for (const made of some) {
        if (!builder.fits(made)) await flush();
        builder.add(made);
        if (builder.full) await flush();
      }
    }
    if (builder.length > 0) await flush();
    await writing;
    await writer.finish();
    const { read, inserted, updated, unchanged, deleted, rejected, superseded } = writer.checkpoint;
    return { read, inserted, updated, unchanged, deleted, rejected, superseded, resumedAfter };
  } finally {
    await writing.catch(() => undefined); // Reading may have failed with a batch on its way.
    await writer.close();
    options.rejects.close();
  }
}
