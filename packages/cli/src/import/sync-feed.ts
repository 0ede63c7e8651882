/** A feed of changes, kept up with: committed after a second or a thousand records, until it ends. */
import { BatchBuilder } from './batches.ts';
import type { Tally } from './checkpoint.ts';
import { CustomerWriter } from './customer-writer.ts';
import type { RejectFile } from './reject-file.ts';
import type { Made, Records } from './table.ts';

export interface SyncOptions {
  batchSize: number;
  /** The longest that a record waits for company. */
  everyMs: number;
  /** Known for a file, which is gone on with where the last run stopped. */
  fingerprint: string | undefined;
  rejects: RejectFile;
  say: (line: string) => void;
  /** Told after each commit; what was read up to here is safe. */
  onCommit: (tally: Tally) => void;
  /** Stops as at the end of the feed. */
  signal: AbortSignal;
}

export async function syncFeed(feed: Records, options: SyncOptions): Promise<Tally> {
  const { batchSize, everyMs, onCommit, say, signal } = options;
  const writer = await CustomerWriter.open(options);
  try {
    const { read, bytes, line } = writer.checkpoint;
    if (read > 0) say(`${feed.name}: going on after ${read} records.`);
    const builder = new BatchBuilder(batchSize);
    let due = Infinity;
    const flush = async (): Promise<void> => {
      due = Infinity;
      if (builder.length === 0) return;
      await writer.write(builder.take());
      onCommit(writer.checkpoint);
    };
    // A record that does not say when it is from is from when it came.
    const from = read > 0 ? { byte: bytes, line } : feed.start;
    const records = feed.read(from, () => new Date().toISOString());
    let next = records.next();
    next.catch(() => undefined); // Told by the next await.
    for (;;) {
      const some = await before(next, due, signal);
      if (some === 'late') {
        await flush();
        continue;
      }
      if (some === 'stopped' || some.done) break;
      for (const made of some.value) {
        if (!builder.fits(made)) await flush();
        builder.add(made);
        if (due === Infinity) due = performance.now() + everyMs;
        if (builder.full) await flush();
      }
      next = records.next();
      next.catch(() => undefined);
    }
    await flush();
    return writer.checkpoint;
  } finally {
    await writer.close();
    options.rejects.close();
  }
}

/** The next records, unless others have waited long enough, or somebody wants to stop. */
async function before(
  next: Promise<IteratorResult<Made[], void>>,
  due: number,
  signal: AbortSignal,
): Promise<IteratorResult<Made[], void> | 'late' | 'stopped'> {
  if (signal.aborted) return 'stopped';
  let timer: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  try {
    return await Promise.race([
      next,
      new Promise<'late'>((resolve) => {
        if (due !== Infinity) {
          timer = setTimeout(() => resolve('late'), Math.max(0, due - performance.now()));
        }
      }),
      new Promise<'stopped'>((resolve) => {
        stop = () => resolve('stopped');
        signal.addEventListener('abort', stop, { once: true });
      }),
    ]);
  } finally {
    clearTimeout(timer);
    if (stop) signal.removeEventListener('abort', stop);
  }
}
