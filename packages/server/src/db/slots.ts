/** A counting semaphore with a bounded wait. First come, first served. */
export class Slots {
  readonly size: number;
  #taken = 0;
  readonly #waiting = new Set<() => void>();

  constructor(size: number) {
    this.size = size;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** False when no slot came free in time, or the signal fired first. */
  take(waitMs: number, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    if (this.#taken < this.size) {
      this.#taken += 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const settle = (got: boolean): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        this.#waiting.delete(receive);
        resolve(got);
      };
      const receive = (): void => settle(true);
      const giveUp = (): void => settle(false);
      const timer = setTimeout(giveUp, waitMs);
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(receive);
    });
  }

  /** Hands the slot to the longest waiting caller, or frees it. */
  give(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#taken -= 1;
  }
}
