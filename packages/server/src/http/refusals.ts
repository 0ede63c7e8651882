/** How often each problem was the response, for the metrics. */
import { problems, type ProblemCode } from '@clientele/contract';

declare module 'fastify' {
  interface FastifyInstance {
    refusals: Refusals;
  }
}

export class Refusals {
  readonly #counts = new Map<ProblemCode, number>();

  constructor() {
    for (const code of Object.keys(problems)) this.#counts.set(code as ProblemCode, 0);
  }

  count(code: ProblemCode): void {
    this.#counts.set(code, this.#counts.get(code)! + 1);
  }

  [Symbol.iterator](): IterableIterator<[ProblemCode, number]> {
    return this.#counts.entries();
  }
}
