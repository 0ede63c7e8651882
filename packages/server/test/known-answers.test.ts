import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CustomerList } from '../src/customers/list.ts';
import { MapKeeper } from '../src/customers/maps/map-keeper.ts';
import { everyone } from '../src/customers/search.ts';
import { wireColumns } from '../src/customers/to-wire.ts';
import { openDatabase, type Database } from '../src/db/database.ts';
import { QueryAbortedError, QueryTimeoutError } from '../src/db/errors.ts';
import { Dice } from './setup/dice.ts';
import { insertRestless } from './setup/restless-writers.ts';
import { createTestDatabase, type TestDatabase } from './setup/test-database.ts';

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
  await vi.waitFor(async () => {
    expect((await read()) === (await read()), 'the very same bytes').toBe(true);
  }, 10_000);
});

test('a count that outlasts a request goes on for who asks again, and ends with who hangs up', async () => {
  const keeper = new MapKeeper(server, 1_000_000);
  await keeper.bounds();
  const lock = await database.connect();
  const scanning = async (): Promise<number> =>
    (
      await database.query(
        `select from pg_stat_activity where application_name = 'clientele scans' and state = 'active'`,
      )
    ).length;
  for (const [why, remembered] of [
    [undefined, 0],
    [new QueryTimeoutError(), 1],
  ] as const) {
    await lock.query('begin; lock table customers');
    const leave = new AbortController();
    const asked = keeper.recall(everyone, leave.signal);
    await vi.waitFor(async () => expect(await scanning()).toBe(1));
    leave.abort(why);
    await expect(asked).rejects.toBeInstanceOf(QueryAbortedError);
    if (remembered === 0) await vi.waitFor(async () => expect(await scanning()).toBe(0));
    await lock.query('rollback');
    await vi.waitFor(() => expect(keeper.held.searches, String(why)).toBe(remembered));
  }
});
