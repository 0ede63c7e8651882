/** Nodes that are lost or slow, and an instance that is lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PatroniNode } from '@clientele/sandbox/testing/cluster';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService } from '../../setup/executable.ts';
import { requestsTo, skipped, startFleet, type Fleet } from '../setup/fleet.ts';
import { failuresOf, report, underLoad } from '../setup/under-load.ts';

describe.skipIf(skipped)(`three nodes, two instances, 50 requests a second${skipped}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await startFleet();
  });
  afterAll(() => fleet?.[Symbol.asyncDispose]());

  test('a replica whose machine is lost fails no read', async () => {
    const { cluster } = fleet;
    const [replica] = await cluster.replicas();
    const seen = await underLoad(fleet, async () => {
      await replica!.lose();
      await sleep(20_000);
      await replica!.bringBack();
      await cluster.settled();
    });
    report('replica lost for 20 s', seen);
    expect(failuresOf(seen)).toEqual([]);
    expect(Math.max(...seen.samples.map(({ ms }) => ms))).toBeLessThan(5_000);
  });

  test('a primary whose machine is lost fails no read, and writes resume within 25 seconds', async () => {
    const { cluster } = fleet;
    const lost = await cluster.leader();
    const seen = await underLoad(fleet, async () => {
      await lost.lose();
      await sleep(30_000);
      expect(await cluster.leader(), 'a failover').not.toBe(lost);
      await lost.bringBack();
      await cluster.settled();
    });
    report('primary lost for 30 s', seen);
    expect(failuresOf(seen)).toEqual([]);
    expect(seen.writeGapMs).toBeLessThan(25_000);
  });

  test('etcd that hangs for 45 seconds fails no read and stops writes for less than 2 seconds', async () => {
    const { cluster } = fleet;
    const seen = await underLoad(fleet, async () => {
      cluster.etcd.stop();
      await sleep(45_000);
      cluster.etcd.resume();
      await cluster.settled();
    });
    report('etcd stopped for 45 s', seen);
    expect(failuresOf(seen)).toEqual([]);
    expect(seen.writeGapMs).toBeLessThan(2_000);
  });

  test('a node that answers a second late gets at most a tenth of the requests, and none takes 5 seconds', async () => {
    const [slow, other] = await fleet.cluster.replicas();
    let share = 1;
    const seen = await underLoad(fleet, async () => {
      slow!.proxy.set({ kind: 'latency', ms: 1_000 });
      await sleep(5_000);
      const count = (node: PatroniNode) => requestsTo(node, fleet);
      const before = [await count(slow!), await count(other!)];
      await sleep(20_000);
      const after = [await count(slow!), await count(other!)];
      const [late, good] = after.map((each, i) => each - before[i]!);
      share = late! / (late! + good!);
      slow!.proxy.set({ kind: 'none' });
    });
    report('a replica slower by a second', seen, { share });
    expect(failuresOf(seen)).toEqual([]);
    expect(share).toBeLessThan(0.1);
    expect(Math.max(...seen.samples.map(({ ms }) => ms))).toBeLessThan(5_000);
  });

  test('killing 5 backends a second on all nodes for a minute fails no read', async () => {
    let killed = 0;
    const seen = await underLoad(fleet, async () => {
      const clients = await Promise.all(fleet.cluster.nodes.map((node) => connect(fleet, node)));
      for (let turn = 0; turn < 300; turn += 1) {
        killed += await killBackend(clients[turn % clients.length]!);
        await sleep(200);
      }
      await Promise.all(clients.map((client) => client.end()));
    });
    report('5 backends killed a second', seen, { killed });
    expect(killed).toBeGreaterThan(200);
    expect(failuresOf(seen)).toEqual([]);
  });

  test('an instance that is killed fails no read behind the balancer', async () => {
    const [first] = fleet.instances;
    const seen = await underLoad(fleet, async () => {
      first!.kill('SIGKILL');
      await first!.exited;
      await sleep(3_000);
      const PORT = String(first!.port);
      fleet.instances[0] = await startService({ DATABASE_URL: fleet.cluster.serveUrl, PORT });
      await sleep(2_000);
    });
    report('instance killed', seen);
    expect(failuresOf(seen)).toEqual([]);
  });

  test('an instance that is stopped for 10 seconds fails no read behind the balancer', async () => {
    const [first] = fleet.instances;
    const seen = await underLoad(fleet, async () => {
      first!.kill('SIGSTOP');
      await sleep(10_000);
      first!.kill('SIGCONT');
      await sleep(2_000);
    });
    report('instance stopped for 10 s', seen);
    expect(failuresOf(seen)).toEqual([]);
  });
});

async function connect({ cluster }: Fleet, node: PatroniNode): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: cluster.ownerUrl(node) });
  await client.connect();
  return client;
}

/** Kills a random backend of the service and returns how many it killed. */
async function killBackend(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid) from (select pid from pg_stat_activity
     where application_name like 'clientele %' order by random() limit 1) as one`,
  );
  return rowCount!;
}
