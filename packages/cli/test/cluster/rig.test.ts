/** The cluster that the fault tests run on: three nodes stream, fail over, and lose no acknowledged write. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { startCluster, until, type Cluster } from '@clientele/sandbox/testing/cluster';
import { withClient } from '@clientele/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertFixedCustomers } from './setup/fixed-customers.ts';
import { skipped, tools } from './setup/fleet.ts';
import { Writers } from './setup/writers.ts';

describe.skipIf(skipped)(`a synchronous cluster${skipped}`, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    if (typeof tools === 'string') throw new Error(tools);
    cluster = await startCluster(tools, { synchronous: true });
    await withClient(cluster.ownerUrl(await cluster.leader()), insertFixedCustomers);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test('files with passwords are readable by their owner only', async () => {
    for (const { name } of cluster.nodes) {
      const { mode } = await stat(join(cluster.keeper.folder, name, 'patroni.yml'));
      expect(mode & 0o777).toBe(0o600);
    }
  });

  test('after a switchover and a crash of the primary, every acknowledged write is there', async () => {
    await using writers = new Writers(cluster);
    const leaders = [await cluster.leader()];
    const wrote = (): Promise<void> => {
      const before = writers.acknowledged.size;
      return until('20 more writes', 20_000, async () => writers.acknowledged.size > before + 20);
    };
    await wrote();
    await cluster.switchover();
    await cluster.settled();
    leaders.push(await cluster.leader());
    await wrote();
    await leaders[1]!.killPostgres();
    await cluster.settledAgain();
    leaders.push(await cluster.leader());
    await wrote();
    expect(leaders[1]).not.toBe(leaders[0]);
    expect(leaders[2]).not.toBe(leaders[1]);
    expect(await writers.lost()).toEqual([]);
  });
});
