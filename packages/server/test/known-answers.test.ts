import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CustomerList } from '../src/customers/list.ts';
import { MapCache } from '../src/customers/maps/map-cache.ts';
import { PageMaps } from '../src/customers/maps/page-maps.ts';
import { everyone } from '../src/customers/search.ts';
import { wireColumns } from '../src/customers/to-wire.ts';
import { openDatabase, type Database } from '../src/db/database.ts';
import type { RunStatement } from '../src/db/lane.ts';
import { QueryAbortedError, QueryTimeoutError } from '../src/db/errors.ts';
import { Dice } from './setup/dice.ts';
import { insertRestless } from './setup/restless-writers.ts';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';

let database: TestDatabase;
let server: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  await insertRestless(await database.connect(), new Dice(1), 60);
  await database.query('analyze customers');
  server = openDatabase({
    url: database.url,
    connections: { lookups: 1, lists: 2, searches: 2, scans: 1 },
  });
});
afterAll(async () => {
  await server.close();
  await database[Symbol.asyncDispose]();
});

const patiently = { timeout: 10_000 };
const never = (): AbortSignal => new AbortController().signal;

/** What anybody may do to customers between two questions, seen by search or not. */
const steps: Record<string, string> = {
  nothing: 'select',
  orders: 'update customers set total_orders = total_orders + 1',
  'orders, rolled back': 'begin; update customers set total_orders = total_orders + 1; rollback',
  verified: 'update customers set is_verified = not is_verified',
  'last order': 'update customers set last_order_at = now()',
  name: `update customers set full_name = full_name || 'x' where uuid = (select min(uuid::text)::uuid from customers)`,
  newcomer: `insert into customers (full_name, email_address) values ('New', 'new@mail.example')`,
  departure: 'delete from customers where uuid = (select max(uuid::text)::uuid from customers)',
  'something else': 'create table if not exists elsewhere ()',
};

test('an answer is given again only while the database says the same, whatever was changed', async () => {
  const list = new CustomerList(server, 1_000_000);
  const read = () => list.page({ search: '', page: 1, perPage: 25 }, never());
  const dice = new Dice(7);
  const names = Object.keys(steps);
  const writer = await database.connect();
  for (let i = 0; i < 150; i += 1) {
    const name = names[dice.below(names.length)]!;
    await writer.query(steps[name]!);
    const body = await read();
    const [truth] = await database.query<{ data: unknown; total: number }>(`
      select (select json_agg(w) from (select ${wireColumns} from customers as c
        order by c.created_at desc, c.uuid desc limit 25) as w) as data,
        (select count(*)::int from customers) as total`);
    expect(JSON.parse(body.toString()), `after ${name}`).toEqual({
      data: truth!.data,
      pagination: { page: 1, per_page: 25, total: truth!.total },
    });
  }
  // Others commit in this cluster too, so not every pair of answers is of one snapshot.
  const maps = new PageMaps(server, 1_000_000);
  const find = () => maps.findPage(everyone, { offset: 0, limit: 25 }, never());
  await vi.waitFor(async () => {
    expect((await find()) === (await find()), 'the very same page').toBe(true);
  }, patiently);
});

test('a page is asked for once where what was written meanwhile does not move it, else twice', async () => {
  const list = new CustomerList(server, 1_000_000);
  const ask = (page: number) =>
    server.lists.snapshot(async (run) => {
      let asked = 0;
      const counted: RunStatement = (statement, values) => {
        asked += 1;
        return run(statement, values);
      };
      const query = { search: '', page, perPage: 2 };
      const found = await list.pageWithin(counted, query, never());
      return { asked, total: found!.total };
    });
  const { total } = await ask(1);
  const last = Math.floor(total / 2);
  const come = `insert into customers (full_name, email_address, created_at)
    values ('Z', 'z@mail.example', $1)`;
  await database.query(come, ['2999-01-01']);
  expect(await ask(1), 'the newest is on page 1').toEqual({ asked: 1, total: total + 1 });
  await database.query(come, ['2999-01-02']);
  expect(await ask(last), 'the last page has moved').toEqual({ asked: 2, total: total + 2 });
  await database.query(come, ['0001-01-01T00:00:00Z']);
  expect(await ask(last), 'it is older than all on it').toEqual({ asked: 1, total: total + 3 });
  await database.query(`delete from customers where full_name = 'Z'`);
});

test('a count that outlasts a request goes on for who asks again, and ends with who hangs up', async () => {
  const keeper = new MapCache(server, 1_000_000);
  await keeper.bounds();
  const lock = await database.connect();
  const scanning = async (): Promise<number> =>
    (
      await database.query(
        `select from pg_stat_activity where datname = current_database()
           and application_name = 'clientele scans' and state = 'active'`,
      )
    ).length;
  for (const [why, remembered] of [
    [undefined, 0],
    [new QueryTimeoutError(), 1],
  ] as const) {
    await lock.query('begin; lock table customers');
    const leave = new AbortController();
    const asked = keeper.get(everyone, leave.signal);
    await vi.waitFor(async () => expect(await scanning()).toBe(1), patiently);
    leave.abort(why);
    await expect(asked).rejects.toBeInstanceOf(QueryAbortedError);
    if (remembered === 0) await vi.waitFor(async () => expect(await scanning()).toBe(0), patiently);
    await lock.query('rollback');
    await vi.waitFor(() => expect(keeper.held.searches, String(why)).toBe(remembered), patiently);
  }
});
