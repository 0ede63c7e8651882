import { setImmediate as nextTurn } from 'node:timers/promises';
import { QueryAbortedError } from '@clientele/directory';
import { SharedWork } from './shared-work.ts';

/**
 * Request coalescing: identical requests that wait at the same time share one query. A request never
 * joins a query that started before the request arrived, so no answer is older than its request; it
 * waits for the next query instead.
 */
export class RequestCoalescer<T> {
  /** Not started yet: further requests may join. */
  readonly #waiting = new Map<string, SharedWork<T>>();
  readonly #running = new Map<string, SharedWork<T>>();

  /** The number of different requests that are waiting or running. */
  get size(): number {
    return new Set([...this.#waiting.keys(), ...this.#running.keys()]).size;
  }

  join(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    let shared = this.#waiting.get(key);
    if (!shared || shared.abandoned) {
      shared = this.#schedule(key, work);
      this.#waiting.set(key, shared);
    }
    return shared.join(signal);
  }

  #schedule(key: string, work: (signal: AbortSignal) => Promise<T>): SharedWork<T> {
    const shared = new SharedWork(async (signal) => {
      await this.#running.get(key)?.result.catch(() => undefined);
      // Requests that arrived in the same packet are parsed within one turn of the event loop.
      await nextTurn();
      if (this.#waiting.get(key) === shared) this.#waiting.delete(key);
      if (signal.aborted) throw new QueryAbortedError();
      this.#running.set(key, shared);
      try {
        return await work(signal);
      } finally {
        if (this.#running.get(key) === shared) this.#running.delete(key);
      }
    });
    return shared;
  }
}
