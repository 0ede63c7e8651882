/** Applies a feed of changes: commits after a second or a thousand records, until the feed ends. */
import { BatchBuilder } from './batches.ts';
import type { Tally } from './checkpoint.ts';
import { CustomerWriter } from './customer-writer.ts';
import { inBatches } from './in-batches.ts';
import type { RejectFile } from './reject-file.ts';
import type { Records } from './table.ts';

export interface SyncOptions {
  databaseUrl: string;
  batchSize: number;
  /** The longest that a record waits before it is committed. */
  everyMs: number;
  /** Known for a file, which is resumed where the last run stopped. */
  fingerprint: string | undefined;
  rejects: RejectFile;
  say: (line: string) => void;
  /** Called after each commit: everything read up to here is safe. */
  onCommit: (tally: Tally) => void;
  /** Stops as at the end of the feed. */
  signal: AbortSignal;
}

export async function syncFeed(feed: Records, options: SyncOptions): Promise<Tally> {
  const { batchSize, everyMs, onCommit, say, signal } = options;
  const writer = await CustomerWriter.open(options);
  try {
    const { read, bytes, line } = writer.checkpoint;
    if (read > 0) say(`${feed.name}: resuming after ${read} records.`);
    // A record without a time is as new as its arrival.
    const from = read > 0 ? { byte: bytes, line } : feed.start;
    const records = feed.read(from, () => new Date().toISOString());
    await inBatches(
      records,
      new BatchBuilder(batchSize),
      async (batch) => {
        await writer.write(batch);
        onCommit(writer.checkpoint);
      },
      { everyMs, signal },
    );
    return writer.checkpoint;
  } finally {
    await writer.close();
    options.rejects.close();
  }
}
