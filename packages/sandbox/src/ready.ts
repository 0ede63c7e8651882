import { setTimeout as sleep } from 'node:timers/promises';

export interface ReadyOptions {
  /** Checked before each request: a server that has ended is not waited for. */
  isRunning: () => boolean;
  timeoutMs: number;
}

/** Polls `/readyz` until it returns 200. Throws if the server ends or the time is up before that. */
export async function waitUntilReady(
  origin: string,
  { isRunning, timeoutMs }: ReadyOptions,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    if (!isRunning()) throw new Error('The server ended before it was ready.');
    if (await isReady(origin)) return;
    await sleep(100);
  }
  throw new Error(`The server was not ready within ${timeoutMs / 1_000} seconds.`);
}

export const isReady = (origin: string): Promise<boolean> =>
  fetch(`${origin}/readyz`).then(
    async (response) => {
      await response.body?.cancel();
      return response.ok;
    },
    () => false,
  );
