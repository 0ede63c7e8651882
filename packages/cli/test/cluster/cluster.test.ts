/** Reads survive the loss of any one node, without a failed request. The other faults: `pnpm faults --all`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until, type PatroniNode } from '@clientele/sandbox/testing/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { promised } from '@clientele/sandbox/testing/machine';
import { skipped, startFleet, sumMetric, type Fleet } from './setup/fleet.ts';
import { failuresOf, report, underLoad } from './setup/under-load.ts';

describe.skipIf(skipped)(`three nodes, two instances, 50 requests a second${skipped}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await startFleet();
  });
  afterAll(() => fleet?.[Symbol.asyncDispose]());

  /** How many instances read from a node. */
  const usedBy = (node: PatroniNode): Promise<number> =>
    sumMetric('clientele_node_up', fleet, node);

  test('a killed replica fails no read, is out within a second, and back 10 seconds after its return', async () => {
    const { cluster } = fleet;
    const [replica] = await cluster.replicas();
    const times = { outMs: 0, backMs: 0 };
    const seen = await underLoad(fleet, async () => {
      await replica!.killPostgres();
      times.outMs = await timeUntil(
        'no instance uses it',
        async () => (await usedBy(replica!)) === 0,
      );
      await until('it accepts connections', 30_000, async () => {
        await replica!.query('select');
        return true;
      });
      times.backMs = await timeUntil('both use it', async () => (await usedBy(replica!)) === 2);
      await cluster.settled();
    });
    report('replica killed', seen, times);
    expect(failuresOf(seen)).toEqual([]);
    expect(times.outMs).toBeLessThan(promised(1_000));
    expect(times.backMs).toBeLessThan(promised(10_000));
    expect(seen.writeGapMs).toBeLessThan(promised(1_000));
  });

  test('a killed primary fails no read, and writes resume within 10 seconds', async () => {
    const { cluster } = fleet;
    const before = await cluster.leader();
    const seen = await underLoad(fleet, async () => {
      await before.killPostgres();
      await cluster.settledAgain();
    });
    report('primary killed', seen);
    expect(failuresOf(seen)).toEqual([]);
    expect(await cluster.leader(), 'a failover').not.toBe(before);
    expect(seen.writeGapMs).toBeLessThan(promised(10_000));
  });

  test('a switchover fails no read, and writes resume within 3 seconds', async () => {
    const { cluster } = fleet;
    const before = await cluster.leader();
    const seen = await underLoad(fleet, async () => {
      await cluster.switchover();
      await cluster.settled();
    });
    report('switchover', seen);
    expect(failuresOf(seen)).toEqual([]);
    expect(await cluster.leader(), 'a switchover').not.toBe(before);
    expect(seen.writeGapMs).toBeLessThan(promised(3_000));
  });

  test('a replica that falls silent fails no read, and none takes 5 seconds', async () => {
    const [replica] = await fleet.cluster.replicas();
    const seen = await underLoad(fleet, async () => {
      replica!.proxy.set({ kind: 'silence' });
      await sleep(10_000);
      replica!.proxy.set({ kind: 'none' });
    });
    report('silent partition', seen);
    expect(failuresOf(seen)).toEqual([]);
    expect(Math.max(...seen.samples.map(({ ms }) => ms))).toBeLessThan(promised(5_000));
  });
});

async function timeUntil(what: string, check: () => Promise<boolean>): Promise<number> {
  const start = performance.now();
  await until(what, 30_000, check, 50);
  return performance.now() - start;
}
