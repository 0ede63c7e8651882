import { ProblemError } from './problems.ts';

/** Requests in flight per instance. Beyond this, rejecting at once serves more callers than queueing. */
const maxInFlight = 64;

export class Admission {
  #inFlight = 0;

  get inFlight(): number {
    return this.#inFlight;
  }

  async admit<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inFlight >= maxInFlight) throw new ProblemError('overloaded');
    this.#inFlight += 1;
    try {
      return await work();
    } finally {
      this.#inFlight -= 1;
    }
  }
}
