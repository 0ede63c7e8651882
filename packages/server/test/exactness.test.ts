/**
 * The promise of the whole product: total and rows are those of one snapshot, to the row, whatever is
 * written meanwhile. `EXACTNESS_CHECKS=20000 pnpm vitest run exactness` for the long run.
 */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CustomerList } from '../src/customers/list.ts';
import { openDatabase, type Database } from '../src/db/database.ts';
import { Dice } from './setup/dice.ts';
import { checkExactness, readTruth, uuidsOf, type CheckResult } from './setup/exactness.ts';
import { insertRestless, restlessSearches, RestlessWriters } from './setup/restless-writers.ts';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';

const checks = Number(process.env['EXACTNESS_CHECKS'] ?? 3_000);
const seed = Number(process.env['EXACTNESS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const customers = 600;
const mapBytes = 10_000_000;

let database: TestDatabase;
/** Three servers; the last forgets most of what it counts, for want of memory. */
let servers: Database[];
let lists: CustomerList[];

beforeAll(async () => {
  database = await createTestDatabase();
  await database.query('alter table customers set (autovacuum_enabled = false)');
  await insertRestless(await database.connect(), new Dice(seed), customers);
  await database.query('analyze customers');
  const connections = { lookups: 1, lists: 12, searches: 6, scans: 6 };
  servers = [0, 1, 2].map(() => openDatabase({ url: database.url, connections }));
  lists = servers.map((server, i) => new CustomerList(server, i === 2 ? 40_000 : mapBytes));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await database[Symbol.asyncDispose]();
});

test(
  `${checks} pages and totals under writers of every kind are those of their snapshot (seed ${seed})`,
  { timeout: 60_000 + checks * 30 },
  async () => {
    const writers = new RestlessWriters({
      ...{ connect: () => database.connect(), seed, writers: 4, customers },
    });
    const result: CheckResult = { checked: 0, counted: 0, refused: 0 };
    // The planner believes in few customers, then in many: maps of both forms.
    for (const believed of [customers, 1_234_567]) {
      await database.query(
        `update pg_class set reltuples = ${believed} where oid = 'public.customers'::regclass`,
      );
      await writers.start();
      const options = { databases: servers, lists, checks: checks / 2, seed, readers: 2, mapBytes };
      const half = await checkExactness(options, writers);
      for (const what of Object.keys(result) as (keyof CheckResult)[]) result[what] += half[what];
      await database.query('truncate customers');
      expect(await differencesAtRest()).toEqual([]);
      await insertRestless(await database.connect(), new Dice(seed), customers);
      expect(await differencesAtRest()).toEqual([]);
    }
    process.stdout.write(`${JSON.stringify({ seed, ...result, ...writers.done })}\n`);
    expect(result.checked).toBeGreaterThanOrEqual(checks);
    expect(Object.keys(writers.done), 'everything was tried').toEqual(
      expect.arrayContaining(
        'grow text instant uuid orders upsert merge commit rollback savepoint long trim'
          .split(' ')
          .concat('too much', 'commit prepared', 'rollback prepared'),
      ),
    );
  },
);

test('a log cut short while a transaction is open leaves the list answering', async () => {
  const [open, writer] = [await database.connect(), await database.connect()];
  await open.query('begin');
  await insertRestless(open, new Dice(1), 1);
  for (let i = 0; i < 3; i += 1) {
    await insertRestless(writer, new Dice(i), 5);
    expect(await differencesAtRest()).toEqual([]);
    await writer.query('select clientele.trim_changes(1)');
  }
  await open.query('commit');
  expect(await differencesAtRest()).toEqual([]);
});

test('a log that is to keep nothing is emptied, and answers stay exact', async () => {
  const writer = await database.connect();
  await insertRestless(writer, new Dice(1), 5);
  expect(await differencesAtRest()).toEqual([]);
  // What began after the oldest transaction that still runs stays, and in this cluster others test too.
  await vi.waitFor(async () => {
    await writer.query('select clientele.trim_changes(0)');
    const { rows } = await writer.query('select from clientele.changes');
    expect(rows).toHaveLength(0);
  }, 10_000);
  expect(await differencesAtRest()).toEqual([]);
});

test('what an open transaction makes us remember is counted as memory', async () => {
  const list = lists[0]!;
  const [open, writer] = [await database.connect(), await database.connect()];
  const read = () => list.page({ search: '', page: 1, perPage: 1 }, new AbortController().signal);
  await open.query('begin');
  await insertRestless(open, new Dice(1), 1);
  await read();
  const before = list.held.bytes;
  await insertRestless(writer, new Dice(2), 1_000);
  await read();
  expect(list.held.bytes - before).toBeGreaterThan(1_000 * 16);
  await open.query('rollback');
});

/** What the service itself answers, of a table that keeps still. */
async function differencesAtRest(): Promise<unknown[]> {
  const differences: unknown[] = [];
  for (const list of lists) {
    for (const search of restlessSearches) {
      for (const page of [1, 9]) {
        const query = { search, page, perPage: 25 };
        const body = await list.page(query, new AbortController().signal);
        const { data, pagination } = JSON.parse(body.toString()) as {
          data: unknown[];
          pagination: { total: number };
        };
        const got = {
          total: pagination.total,
          uuids: uuidsOf(JSON.stringify(data).slice(1, -1)),
        };
        const truth = await servers[0]!.lists.snapshot((run) => readTruth(run, query));
        if (!isDeepStrictEqual(got, truth)) differences.push({ seed, query, got, truth });
      }
    }
  }
  return differences;
}
