import type pg from 'pg';

/**
 * Ends the connection if the signal aborts while `work` uses it, which rolls back its transaction, and throws the
 * signal's reason. A statement may wait for a lock, so it is not enough to look at the signal between statements.
 */
export async function endOnAbort<Result>(
  client: pg.Client,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const end = (): void => void client.end().catch(() => undefined);
  signal?.addEventListener('abort', end);
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', end);
  }
}
