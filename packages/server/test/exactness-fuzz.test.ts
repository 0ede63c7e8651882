/**
 * Responses of the server compared with a model in memory that shares no code with the product: test/fuzz has its own
 * rules, written from docs/api.md. `FUZZ_CHECKS=20000 pnpm vitest run exactness-fuzz` runs longer, `FUZZ_SEED` repeats,
 * and `FUZZ_MUTATIONS=1` shows that mistakes are found.
 */
import { describe, expect, test } from 'vitest';
import { History } from './fuzz/history.ts';
import { mutations } from './fuzz/mutations.ts';
import { randomRequest, type Request } from './fuzz/requests.ts';
import type { Row } from './fuzz/customer.ts';
import { Random } from '@clientele/sandbox/testing';

const checks = Number(process.env['FUZZ_CHECKS'] ?? 300);
const seed = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** Requests that are sent at once: fewer than a key may have in progress. */
const atOnce = 4;

const report = (about: object) => process.stdout.write(`${JSON.stringify(about)}\n`);

/** A run through histories of customers. Ends after so many checks, or when it has found enough. */
class Run {
  readonly kinds: Record<string, number> = {};
  readonly differences: string[] = [];
  checked = 0;
  readonly #history: History;
  readonly #random = new Random(seed);
  readonly #checks: number;
  readonly #enough: number;

  constructor(history: History, { checks: most, enough }: { checks: number; enough: number }) {
    this.#history = history;
    this.#checks = most;
    this.#enough = enough;
  }

  get #isOver(): boolean {
    return this.checked >= this.#checks || this.differences.length >= this.#enough;
  }

  async run(): Promise<void> {
    for (let histories = 1; !this.#isOver; histories += 1) {
      // A long run says how far it is.
      const { checked, differences } = this;
      if (histories % 10 === 0) report({ seed, checked, differences: differences.length });
      await this.#history.begin(this.#random);
      // Until masking is prepared, most is refused.
      const steps = histories === 1 ? 3 : 10;
      for (let step = 0; step < steps && !this.#isOver; step += 1) await this.#step();
    }
  }

  async #step(): Promise<void> {
    const random = this.#random;
    const history = this.#history;
    if (random.chance(0.3)) await history.operate(random);
    // While something is written, a response is that from before it or that from after it.
    const before = history.rows;
    const requests = this.#requests();
    let judge: ((states: Row[][]) => void) | undefined;
    await history.next(random, async () => {
      if (random.chance(0.5)) judge = await this.#ask(requests);
    });
    judge?.([before, history.rows]);
    for (let wave = 0; wave < 5; wave += 1) {
      const judgeAtRest = await this.#ask(this.#requests());
      judgeAtRest([history.rows]);
    }
  }

  #requests(): Request[] {
    const { rows } = this.#history;
    return Array.from({ length: atOnce }, () => randomRequest(rows, this.#history, this.#random));
  }

  /** Sends requests, and notes which responses are wrong for each of the states in which the directory may have been. */
  async #ask(requests: Request[]): Promise<(states: Row[][]) => void> {
    const responses = await Promise.all(requests.map((request) => this.#history.get(request)));
    return (states) => {
      for (const [i, request] of requests.entries()) {
        const { kind, path } = request;
        this.checked += 1;
        this.kinds[kind] = (this.kinds[kind] ?? 0) + 1;
        const fault = request.fault(states, responses[i]!);
        if (fault === undefined) continue;
        const found = { kind, path: decodeURIComponent(path), fault };
        this.differences.push(JSON.stringify(found));
      }
    };
  }
}

test(
  `${checks} responses match a model of the documentation (seed ${seed})`,
  { timeout: 600_000 + checks * 300 },
  async () => {
    await using history = await History.start();
    const run = new Run(history, { checks, enough: 20 });
    await run.run();
    report({ seed, checked: run.checked, ...run.kinds, ...history.done });
    expect(run.differences, `seed ${seed}`).toEqual([]);
    // A short run does not get to every kind.
    if (checks < 5_000) return;
    // PostgreSQL refuses some of what operators try.
    const tried = Object.keys(history.done).map((kind) => kind.replace(/: \w{5}$/, ''));
    expect(tried).toEqual(expect.arrayContaining(History.kinds));
  },
);

describe.runIf(process.env['FUZZ_MUTATIONS'])('the fuzzer finds that', () => {
  test.each(Object.entries(mutations))('%s', { timeout: 1_800_000 }, async (name, mutation) => {
    await using history = await History.start();
    await history.mutate(mutation);
    const run = new Run(history, { checks: 10_000, enough: 1 });
    await run.run();
    report({ name, seed, checked: run.checked, found: run.differences[0]?.slice(0, 300) });
    expect(run.differences, `seed ${seed}`).not.toEqual([]);
  });
});
