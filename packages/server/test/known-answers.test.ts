import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { CustomerList } from '../src/customers/list.ts';
import { MapCache } from '../src/maps/map-cache.ts';
import { PageMaps } from '../src/maps/page-maps.ts';
import {
  type Database,
  everyone,
  openDatabase,
  QueryAbortedError,
  QueryTimeoutError,
  type RunStatement,
  wireColumns,
} from '@clientele/directory';
import {
  createTestDatabase,
  insertRandomCustomers,
  patient,
  Random,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { pageWithin } from './setup/within.ts';

let database: TestDatabase;
let server: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  await insertRandomCustomers(await database.connect(), new Random(1), 60);
  await database.query('analyze customers');
  server = openDatabase({
    url: database.url,
    connections: { lookups: 1, lists: 2, searches: 2, scans: 1 },
    timeouts: patient,
  });
});
afterAll(async () => {
  await server.close();
  await database[Symbol.asyncDispose]();
});

const patiently = { timeout: 300_000 };
const never = (): AbortSignal => new AbortController().signal;

/** What may be written between two requests, whether it affects search or not. */
const steps: Record<string, string> = {
  nothing: 'select',
  orders: 'update customers set total_orders = total_orders + 1',
  'orders, rolled back': 'begin; update customers set total_orders = total_orders + 1; rollback',
  verified: 'update customers set is_verified = not is_verified',
  'last order': 'update customers set last_order_at = now()',
  name: `update customers set full_name = full_name || 'x' where uuid = (select min(uuid::text)::uuid from customers)`,
  'new customer': `insert into customers (full_name, email_address) values ('New', 'new@mail.example')`,
  'deleted customer':
    'delete from customers where uuid = (select max(uuid::text)::uuid from customers)',
  'unrelated table': 'create table if not exists elsewhere ()',
};

test('a cached page is served only while the database is unchanged', async () => {
  const list = new CustomerList(server, 1_000_000);
  const read = () => list.page({ search: '', page: 1, perPage: 25 }, never());
  const random = new Random(7);
  const names = Object.keys(steps);
  const writer = await database.connect();
  for (let i = 0; i < 150; i += 1) {
    const name = names[random.below(names.length)]!;
    await writer.query(steps[name]!);
    const { body } = await read();
    const [truth] = await database.query<{ data: unknown; total: number }>(`
      select (select json_agg(w) from (select ${wireColumns.full} from customers as c
        order by c.created_at desc, c.uuid desc limit 25) as w) as data,
        (select count(*)::int from customers) as total`);
    expect(JSON.parse(body.toString()), `after ${name}`).toEqual({
      data: truth!.data,
      pagination: { page: 1, per_page: 25, total: truth!.total },
    });
  }
  // Other tests commit in this cluster too, so two reads may have different snapshots.
  const maps = new PageMaps(server, 1_000_000);
  const find = () => maps.findPage(everyone.full, { offset: 0, limit: 25 }, never());
  await vi.waitFor(async () => {
    const [first, second] = [await find(), await find()];
    expect(second.body.equals(first.body), 'the same page').toBe(true);
    expect(second.source).toBe('cached_page');
  }, patiently);
});

test('requests for pages that were read lately share one check that nothing was committed', async () => {
  const maps = new PageMaps(server, 1_000_000);
  const pages = Array.from({ length: 8 }, (_, i) => ({ offset: 2 * i, limit: 2 }));
  const readAll = () =>
    Promise.all(pages.map((page) => maps.findPage(everyone.full, page, never())));
  const queries = vi.spyOn(server.lists, 'query');
  onTestFinished(() => queries.mockRestore());
  // Other tests commit in this cluster too.
  await vi.waitFor(async () => {
    await readAll();
    queries.mockClear();
    await readAll();
    expect(queries.mock.calls.map(([{ name }]) => name)).toEqual(['snapshot-name']);
  }, patiently);
});

test('a page takes one query, also while others write; a second one if writes begin or move it', async () => {
  const list = new CustomerList(server, 1_000_000);
  // Count before the snapshot: other tests commit to this cluster, and a snapshot cannot use a count of what came later.
  await list.page({ search: '', page: 1, perPage: 2 }, never());
  const read = (page: number) =>
    server.lists.snapshot(async (run) => {
      let queries = 0;
      const counted: RunStatement = (statement, values) => {
        queries += 1;
        return run(statement, values);
      };
      const query = { search: '', page, perPage: 2 };
      const found = await pageWithin(list, counted, query, never());
      return { queries, total: found!.total };
    });
  const { total } = await read(1);
  const last = Math.floor(total / 2);
  const insert = `insert into customers (full_name, email_address, created_at)
    values ('Z', 'z@mail.example', $1)`;
  expect(await read(1), 'nothing was written').toEqual({ queries: 1, total });
  await database.query(insert, ['2999-01-01']);
  expect(await read(1), 'writes have begun').toEqual({ queries: 2, total: total + 1 });
  await database.query(insert, ['2999-01-02']);
  expect(await read(1), 'writes continue').toEqual({ queries: 1, total: total + 2 });
  await database.query(insert, ['2999-01-03']);
  expect(await read(last), 'the last page has moved').toEqual({ queries: 2, total: total + 3 });
  await database.query(`delete from customers where full_name = 'Z'`);
});

test('a count continues after its request times out, and is cancelled when the client disconnects', async () => {
  const cache = new MapCache(server, 1_000_000);
  await cache.bounds();
  const lock = await database.connect();
  const scanning = async (): Promise<number> =>
    (
      await database.query(
        `select from pg_stat_activity where datname = current_database()
           and application_name = 'clientele scans' and state = 'active'`,
      )
    ).length;
  for (const [reason, cached] of [
    [undefined, 0],
    [new QueryTimeoutError(), 1],
  ] as const) {
    await lock.query('begin; lock table customers');
    const leave = new AbortController();
    const found = cache.get(everyone.full, leave.signal);
    const begun = vi.waitFor(async () => expect(await scanning()).toBe(1), patiently);
    // A count that fails instead says why.
    await Promise.race([found, begun]);
    leave.abort(reason);
    await expect(found).rejects.toBeInstanceOf(QueryAbortedError);
    if (cached === 0) await vi.waitFor(async () => expect(await scanning()).toBe(0), patiently);
    await lock.query('rollback');
    await vi.waitFor(() => expect(cache.held.searches, String(reason)).toBe(cached), patiently);
  }
});
