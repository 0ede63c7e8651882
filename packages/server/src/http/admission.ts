/**
 * Which requests run now, which wait for a moment and which are refused: docs/decisions/overload.md. Reads and
 * searches have places of their own, so that neither waits for the other, and places are shared fairly by key.
 */
import type { Config } from '../settings/config.ts';
import { onBehalfOf, QueryAbortedError, Slots, tracer } from '@clientele/directory';
import { ProblemError } from './problems.ts';

export type RequestKind = 'reads' | 'searches';

export class Admission {
  readonly places: Record<RequestKind, Slots>;
  readonly #longestWait: number;

  constructor({ reads, searches, perKey }: Config['concurrency'], longestWait: number) {
    this.#longestWait = longestWait;
    // Searches may take seconds, so one key does not get all of their places.
    const most = perKey === Infinity ? Infinity : Math.ceil((3 * searches) / 4);
    this.places = {
      reads: placesFor(reads, perKey),
      searches: placesFor(searches, Math.min(perKey, most)),
    };
  }

  /** Runs the work on behalf of the key, after a short wait if necessary. */
  async admit<T>(
    kind: RequestKind,
    key: string,
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T> {
    const places = this.places[kind];
    const taken = places.take(this.#longestWait, signal, key);
    tracer?.wait('wait for admission', { 'clientele.requests': kind }, taken);
    if (!(await taken)) {
      if (signal.aborted) throw new QueryAbortedError();
      throw places.isSpent(key) ? new ProblemError('rate-limited', tooMany) : overloaded();
    }
    try {
      return await onBehalfOf(key, work);
    } finally {
      places.give(key);
    }
  }

  /** How many requests run now. */
  get underway(): number {
    return this.places.reads.taken + this.places.searches.taken;
  }

  /** Refuses a request whose key is not known yet, before a query is spent on it. */
  refuseIfFull(kind: RequestKind): void {
    if (this.places[kind].full) throw overloaded();
  }
}

/** As many may wait as may run: more would only wait in vain. */
const placesFor = (size: number, perKey: number): Slots =>
  new Slots(size, { perKey, waiting: size, waitingPerKey: perKey });

const overloaded = (): ProblemError => new ProblemError('overloaded');

const tooMany =
  'Too many requests at a time with this access key. Send fewer at once, or try again after the number of seconds in Retry-After.';
