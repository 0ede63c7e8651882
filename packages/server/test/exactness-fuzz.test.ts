/**
 * Responses of the server compared with a model in memory that shares no code with the product: test/fuzz has its own
 * rules, written from docs/api.md. `FUZZ_CHECKS=20000 pnpm vitest run exactness-fuzz` runs longer, `FUZZ_SEED` repeats.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { History } from './fuzz/history.ts';
import { randomRequest, type Request } from './fuzz/requests.ts';
import type { Row } from './fuzz/customer.ts';
import { Random } from './setup/random.ts';

const checks = Number(process.env['FUZZ_CHECKS'] ?? 300);
const seed = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** Requests that are sent at once: fewer than a key may have in progress. */
const atOnce = 4;

let history: History;
beforeAll(async () => {
  history = await History.start();
});
afterAll(() => history[Symbol.asyncDispose]());

const kinds: Record<string, number> = {};
let checked = 0;

/** Sends requests, and says which responses are wrong for each of the states in which the directory may have been. */
async function ask(requests: Request[]): Promise<(states: Row[][]) => unknown[]> {
  const responses = await Promise.all(requests.map((request) => history.get(request)));
  return (states) =>
    requests.flatMap((request, i) => {
      const { kind, path } = request;
      checked += 1;
      kinds[kind] = (kinds[kind] ?? 0) + 1;
      const faults = states.map((rows) => request.fault(rows, responses[i]!));
      return faults.includes(undefined)
        ? []
        : [{ kind, path: decodeURIComponent(path), fault: faults[0] }];
    });
}

test(
  `${checks} responses match a model of the documentation (seed ${seed})`,
  { timeout: 600_000 + checks * 300 },
  async () => {
    const random = new Random(seed);
    const some = () =>
      Array.from({ length: atOnce }, () => randomRequest(history.rows, history, random));
    const differences: unknown[] = [];
    const report = (about: object) => process.stdout.write(`${JSON.stringify(about)}\n`);
    for (let histories = 1; checked < checks && differences.length <= 20; histories += 1) {
      // A long run says how far it is.
      if (histories % 10 === 0) report({ seed, checked, differences: differences.length });
      await history.begin(random);
      // Until masking is prepared, most is refused.
      const steps = histories === 1 ? 3 : 10;
      for (let step = 0; step < steps && checked < checks; step += 1) {
        if (random.chance(0.3)) await history.operate(random);
        // While something is written, a response is that from before it or that from after it.
        const before = history.rows;
        const requests = some();
        let meanwhile: Awaited<ReturnType<typeof ask>> | undefined;
        await history.next(random, async () => {
          if (random.chance(0.5)) meanwhile = await ask(requests);
        });
        differences.push(...(meanwhile?.([before, history.rows]) ?? []));
        for (let wave = 0; wave < 5; wave += 1) {
          const atRest = await ask(some());
          differences.push(...atRest([history.rows]));
        }
        if (differences.length > 20) break;
      }
    }
    report({ seed, checked, ...kinds, ...history.done });
    expect(
      differences.map((one) => JSON.stringify(one)),
      `seed ${seed}`,
    ).toEqual([]);
    // A short run does not get to every kind.
    if (checks < 5_000) return;
    expect(Object.keys(history.done)).toEqual(expect.arrayContaining(History.kinds));
  },
);
