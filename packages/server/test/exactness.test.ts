/**
 * The central promise: the total and the rows of a page come from one snapshot and are exact, whatever is
 * written at the same time. `EXACTNESS_CHECKS=20000 pnpm vitest run exactness` runs longer.
 */
import type { WireCustomerList } from '@clientele/contract';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { CustomerList } from '../src/customers/list.ts';
import {
  addOrder,
  type Database,
  openDatabase,
  orders,
  prepareMasking,
  type ReadLanes,
  type View,
} from '@clientele/directory';
import { checkExactness, readTruth, uuidsOf, type CheckResult } from './setup/exactness.ts';
import {
  createTestDatabase,
  insertRandomCustomers,
  patient,
  queriesAtRest,
  Random,
  sampleSearches,
  sortedAtRest,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { RandomOperators } from './setup/random-operators.ts';
import { RandomWriters } from './setup/random-writers.ts';
import { connectTo } from './setup/served-list.ts';

const checks = Number(process.env['EXACTNESS_CHECKS'] ?? 250);
const seed = Number(process.env['EXACTNESS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const customers = 600;
const mapBytes = 10_000_000;

let database: TestDatabase;
/** Three servers; the last one has too little memory to cache most of its counts. */
let servers: Database[];
/** The lists of all three, then masked ones of the first and the last. */
let lists: CustomerList[];
let lanes: ReadLanes[];
const views: View[] = ['full', 'full', 'full', 'masked', 'masked'];

beforeAll(async () => {
  database = await createTestDatabase();
  await database.query('alter table customers set (autovacuum_enabled = false)');
  await insertRandomCustomers(await database.connect(), new Random(seed), customers);
  await database.query('analyze customers');
  const connections = { lookups: 1, lists: 12, searches: 6, scans: 6 };
  servers = [0, 1, 2].map(() =>
    openDatabase({ url: database.url, connections, timeouts: patient }),
  );
  await prepareMasking(await database.connect());
  for (const order of orders) await addOrder(await database.connect(), order);
  lanes = [...servers, servers[0]!.masked, servers[2]!.masked];
  lists = lanes.map((each, i) => {
    const bytes = each === servers[2] || each === servers[2]!.masked ? 40_000 : mapBytes;
    return new CustomerList(each, bytes, { view: views[i]! });
  });
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await database[Symbol.asyncDispose]();
});

test(
  `${checks} pages and totals match their snapshot while all kinds of writers run (seed ${seed})`,
  { timeout: 600_000 + checks * 300 },
  async () => {
    const writers = new RandomWriters({
      ...{ connect: () => database.connect(), seed, writers: 4, customers },
    });
    const operators = new RandomOperators({
      connect: () => database.connect(),
      connectElsewhere: () => connectTo(inject('postgresUrl')),
      ...{ writers, seed, pauseMs: 200 },
    });
    const everybody = {
      stop: async () => {
        await operators.stop();
        await writers.stop();
      },
    };
    const result: CheckResult = {
      ...{ checked: 0, counted: 0, refused: 0, timelines: 0, estimates: 0, sorted: 0 },
    };
    // First the statistics give few customers, then many: this makes maps of both kinds.
    for (const estimate of [customers, 1_234_567]) {
      await database.query(
        `update pg_class set reltuples = ${estimate} where oid = 'public.customers'::regclass`,
      );
      await writers.start();
      await operators.start();
      const options = { databases: lanes, lists, views, seed, readers: 2, mapBytes };
      const half = await checkExactness({ ...options, checks: checks / 2 }, everybody);
      for (const what of Object.keys(result) as (keyof CheckResult)[]) result[what] += half[what];
      await database.query('truncate customers');
      expect(await differencesAtRest()).toEqual([]);
      await insertRandomCustomers(await database.connect(), new Random(seed), customers);
      expect(await differencesAtRest()).toEqual([]);
    }
    process.stdout.write(
      `${JSON.stringify({ seed, ...result, ...writers.done, ...operators.done })}\n`,
    );
    expect(result.checked).toBeGreaterThanOrEqual(checks);
    expect(result.timelines, 'timelines were compared').toBeGreaterThan(checks / 25);
    expect(result.estimates, 'timelines were estimated').toBeGreaterThan(checks / 50);
    expect(result.sorted).toBeGreaterThan(checks / 10);
    // A short run does not get to every kind.
    if (checks < 2_000) return;
    expect(Object.keys(writers.done), 'every kind of write was tried').toEqual(
      expect.arrayContaining(
        'grow text instant uuid orders verify upsert merge commit rollback savepoint long trim'
          .split(' ')
          .concat('no orders', 'move words')
          .concat('over the limit', 'commit prepared', 'rollback prepared')
          .concat('erase', 'clear erasures', 'clear old text'),
      ),
    );
    expect(Object.keys(operators.done), 'operators were at work').toEqual(
      expect.arrayContaining(RandomOperators.kinds),
    );
  },
);

test('the list stays exact when the change log is trimmed while a transaction is open', async () => {
  const [open, writer] = [await database.connect(), await database.connect()];
  await open.query('begin');
  await insertRandomCustomers(open, new Random(1), 1);
  for (let i = 0; i < 3; i += 1) {
    await insertRandomCustomers(writer, new Random(i), 5);
    expect(await differencesAtRest()).toEqual([]);
    await writer.query('select clientele.trim_changes(1)');
  }
  await open.query('commit');
  expect(await differencesAtRest()).toEqual([]);
});

test('the change log can be trimmed to nothing, and the list stays exact', async () => {
  const writer = await database.connect();
  await insertRandomCustomers(writer, new Random(1), 5);
  expect(await differencesAtRest()).toEqual([]);
  // Entries newer than the oldest open transaction are kept, and other tests share this cluster.
  await vi.waitFor(async () => {
    await writer.query('select clientele.trim_changes(0)');
    const { rows } = await writer.query('select from clientele.changes');
    expect(rows).toHaveLength(0);
  }, 300_000);
  expect(await differencesAtRest()).toEqual([]);
});

test('changes since a transaction was opened neither fill the cache nor are read again', async () => {
  const list = lists[0]!;
  const [open, writer] = [await database.connect(), await database.connect()];
  const read = () => list.page({ search: '', page: 1, perPage: 1 }, new AbortController().signal);
  await open.query('begin');
  await insertRandomCustomers(open, new Random(1), 1);
  await read();
  const before = list.maps.held.bytes;
  await insertRandomCustomers(writer, new Random(2), 1_000);
  await read();
  expect(list.maps.held.bytes - before).toBeLessThan(1_000);
  const queries = vi.spyOn(servers[0]!.lists, 'query');
  await insertRandomCustomers(writer, new Random(3), 1);
  await read();
  const rows = (await Promise.all(queries.mock.results.map(({ value }) => value))).flat();
  const entries = rows.map((row) => (row as { entries?: number }).entries ?? 0);
  expect(Math.max(...entries), 'little more than what is new is read').toBeLessThan(100);
  await open.query('rollback');
});

/** Compares the pages of the list with the table while nothing is written. */
async function differencesAtRest(): Promise<unknown[]> {
  const differences: unknown[] = [];
  for (const [which, list] of lists.entries()) {
    for (const search of sampleSearches) {
      for (const query of [...queriesAtRest(search), ...sortedAtRest(search)]) {
        const { body } = await list.page(query, new AbortController().signal);
        const { pagination } = JSON.parse(body.toString()) as WireCustomerList;
        const got = { total: pagination.total, uuids: uuidsOf(body) };
        const truth = await lanes[which]!.lists.snapshot((run) =>
          readTruth(run, query, views[which]),
        );
        if (!isDeepStrictEqual(got, truth)) {
          differences.push({ seed, view: views[which], query, got, truth });
        }
      }
    }
  }
  return differences;
}
