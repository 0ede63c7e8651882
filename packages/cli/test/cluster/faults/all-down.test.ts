/** Every database is down for a minute: refusals are quick, and the service recovers by itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@clientele/sandbox/testing/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { httpGet } from '../../setup/load.ts';
import { skipped, startFleet, type Fleet } from '../setup/fleet.ts';
import { countOutcomes, percentile, type Sample } from '../setup/open-load.ts';
import { wrongAnswers, report, underLoad } from '../setup/under-load.ts';

describe.skipIf(skipped)(`three nodes, one instance, 50 requests a second${skipped}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await startFleet();
  });
  afterAll(() => fleet?.[Symbol.asyncDispose]());

  test('while all nodes are down, requests get 503 quickly; 5 seconds after their return, 99 % get 200', async () => {
    const { cluster, instances } = fleet;
    const [instance] = instances;
    let downAt = 0;
    let startingAt = 0;
    let upAt = 0;
    const live: number[] = [];
    const fault = async (): Promise<void> => {
      await Promise.all(cluster.nodes.map((node) => node.crash()));
      downAt = performance.now();
      for (let second = 0; second < 60; second += 1) {
        live.push((await httpGet(`${instance!.url}/livez`)).status);
        await sleep(1_000);
      }
      startingAt = performance.now();
      await Promise.all(cluster.nodes.map((node) => node.startAgent()));
      await until('a node accepts connections', 60_000, async () => {
        await Promise.any(cluster.nodes.map((node) => node.query('select')));
        return true;
      });
      upAt = performance.now();
      await cluster.settled();
      await sleep(5_000);
    };
    // The balancer would answer by itself once no instance is ready.
    const seen = await underLoad(fleet, fault, { target: instance!.url });
    const between = (from: number, to: number): Sample[] =>
      seen.samples.filter(({ sentAt }) => sentAt >= from && sentAt < to);
    const p99 = (samples: Sample[]): number =>
      percentile(
        samples.map(({ ms }) => ms),
        0.99,
      );
    const first = between(downAt, downAt + 1_000);
    const down = between(downAt + 1_000, startingAt);
    const after = between(upAt + 5_000, Infinity);
    const good = after.filter(({ outcome }) => outcome === '200').length / after.length;
    report('every database down for 60 s', seen, {
      firstSecondP99Ms: p99(first),
      downP99Ms: p99(down),
      goodAfterReturn: good,
    });
    expect(wrongAnswers(seen.samples)).toEqual([]);
    expect(countOutcomes(down)).toEqual({ '503 database-unavailable': down.length });
    expect(new Set(live), 'statuses of /livez').toEqual(new Set([200]));
    expect(good).toBeGreaterThanOrEqual(0.99);
    expect(() => process.kill(instance!.pid, 0), 'the same process').not.toThrow();
    // The bars are 300 and 20 ms on a machine of its own; docs/reliability.md has what was measured.
    expect(p99(first), 'in the first second').toBeLessThan(1_000);
    expect(p99(down), 'afterwards').toBeLessThan(200);
  });
});
