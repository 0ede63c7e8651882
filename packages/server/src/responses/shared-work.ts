import { QueryAbortedError } from '@clientele/directory';

/** Work that several callers wait for. It is aborted when the last of them leaves, with that caller's reason. */
export class SharedWork<T> {
  readonly result: Promise<T>;
  readonly #abort = new AbortController();
  #waiting = 0;

  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.result = work(this.#abort.signal);
    this.result.catch(() => undefined);
  }

  /** Aborts it unless somebody waits. */
  abandonIfUnwanted(): void {
    if (this.#waiting === 0) this.#abort.abort();
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
