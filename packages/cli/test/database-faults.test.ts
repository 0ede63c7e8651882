/** The database fails and recovers under load: the service responds with 503 and recovers by itself. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate, readMigrations, timeouts } from '@clientele/directory';
import {
  findPostgres,
  startPrivatePostgres,
  withClient,
  type PrivatePostgres,
} from '@clientele/sandbox';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { promised } from '@clientele/sandbox/testing/machine';
import { customers, reads } from './setup/customers.ts';
import { makeKey, startService, type Service } from './setup/executable.ts';
import { httpGet, startLoad, failures, tally } from './setup/load.ts';

let folder: string;
let cluster: PrivatePostgres;
let service: Service;
let key: string;

async function startCluster(port?: number): Promise<PrivatePostgres> {
  const [postgres] = await findPostgres();
  return startPrivatePostgres({ postgres: postgres!, dataDir: join(folder, 'data'), port });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clientele-faults-'));
  await chmod(folder, 0o755); // PostgreSQL may run as another user.
  cluster = await startCluster();
  await withClient(cluster.url, async (client) => {
    await migrate(client, await readMigrations());
    await client.query(
      `insert into customers (uuid, full_name, email_address, created_at)
       select uuid, full_name, email_address, created_at
       from jsonb_populate_recordset(null::customers, $1)`,
      [JSON.stringify(customers)],
    );
  });
  key = await makeKey(cluster.url);
  service = await startService({ DATABASE_URL: cluster.url });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await cluster.stop('immediate');
  await rm(folder, { recursive: true });
});

const startClients = (pace = { clients: 5, pauseMs: 50 }) =>
  startLoad({ targets: [service.url], paths: reads, key, ...pace });
const health = async (path: '/livez' | '/readyz') => (await httpGet(service.url + path)).status;

test.each(['fast', 'immediate'] as const)(
  'while the database is stopped (%s) requests get 503; within 5 seconds of its restart they get 200',
  async (mode) => {
    await using clients = startClients();
    await clients.next(({ status }) => status === 200);

    await cluster.stop(mode);
    const stoppedAt = performance.now();
    await clients.next(({ sentAt }) => sentAt > stoppedAt + 1_500);
    expect([await health('/livez'), await health('/readyz')]).toEqual([200, 503]);

    const { port } = cluster;
    const startingAt = performance.now();
    cluster = await startCluster(port);
    const startedAt = performance.now();
    await clients.next(({ status }) => status === 200);
    await clients.next(({ sentAt }) => sentAt > startedAt + 1_500);
    expect([await health('/livez'), await health('/readyz')]).toEqual([200, 200]);
    await clients.stop();

    const { 200: good, '503 database-unavailable': refused, ...others } = tally(clients.responses);
    expect(others, 'responses that are neither 200 nor 503 database-unavailable').toEqual({});
    expect([good, refused], 'responses of both kinds').toEqual([
      expect.any(Number),
      expect.any(Number),
    ]);
    const refusals = clients.responses.filter(({ status }) => status === 503);
    for (const { headers } of refusals) expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(refusals.at(-1)!.sentAt - startedAt).toBeLessThan(promised(5_000));
    // While it stops and starts, PostgreSQL may accept a connection and take its time to reject it.
    const times = refusals
      .filter(({ sentAt, ms }) => sentAt > stoppedAt && sentAt + ms < startingAt)
      .map(({ ms }) => ms)
      .toSorted((a, b) => a - b);
    expect(times.length, 'refusals while the database is down').toBeGreaterThan(50);
    expect(times[Math.floor(times.length * 0.95)], '95th percentile').toBeLessThan(promised(300));
    const slowest = Math.max(...refusals.map(({ ms }) => ms));
    expect(slowest, 'the slowest refusal').toBeLessThan(promised(2 * timeouts.connect + 1_000));
  },
);

async function countBackends(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query(
    `select from pg_stat_activity where application_name like 'clientele %'`,
  );
  return rowCount!;
}

/** Kills up to `limit` random backends of the service and returns how many it killed. */
async function killBackends(limit: number, client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where application_name like 'clientele %' order by random() limit $1`,
    [limit],
  );
  const pids = rows.map(({ pid }) => pid);
  await client.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [pids]);
  return pids.length;
}

test('no request fails while five backends a second are killed for ten seconds', async () => {
  await using clients = startClients({ clients: 8, pauseMs: 10 });
  let killed = 0;
  await withClient(cluster.url, async (client) => {
    for (let turn = 0; turn < 50; turn += 1) {
      killed += await killBackends(1, client);
      await sleep(200);
    }
  });
  await clients.stop();
  expect(killed).toBeGreaterThan(40);
  expect(failures(clients.responses)).toEqual({});
});

test('no request fails when all backends are killed at once', async () => {
  await using clients = startClients({ clients: 8, pauseMs: 10 });
  await clients.next(({ status }) => status === 200);
  await withClient(cluster.url, async (client) => {
    // Connections killed by the previous test are reopened on demand.
    await vi.waitFor(async () => expect(await countBackends(client)).toBeGreaterThan(2), 300_000);
    await killBackends(1_000, client);
  });
  const killedAt = performance.now();
  await clients.next(({ sentAt }) => sentAt > killedAt + 500);
  await clients.stop();
  expect(failures(clients.responses)).toEqual({});
});

test('a database that accepts connections but does not respond gives 503 within 3 seconds', async () => {
  await withClient(cluster.url, async (client) => {
    process.kill(cluster.pid, 'SIGSTOP'); // Running backends continue, but it starts no new ones.
    try {
      await killBackends(1_000, client);
      const response = await httpGet(`${service.url}/v3/customers`, key);
      expect(response).toMatchObject({ status: 503, body: { code: 'database-unavailable' } });
      expect(response.ms).toBeLessThan(promised(3_000));
    } finally {
      process.kill(cluster.pid, 'SIGCONT');
    }
  });
  await vi.waitFor(async () => {
    expect((await httpGet(`${service.url}/v3/customers`, key)).status).toBe(200);
  }, 300_000);
});

test('the process survived all of this', () => {
  expect(() => process.kill(service.pid, 0)).not.toThrow();
});
