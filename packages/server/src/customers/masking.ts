/** Whether masked callers can be served. Until `clientele prepare masking` has run, they are refused. */
import type { Queries, Statement } from '@clientele/directory';
import { ProblemError } from '../http/problems.ts';

/** How long the database's answer is used, in milliseconds. */
const usedFor = { yes: 10_000, no: 1_000 };

const readyStatement: Statement = {
  name: 'masking-ready',
  text: 'select clientele.is_masking_ready() as ready',
};

export class Masking {
  readonly #lookups: Queries;
  #known: { ready: Promise<boolean>; until: number } | undefined;

  /** With the role of full work: that of masked work may not exist yet. */
  constructor(lookups: Queries) {
    this.#lookups = lookups;
  }

  /** @throws {ProblemError} `masking-not-ready` */
  async expectReady(): Promise<void> {
    if (!(await this.isReady())) throw new ProblemError('masking-not-ready');
  }

  isReady(): Promise<boolean> {
    if (this.#known && this.#known.until > performance.now()) return this.#known.ready;
    const ready = this.#ask();
    this.#known = { ready, until: Infinity };
    return ready;
  }

  async #ask(): Promise<boolean> {
    let until = 0;
    try {
      const [row] = await this.#lookups.query<{ ready: boolean }>(readyStatement, []);
      until = performance.now() + (row!.ready ? usedFor.yes : usedFor.no);
      return row!.ready;
    } finally {
      this.#known!.until = until;
    }
  }
}
