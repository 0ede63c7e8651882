/** Replicas that fall behind: answers stay recent, keys and sessions end on time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccessKey, withClient } from '@clientele/sandbox';
import { until, type PatroniNode } from '@clientele/sandbox/testing/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { httpGet } from '../../setup/load.ts';
import { requestsTo, skipped, startFleet, sumMetric, type Fleet } from '../setup/fleet.ts';
import { failuresOf, oldestAnswer, report, underLoad } from '../setup/under-load.ts';

const idleMinutes = Number(process.env['FAULT_IDLE_MINUTES'] ?? 1);

describe.skipIf(skipped)(`three nodes, two instances, 50 requests a second${skipped}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await startFleet();
  });
  afterAll(() => fleet?.[Symbol.asyncDispose]());

  test('with one replica paused, no answer is older than 15 seconds', async () => {
    const [replica] = await fleet.cluster.replicas();
    let served = 0;
    const seen = await underLoad(fleet, async () => {
      await replica!.pauseReplay();
      await sleep(20_000);
      const before = await requestsTo(replica!, fleet);
      await sleep(20_000);
      served = (await requestsTo(replica!, fleet)) - before;
      replica!.thaw();
      await fleet.cluster.settled();
    });
    report('one replica paused for 40 s', seen, { servedByIt: served });
    expect(failuresOf(seen)).toEqual([]);
    expect(served, 'requests to the paused replica after 20 s').toBe(0);
    expect(oldestAnswer(seen.samples)).toBeLessThan(15_000);
  });

  test('with all replicas paused, the primary serves and no answer is older than 15 seconds', async () => {
    const primary = await fleet.cluster.leader();
    const replicas = await fleet.cluster.replicas();
    let served = 0;
    const seen = await underLoad(fleet, async () => {
      for (const replica of replicas) await replica.pauseReplay();
      await sleep(20_000);
      const before = await requestsTo(primary, fleet);
      await sleep(20_000);
      served = (await requestsTo(primary, fleet)) - before;
      for (const replica of replicas) replica.thaw();
      await fleet.cluster.settled();
    });
    report('all replicas paused for 40 s', seen, { servedByPrimary: served });
    expect(failuresOf(seen)).toEqual([]);
    expect(served, 'requests to the primary in 20 s').toBeGreaterThan(800);
    expect(oldestAnswer(seen.samples)).toBeLessThan(15_000);
  });

  test(
    `an idle primary ejects nobody for ${idleMinutes} minutes`,
    { timeout: 600_000 + idleMinutes * 60_000 },
    async () => {
      const before = await ejections(fleet);
      const primary = await fleet.cluster.leader();
      let served = 0;
      const idle = async () => {
        const from = await requestsTo(primary, fleet);
        await sleep(idleMinutes * 60_000);
        served = (await requestsTo(primary, fleet)) - from;
      };
      const seen = await underLoad(fleet, idle, { writing: false });
      report(`idle primary for ${idleMinutes} min`, seen, { servedByPrimary: served });
      expect(failuresOf(seen)).toEqual([]);
      expect((await ejections(fleet)) - before, 'ejections').toBe(0);
      // Keys are read from the primary: each instance reads each of ours every ten seconds.
      const keyReads = 2 * 6 * fleet.keys.length * idleMinutes;
      expect(served, 'reads that left the replicas').toBeLessThan(2 * keyReads);
    },
  );

  test('100 recovery conflicts fail no read', async () => {
    const { cluster } = fleet;
    const replicas = await cluster.replicas();
    const conflicts = async (): Promise<number> => {
      const counts = await Promise.all(replicas.map(countConflicts));
      return counts.reduce((sum, count) => sum + count);
    };
    for (const replica of replicas) await set(replica, 'max_standby_streaming_delay', '0');
    const before = await conflicts();
    let seenConflicts = 0;
    const seen = await underLoad(fleet, async () => {
      const url = cluster.ownerUrl(await cluster.leader());
      // Replaying an exclusive lock cancels the queries that read the table.
      await withClient(url, (client) =>
        until(
          '100 conflicts',
          120_000,
          async () => {
            await client.query('begin; lock table customers in access exclusive mode; commit');
            seenConflicts = (await conflicts()) - before;
            return seenConflicts >= 100;
          },
          20,
        ),
      );
    });
    for (const replica of replicas) await set(replica, 'max_standby_streaming_delay', '30s');
    report('recovery conflicts', seen, { conflicts: seenConflicts });
    expect(failuresOf(seen)).toEqual([]);
  });

  test('while replicas fall behind, a signed-out session is refused at once and a revoked key within 15 seconds', async () => {
    const { cluster } = fleet;
    const replicas = await cluster.replicas();
    const ownerUrl = cluster.ownerUrl(await cluster.leader());
    const key = await createAccessKey(ownerUrl, 'to be revoked');
    await sleep(1_000);
    for (const replica of replicas) await replica.pauseReplay();
    const [one, other] = fleet.instances.map(({ url }) => url);

    const cookie = await signIn(one!, key);
    for (const url of [one!, other!]) expect(await sessionStatus(url, cookie)).toBe(200);
    const ended = await fetch(`${one}/session`, {
      method: 'DELETE',
      headers: browser(one!, cookie),
    });
    expect(ended.status).toBe(204);
    for (const url of [one!, other!]) expect(await sessionStatus(url, cookie)).toBe(401);

    const use = (url: string) => httpGet(`${url}/v3/customers?perPage=1`, key);
    for (const url of [one!, other!]) expect((await use(url)).status).toBe(200);
    await withClient(ownerUrl, (client) =>
      client.query(`update clientele.access_keys set revoked_at = now() where name = $1`, [
        'to be revoked',
      ]),
    );
    const revokedAt = performance.now();
    for (const url of [one!, other!]) {
      await until(
        'the revoked key is refused',
        30_000,
        async () => (await use(url)).status === 401,
      );
    }
    const refusedAfterMs = performance.now() - revokedAt;
    for (const replica of replicas) replica.thaw();
    await cluster.settled();
    expect(refusedAfterMs).toBeLessThan(15_000);
  });
});

async function set(node: PatroniNode, name: string, value: string): Promise<void> {
  await node.query(`alter system set ${name} = '${value}'`);
  await node.query('select pg_reload_conf()');
}

async function countConflicts(node: PatroniNode): Promise<number> {
  const [row] = await node.query<{ conflicts: number }>(
    `select conflicts::int from pg_stat_database where datname = 'clientele'`,
  );
  return row!.conflicts;
}

/** How often the instances have taken a node out of service. */
const ejections = (fleet: Fleet): Promise<number> =>
  sumMetric('clientele_node_ejections_total', fleet);

/** The headers of a request from the console's own page. */
const browser = (url: string, cookie?: string): Record<string, string> => ({
  origin: url,
  'sec-fetch-site': 'same-origin',
  ...(cookie === undefined ? {} : { cookie }),
});

async function signIn(url: string, key: string): Promise<string> {
  const response = await fetch(`${url}/session`, {
    method: 'POST',
    headers: { ...browser(url), 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  });
  expect(response.status).toBe(200);
  return response.headers.getSetCookie()[0]!.split(';')[0]!;
}

async function sessionStatus(url: string, cookie: string): Promise<number> {
  const response = await fetch(`${url}/session`, { headers: browser(url, cookie) });
  await response.body?.cancel();
  return response.status;
}
