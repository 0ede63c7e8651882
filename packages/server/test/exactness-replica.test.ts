/**
 * The promise of exactness.test.ts on a streaming replica that falls behind and catches up.
 * `EXACTNESS_CHECKS=20000 pnpm vitest run exactness` runs longer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  caughtUp,
  insertRandomCustomers,
  patient,
  Random,
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from '@clientele/sandbox/testing';
import { CustomerList } from '../src/customers/list.ts';
import { addOrder, openDatabase, orders } from '@clientele/directory';
import { checkExactness } from './setup/exactness.ts';
import { checkRowsFirst } from './setup/rows-first-exactness.ts';
import { RandomWriters } from './setup/random-writers.ts';
import { postgresUnderTest } from './setup/served-list.ts';

const checks = Number(process.env['EXACTNESS_CHECKS'] ?? 250);
const streamed = Number(process.env['EXACTNESS_CHECKS'] ?? 50);
const seed = Number(process.env['EXACTNESS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const customers = 600;
const mapBytes = 10_000_000;
const connections = { lookups: 1, lists: 12, searches: 6, scans: 6 };

let cluster: ReplicatedPostgres;

beforeAll(async () => {
  cluster = await startReplicatedPostgres(await postgresUnderTest(), {
    replica: { max_standby_streaming_delay: '20ms' },
  });
  const owner = await connect();
  await insertRandomCustomers(owner, new Random(seed), customers);
  await owner.query('vacuum analyze customers');
  for (const order of orders) await addOrder(owner, order);
  await caughtUp(cluster.replicaUrl, cluster.primaryUrl);
  await owner.end();
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

test(
  `${checks} pages and totals on a streaming replica match their snapshot (seed ${seed})`,
  { timeout: 300_000 + checks * 200 },
  async () => {
    const servers = [0, 1].map(() =>
      openDatabase({ url: cluster.replicaUrl, connections, timeouts: patient }),
    );
    onTestFinished(async () => {
      for (const server of servers) await server.close();
    });
    const lists = servers.map((server) => new CustomerList(server, mapBytes));
    const options = { databases: servers, lists, checks, seed, readers: 2, mapBytes };
    const writers = new RandomWriters({ connect, seed, writers: 4, customers });
    // Vacuuming rows on the primary cancels queries on the replica that still need them.
    const stopVacuum = new AbortController();
    onTestFinished(() => stopVacuum.abort());
    const vacuuming = vacuum(await connect(), stopVacuum.signal);
    await writers.start();
    const result = await checkExactness(options, writers);
    stopVacuum.abort();
    await vacuuming;
    process.stdout.write(`${JSON.stringify({ seed, ...result, ...writers.done })}\n`);
    expect(result.checked).toBeGreaterThanOrEqual(checks);
    expect(result.timelines, 'timelines were compared').toBeGreaterThan(checks / 25);
    expect(result.sorted).toBeGreaterThan(checks / 10);
  },
);

test(
  `${streamed} times, rows on a replica and the total that is counted after them are of one snapshot (seed ${seed})`,
  { timeout: 300_000 + streamed * 300 },
  async () => {
    const lanes = openDatabase({ url: cluster.replicaUrl, connections, timeouts: patient });
    onTestFinished(() => lanes.close());
    const view = 'full' as const;
    const lists = [{ lanes, view, list: () => new CustomerList(lanes, mapBytes) }];
    const writers = new RandomWriters({ connect, seed: seed + 1, writers: 4, customers });
    await writers.start();
    try {
      const result = await checkRowsFirst({ lists, checks: streamed, seed });
      process.stdout.write(`${JSON.stringify({ seed, ...result })}\n`);
      expect(result.differences).toEqual([]);
      expect(result.moved).toBeGreaterThan(streamed / 20);
    } finally {
      await writers.stop();
    }
  },
);

/** A connection to the primary. */
async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: cluster.primaryUrl });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function vacuum(client: pg.Client, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await client.query('vacuum public.customers, clientele.changes');
    await sleep(100);
  }
  await client.end();
}
