/** Faults in random order, one after the other: `pnpm faults --minutes 30 --seed 1`. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PatroniNode } from '@clientele/sandbox/testing/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skipped, startFleet, type Fleet } from '../setup/fleet.ts';
import { wrongAnswers, oldestAnswer, report, seeded, underLoad } from '../setup/under-load.ts';

const minutes = Number(process.env['FAULT_MINUTES'] ?? 2);
const seed = Number(process.env['FAULT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

type Inject = (fleet: Fleet, node: PatroniNode, random: () => number) => Promise<void>;

const faults: Record<string, Inject> = {
  killed: ({ cluster }, node) => node.killPostgres().then(() => cluster.settledAgain()),
  switchover: ({ cluster }) => cluster.switchover(),
  silent: async (_fleet, { proxy }, random) => {
    proxy.set({ kind: 'silence' });
    await sleep(1_000 + random() * 9_000);
    proxy.set({ kind: 'none' });
  },
  slow: async (_fleet, { proxy }, random) => {
    proxy.set({ kind: 'latency', ms: 100 + random() * 2_000 });
    await sleep(1_000 + random() * 9_000);
    proxy.set({ kind: 'none' });
  },
  sliced: async (_fleet, { proxy }, random) => {
    proxy.set({ kind: 'slices', bytes: 1 + Math.floor(random() * 100) });
    await sleep(1_000 + random() * 4_000);
    proxy.set({ kind: 'none' });
  },
  reset: async (_fleet, { proxy }) => proxy.reset(),
  frozen: async (_fleet, node, random) => {
    await node.freeze();
    await sleep(1_000 + random() * 29_000);
    node.thaw();
  },
  lost: async (_fleet, node, random) => {
    await node.lose();
    await sleep(1_000 + random() * 29_000);
    await node.bringBack();
  },
  'etcd stopped': async ({ cluster }, _node, random) => {
    cluster.etcd.stop();
    await sleep(1_000 + random() * 29_000);
    cluster.etcd.resume();
  },
};

describe.skipIf(skipped)(`three synchronous nodes, 50 requests a second${skipped}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await startFleet({ synchronous: true });
  });
  afterAll(() => fleet?.[Symbol.asyncDispose]());

  test(
    `${minutes} minutes of random faults: no wrong answer, 99.9 % served (seed ${seed})`,
    { timeout: (minutes + 5) * 60_000 },
    async () => {
      const { cluster } = fleet;
      const random = seeded(seed);
      const injected: Record<string, number> = {};
      const mix = async (): Promise<void> => {
        const end = performance.now() + minutes * 60_000;
        while (performance.now() < end) {
          const names = Object.keys(faults);
          const name = names[Math.floor(random() * names.length)]!;
          const node = cluster.nodes[Math.floor(random() * cluster.nodes.length)]!;
          injected[name] = (injected[name] ?? 0) + 1;
          await faults[name]!(fleet, node, random);
          await cluster.settled(120_000);
          await sleep(random() * 3_000);
        }
      };
      const seen = await underLoad(fleet, mix, { seed });
      const served = seen.samples.filter(({ outcome }) => outcome === '200').length;
      const share = served / seen.samples.length;
      report(`random mix, ${minutes} min, seed ${seed}`, seen, { injected, share });
      expect(wrongAnswers(seen.samples)).toEqual([]);
      expect(seen.lostWrites, 'acknowledged writes that are lost').toEqual([]);
      expect(oldestAnswer(seen.samples)).toBeLessThan(15_000);
      expect(share).toBeGreaterThanOrEqual(0.999);
    },
  );
});
