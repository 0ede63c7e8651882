import { QueryAbortedError } from '../db/errors.ts';

/** Work that several wait for. It is given up when the last of them leaves. */
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

  async join(signal: AbortSignal): Promise<T> {
    const left = Promise.withResolvers<never>();
    const leave = (): void => left.reject(new QueryAbortedError());
    this.#waiting += 1;
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      return await Promise.race([this.result, left.promise]);
    } finally {
      signal.removeEventListener('abort', leave);
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#abort.abort();
    }
  }
}

/**
 * Lets those who ask the same thing at the same time share one answer. Nobody is given an answer whose
 * making began before they asked, so none is older than the question: who comes while one is being
 * made waits for the next.
 */
export class Rides<T> {
  readonly #rides = new Map<string, Ride<T>>();

  /** The questions that are being answered. */
  get size(): number {
    return this.#rides.size;
  }

  async join(
    key: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const ride = this.#rides.get(key);
    if (!ride) return this.#depart(key, new SharedWork(work)).join(signal);
    if (!ride.next || ride.next.abandoned) {
      const next = new SharedWork(async (wanted) => {
        await ride.departed.result.catch(() => undefined);
        if (wanted.aborted) {
          this.#arrive(key, ride);
          throw new QueryAbortedError();
        }
        this.#depart(key, next);
        return work(wanted);
      });
      ride.next = next;
    }
    return ride.next.join(signal);
  }

  #depart(key: string, departed: SharedWork<T>): SharedWork<T> {
    const ride: Ride<T> = { departed };
    this.#rides.set(key, ride);
    const arrive = (): void => this.#arrive(key, ride);
    departed.result.then(arrive, arrive);
    return departed;
  }

  /** Forgets a ride that nobody waits to follow. */
  #arrive(key: string, ride: Ride<T>): void {
    const followed = ride.next && !ride.next.abandoned;
    if (this.#rides.get(key) === ride && !followed) this.#rides.delete(key);
  }
}

interface Ride<T> {
  departed: SharedWork<T>;
  next?: SharedWork<T>;
}
