/** The read loop that import, sync and replace share. */
import type { Batch, BatchBuilder } from './batch-builder.ts';
import type { ParsedRecord } from './table.ts';

export interface InBatchesOptions {
  /** How long a record may wait before its batch is written. */
  everyMs?: number | undefined;
  /** Stops reading; what was read is still written. */
  signal?: AbortSignal | undefined;
}

/**
 * Reads all records and passes them to `write` in batches. A batch ends when it is full or due. Returns false
 * if the signal stopped it.
 */
export async function inBatches(
  records: AsyncGenerator<ParsedRecord[], void>,
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
  next.catch(() => undefined); // The await below throws it.
  try {
    for (;;) {
      const event = await nextEvent(next, due, signal);
      if (event === 'due') {
        await flush();
        continue;
      }
      if (event === 'stopped' || event.done) {
        await flush();
        return event !== 'stopped';
      }
      for (const parsed of event.value) {
        builder.add(parsed);
        if (everyMs !== undefined && due === Infinity) due = performance.now() + everyMs;
        if (builder.full) await flush();
      }
      next = records.next();
      next.catch(() => undefined);
    }
  } finally {
    // Closes the file. Not awaited: a feed may wait for more records.
    records.return().catch(() => undefined);
  }
}

/** Whichever comes first: more records, the batch being due, or the signal. */
async function nextEvent(
  next: Promise<IteratorResult<ParsedRecord[], void>>,
  due: number,
  signal: AbortSignal | undefined,
): Promise<IteratorResult<ParsedRecord[], void> | 'due' | 'stopped'> {
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
