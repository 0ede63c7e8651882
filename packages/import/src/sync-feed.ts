/** Applies a feed of changes in small batches until the feed ends. */
import type { EraseOptions } from '@clientele/directory';
import { BatchBuilder } from './batch-builder.ts';
import type { Tally } from './counts.ts';
import { CustomerWriter } from './customer-writer.ts';
import type { Feed } from './feed.ts';
import { inBatches } from './in-batches.ts';
import type { RejectFile } from './reject-file.ts';

export interface SyncOptions {
  databaseUrl: string;
  secretFile?: string | undefined;
  /** What keeps people out whom the feed erases. */
  erasing?: Omit<EraseOptions, 'reason'> | undefined;
  batchSize: number;
  /** How long a record may wait before it is committed. */
  everyMs: number;
  /** Do not resume after the records that were applied before. */
  fromStart?: boolean | undefined;
  rejects: RejectFile;
  log: (line: string) => void;
  /** Called after each commit, with the totals of this run and the runs it resumes. */
  onCommit: (tally: Tally) => void;
  /** Stops as if the feed had ended. */
  signal: AbortSignal;
}

export async function syncFeed(feed: Feed, options: SyncOptions): Promise<Tally> {
  const { batchSize, everyMs, onCommit, log, rejects, signal } = options;
  const writer = await CustomerWriter.open({ ...options, ...feed, kind: 'feed' });
  try {
    const { read, bytes, line, rejectBytes } = writer.checkpoint;
    if (read > 0) log(`${feed.name}: resuming after ${read} records.`);
    if (rejectBytes > 0 && !rejects.isOwn(writer.checkpoint)) {
      log(`${rejects.path} is not the list that was begun, so a new one begins, ${lacking}`);
      await writer.setRejectBytes(0);
    }
    const from = read > 0 ? { byte: bytes, line } : feed.start;
    // A record without `updated_at` gets the time it was read.
    const records = feed.read(from, {
      namespace: writer.idNamespace,
      asOf: () => new Date().toISOString(),
    });
    await inBatches(
      records,
      new BatchBuilder(batchSize, writer.suppressions),
      async (batch) => {
        await writer.write(batch);
        onCommit(writer.checkpoint);
      },
      { everyMs, signal },
    );
    // A file may grow, and is resumed then.
    if (feed.fingerprint === undefined) await writer.finish();
    if (writer.checkpoint.rejected === 0) rejects.removeStale();
    return writer.checkpoint;
  } finally {
    await writer.close();
    rejects.close();
  }
}

const lacking = 'without the records that were rejected before.';
