/**
 * The first count of a broad search is spread over the nodes: exact, and none of them reads the whole table.
 * `SPREAD_CUSTOMERS=1000000 pnpm vitest run spread-count` also prints how long it takes, compared with one node.
 */
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { CustomerList } from '../src/customers/list.ts';
import { SharedMaps } from '../src/customers/maps/shared-maps.ts';
import { openDatabase, type Database } from '../src/db/database.ts';
import { checkExactness } from './setup/exactness.ts';
import { startNodeSet, type NodeSet, type TestNode } from './setup/node-set.ts';
import { insertRandomCustomers } from './setup/random-customers.ts';
import { RandomWriters } from './setup/random-writers.ts';
import { Random } from './setup/random.ts';
import { postgresUnderTest } from './setup/served-list.ts';

/** The customers of the comparison, which needs a machine with nothing else to do. */
const compared = Number(process.env['SPREAD_CUSTOMERS'] ?? 0);
const checks = Number(process.env['EXACTNESS_CHECKS'] ?? 1_000) / 5;
const seed = Number(process.env['EXACTNESS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const connections = { lookups: 1, lists: 6, searches: 3, scans: 4 };
const mapBytes = 10_000_000;
/** Backends report what they read after a moment. */
const soon = { timeout: 300_000, interval: 200 };
const patiently = { timeout: 180_000 };

let set: NodeSet;
let databases: Database[];

beforeAll(async () => {
  set = await startNodeSet(await postgresUnderTest());
  databases = set.nodes.map(({ url }) => openDatabase({ url, connections }));
});
afterAll(async () => {
  for (const database of databases ?? []) await database.close();
  await set?.[Symbol.asyncDispose]();
});

/** Lists that count on all nodes and adopt nothing from each other. */
const makeLists = (bytes: number): CustomerList[] =>
  databases.map((database) => {
    const shared = new SharedMaps((of) => databases.filter((other) => other !== of));
    return new CustomerList(database, bytes, shared);
  });

async function allCaughtUp(): Promise<void> {
  const [primary, ...replicas] = set.nodes;
  const [written] = await primary!.query<{ lsn: string }>('select pg_current_wal_lsn() as lsn');
  for (const replica of replicas) {
    await vi.waitFor(async () => {
      const [now] = await replica.query<{ reached: boolean }>(
        'select pg_last_wal_replay_lsn() >= $1 as reached',
        [written!.lsn],
      );
      expect(now!.reached, 'the replica has caught up').toBe(true);
    }, soon);
  }
}

/** The blocks of customers that the node has read, from disk or memory. */
async function blocksRead(node: TestNode): Promise<number> {
  const [row] = await node.query<{ blocks: number }>(
    `select (heap_blks_read + heap_blks_hit)::int as blocks
     from pg_statio_user_tables where relname = 'customers'`,
  );
  return row!.blocks;
}

/** Called Anna, one a minute, without the trigram index: broad searches do not use it, and it is slow to build. */
async function insertAnnas(customers: number): Promise<void> {
  const [primary] = set.nodes;
  await primary!.query('truncate customers');
  await primary!.query('drop index if exists public.customers_search');
  await primary!.query(
    `insert into customers (uuid, full_name, email_address, created_at)
     select gen_random_uuid(), 'Anna ' || n, 'anna.' || n || '@mail.example',
       timestamptz '2020-01-01' + n * interval '1 minute'
     from generate_series(1, ${customers}) as n`,
  );
  await primary!.query('vacuum analyze customers');
  await allCaughtUp();
}

test(
  'each of three nodes reads about a third of the table, and the total is exact',
  patiently,
  async () => {
    const customers = 110_000;
    const [primary] = set.nodes;
    await insertAnnas(customers);
    const [table] = await primary!.query<{ pages: number }>(
      `select relpages as pages from pg_class where oid = 'public.customers'::regclass`,
    );
    const [, list] = makeLists(mapBytes);
    // The first count also reads a sample, which is all of a table of this size.
    await list!.page({ search: '', page: 1, perPage: 1 }, AbortSignal.timeout(60_000));
    await vi.waitFor(
      async () =>
        expect(await blocksRead(set.nodes[1]!), 'blocks reported').toBeGreaterThan(table!.pages),
      soon,
    );
    const before = await Promise.all(set.nodes.map(blocksRead));
    const query = { search: 'anna', page: 100, perPage: 10 };
    const body = await list!.page(query, AbortSignal.timeout(60_000));
    const { data, pagination } = JSON.parse(body.toString()) as {
      data: { full_name: string }[];
      pagination: { total: number };
    };
    expect(pagination.total).toBe(customers);
    expect(data.map(({ full_name }) => full_name)).toEqual(
      Array.from({ length: 10 }, (_, i) => `Anna ${customers - 990 - i}`),
    );
    await vi.waitFor(async () => {
      const after = await Promise.all(set.nodes.map(blocksRead));
      const shares = after.map((blocks, i) => (blocks - before[i]!) / table!.pages);
      for (const share of shares) {
        expect(share, `shares of the table: ${shares.join(', ')}`).toBeGreaterThan(0.25);
        expect(share, `shares of the table: ${shares.join(', ')}`).toBeLessThan(0.5);
      }
    }, soon);
  },
);

test(
  `${checks} pages and totals match their snapshot while parts are counted on three nodes (seed ${seed})`,
  { timeout: 300_000 + checks * 100 },
  async () => {
    const [primary] = set.nodes;
    const customers = 600;
    const owner = await primary!.connect();
    onTestFinished(() => owner.end());
    await owner.query('truncate customers');
    await owner.query('alter table customers set (autovacuum_enabled = false)');
    await insertRandomCustomers(owner, new Random(seed), customers);
    await owner.query('cluster customers using customers_by_place');
    await owner.query('analyze customers');
    // So many that every search seems broad enough to be worth spreading.
    await owner.query(
      `update pg_class set reltuples = 9876543 where oid = 'public.customers'::regclass`,
    );
    await allCaughtUp();
    const lane = vi.spyOn(databases[0]!.scans, 'snapshot');
    const writers = new RandomWriters({
      ...{ connect: () => primary!.connect(), seed, writers: 3, customers },
    });
    await writers.start();
    // Too little memory to keep most counts.
    const result = await checkExactness(
      { databases, lists: makeLists(40_000), checks, seed, readers: 2, mapBytes: 40_000 },
      writers,
    );
    process.stdout.write(`${JSON.stringify({ seed, ...result, parts: lane.mock.calls.length })}\n`);
    expect(result.checked).toBeGreaterThanOrEqual(checks);
    expect(lane.mock.calls.length, 'parts counted on the primary').toBeGreaterThan(10);
  },
);

test.skipIf(compared === 0)(
  `${compared} customers: the total of three nodes is that of one, and how long both take`,
  { timeout: 900_000 },
  async () => {
    await insertAnnas(compared);
    const [database] = databases;
    const signal = AbortSignal.timeout(900_000);
    const everyone = { search: '', page: 1, perPage: 1 };
    const anna = { search: 'anna', page: 1, perPage: 1 };
    /** The time of a first count, by a list that has chosen its blocks. */
    const time = async (helpers: Database[]): Promise<number> => {
      const list = new CustomerList(database!, mapBytes, new SharedMaps(() => helpers));
      await list.page(everyone, signal);
      const started = performance.now();
      const body = await list.page(anna, signal);
      const took = performance.now() - started;
      expect(body.toString()).toContain(`"total":${compared}`);
      return took;
    };
    const others = databases.slice(1);
    // The first ones find caches cold.
    await time(others);
    const ratios: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      const alone = await time([]);
      ratios.push((await time(others)) / alone);
    }
    process.stdout.write(`${JSON.stringify({ customers: compared, threeNodesToOne: ratios })}\n`);
  },
);
