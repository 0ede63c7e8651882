import { ProblemError } from './problems.ts';

/** Requests on their way through one instance; beyond this, saying no at once serves more people. */
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
