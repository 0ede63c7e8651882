/**
 * A counting semaphore with a bounded queue that is fair by key: a slot that comes free goes to each waiting key
 * in turn, however many of its callers wait. Callers of one key are served in order.
 */
export interface SlotLimits {
  /** Slots that one key may hold. The empty key has no limits of its own: it is nobody's. */
  perKey?: number;
  /** Callers that may wait, in all and of one key. Others are refused at once. */
  waiting?: number;
  waitingPerKey?: number;
}

export class Slots {
  readonly size: number;
  readonly #limits: Required<SlotLimits>;
  #taken = 0;
  /** An exponentially decaying count of slots that were taken, and when it was last updated. */
  #recent = 0;
  #recentAt = 0;
  #waiting = 0;
  readonly #held = new Map<string, number>();
  /** The waiting callers of each key. The key whose turn is next comes first. */
  readonly #queues = new Map<string, Set<() => void>>();

  constructor(size: number, limits: SlotLimits = {}) {
    this.size = size;
    this.#limits = { perKey: size, waiting: Infinity, waitingPerKey: Infinity, ...limits };
  }

  get taken(): number {
    return this.#taken;
  }

  /** How many were taken in about the last second. */
  get recent(): number {
    return this.#recent * Math.exp((this.#recentAt - performance.now()) / 1_000);
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Whether a caller of a key that holds nothing would be refused at once. */
  get full(): boolean {
    return this.#taken >= this.size && this.#waiting >= this.#limits.waiting;
  }

  /** Whether the key holds all that it may. */
  isSpent(key: string): boolean {
    return key !== '' && this.#heldBy(key) >= this.#limits.perKey;
  }

  /** False when no slot came free in time, too many wait already, or the signal fired first. */
  take(waitMs: number, signal?: AbortSignal, key = ''): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    // While a slot is free, all keys that wait hold what they may.
    if (this.#taken < this.size && !this.isSpent(key)) {
      this.#hold(key);
      return Promise.resolve(true);
    }
    const { waiting, waitingPerKey } = this.#limits;
    const ahead = this.#queues.get(key)?.size ?? 0;
    if (this.#waiting >= waiting || (key !== '' && ahead >= waitingPerKey)) {
      return Promise.resolve(false);
    }
    return new Promise((resolve) => {
      const settle = (got: boolean): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        resolve(got);
      };
      const receive = (): void => settle(true);
      const giveUp = (): void => {
        this.#leave(key, receive);
        settle(false);
      };
      const timer = setTimeout(giveUp, waitMs);
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#join(key, receive);
    });
  }

  /** Hands the slot to the next waiting key that may have it, or frees it. */
  give(key = ''): void {
    const held = this.#heldBy(key) - 1;
    if (held > 0) this.#held.set(key, held);
    else this.#held.delete(key);
    this.#taken -= 1;
    for (const [next, queue] of this.#queues) {
      if (this.isSpent(next)) continue;
      const [receive] = queue;
      this.#leave(next, receive!);
      // Its next turn comes after everybody else's.
      if (this.#queues.delete(next)) this.#queues.set(next, queue);
      this.#hold(next);
      receive!();
      return;
    }
  }

  #heldBy(key: string): number {
    return this.#held.get(key) ?? 0;
  }

  #hold(key: string): void {
    this.#held.set(key, this.#heldBy(key) + 1);
    this.#taken += 1;
    this.#recent = this.recent + 1;
    this.#recentAt = performance.now();
  }

  #join(key: string, receive: () => void): void {
    const queue = this.#queues.get(key);
    if (queue) queue.add(receive);
    else this.#queues.set(key, new Set([receive]));
    this.#waiting += 1;
  }

  #leave(key: string, receive: () => void): void {
    const queue = this.#queues.get(key)!;
    queue.delete(receive);
    if (queue.size === 0) this.#queues.delete(key);
    this.#waiting -= 1;
  }
}
