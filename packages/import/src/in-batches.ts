/** The read loop of import, sync and replace: records in, batches out. */
import type { BatchBuilder } from './batches.ts';
import type { Batch } from './customer-writer.ts';
import type { Made } from './table.ts';

export interface InBatchesOptions {
  /** The longest that a record waits for others before its batch is written. */
  everyMs?: number | undefined;
  /** Stops as at the end of the records: what was read is still written. */
  signal?: AbortSignal | undefined;
}

/**
 * Reads records to their end and hands each batch to `write`: when it is full, when it is due, or when
 * the next record must not join it. False when the signal ended it early.
 */
export async function inBatches(
  records: AsyncGenerator<Made[], void>,
  builder: BatchBuilder,
  write: (batch: Batch) => Promise<void>,
  { everyMs, signal }: InBatchesOptions = {},
): Promise<boolean> {
  let due = Infinity;
  const flush = async (): Promise<void> => {
    due = Infinity;
    if (builder.length > 0) await write(builder.take());
  };
  let next = records.next();
  next.catch(() => undefined); // Reported by the await below.
  for (;;) {
    const some = await before(next, due, signal);
    if (some === 'due') {
      await flush();
      continue;
    }
    if (some === 'stopped' || some.done) {
      await flush();
      return some !== 'stopped';
    }
    for (const made of some.value) {
      if (!builder.fits(made)) await flush();
      builder.add(made);
      if (everyMs !== undefined && due === Infinity) due = performance.now() + everyMs;
      if (builder.full) await flush();
    }
    next = records.next();
    next.catch(() => undefined);
  }
}

/** The next records, unless the batch is due or the signal fires first. */
async function before(
  next: Promise<IteratorResult<Made[], void>>,
  due: number,
  signal: AbortSignal | undefined,
): Promise<IteratorResult<Made[], void> | 'due' | 'stopped'> {
  if (signal?.aborted) return 'stopped';
  if (due === Infinity && !signal) return next;
  let timer: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  try {
    return await Promise.race([
      next,
      new Promise<'due'>((resolve) => {
        if (due === Infinity) return;
        timer = setTimeout(() => resolve('due'), Math.max(0, due - performance.now()));
      }),
      new Promise<'stopped'>((resolve) => {
        stop = () => resolve('stopped');
        signal?.addEventListener('abort', stop, { once: true });
      }),
    ]);
  } finally {
    clearTimeout(timer);
    if (stop) signal?.removeEventListener('abort', stop);
  }
}
