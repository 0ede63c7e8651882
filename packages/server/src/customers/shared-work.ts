import { setImmediate as turn } from 'node:timers/promises';
import { QueryAbortedError } from '../db/errors.ts';

/** Work that several wait for. It is given up when the last of them leaves, for their reason. */
export class SharedWork<T> {
  readonly result: Promise<T>;
  readonly #abort = new AbortController();
  #waiting = 0;

  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.result = work(this.#abort.signal);
    this.result.catch(() => undefined);
  }

  get abandoned(): boolean {
    return this.#abort.signal.aborted;
  }

  join(signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      let waits = true;
      const leave = (): void => {
        waits = false;
        this.#waiting -= 1;
        signal.removeEventListener('abort', hangUp);
      };
      const hangUp = (): void => {
        if (!waits) return;
        leave();
        reject(new QueryAbortedError());
        if (this.#waiting === 0) this.#abort.abort(signal.reason);
      };
      this.#waiting += 1;
      signal.addEventListener('abort', hangUp, { once: true });
      if (signal.aborted) hangUp();
      const end = (settle: () => void): void => {
        if (!waits) return;
        leave();
        settle();
      };
      this.result.then(
        (value) => end(() => resolve(value)),
        (error: unknown) => end(() => reject(error)),
      );
    });
  }
}

/**
 * Lets those who ask the same thing at the same time share one answer. Nobody is given an answer whose
 * making began before they asked, so none is older than the question: who comes while one is being
 * made waits for the next.
 */
export class Rides<T> {
  /** May still be joined. */
  readonly #gathering = new Map<string, SharedWork<T>>();
  readonly #departed = new Map<string, SharedWork<T>>();

  /** The questions that are being answered. */
  get size(): number {
    return new Set([...this.#gathering.keys(), ...this.#departed.keys()]).size;
  }

  join(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    let ride = this.#gathering.get(key);
    if (!ride || ride.abandoned) {
      ride = this.#gather(key, work);
      this.#gathering.set(key, ride);
    }
    return ride.join(signal);
  }

  #gather(key: string, work: (signal: AbortSignal) => Promise<T>): SharedWork<T> {
    const ride = new SharedWork(async (wanted) => {
      await this.#departed.get(key)?.result.catch(() => undefined);
      // Requests that arrived together are read one after the other in one turn: all of them ride.
      await turn();
      if (this.#gathering.get(key) === ride) this.#gathering.delete(key);
      if (wanted.aborted) throw new QueryAbortedError();
      this.#departed.set(key, ride);
      try {
        return await work(wanted);
      } finally {
        if (this.#departed.get(key) === ride) this.#departed.delete(key);
      }
    });
    return ride;
  }
}
