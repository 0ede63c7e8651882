/** `clientele prepare sort`: what lists can be sorted by is switched on and off, also if that is interrupted. */
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';
import { expect, test, vi } from 'vitest';
import { clientele, startClientele } from './setup/executable.ts';

const customers = 5_000;

async function withCustomers(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await database.query(
    `insert into customers (full_name, email_address, total_orders)
     select 'Customer ' || i, i || '@directory.example', i % 7 from generate_series(1, $1::int) as i`,
    [customers],
  );
  return database;
}

/** Customers whose place in an order is missing or wrong. */
const misplaced = (database: TestDatabase) =>
  database.query(
    `select c.uuid, s.uuid from customers as c full join clientele.sorted_customers as s using (uuid)
     where s.by_total_orders is distinct from clientele.sort_place(c.total_orders, c.place)`,
  );

const states = async (env: Record<string, string>) =>
  [...(await clientele(['prepare'], env)).stdout.matchAll(/^sort (\S+) +(\S+)$/gm)].map(
    ([, order, state]) => [order, state],
  );

test('adding an order that was killed is resumed, and nothing written meanwhile is missed', async () => {
  await using database = await withCustomers();
  const env = { DATABASE_URL: database.url };
  // The second batch never ends.
  await database.query(`
    create function public.hold() returns trigger language plpgsql as $$
    begin
      perform pg_sleep(0.01), pg_advisory_xact_lock_shared(17);
      return new;
    end
    $$;
    create trigger hold before update on clientele.sorting
      for each row when (old.filled > 0 and old.kept_by <> '') execute function public.hold()`);
  const holder = await database.connect();
  await holder.query('select pg_advisory_lock(17)');
  const filled = () =>
    database.query<{ filled: number }>('select filled::int from clientele.sorting');
  {
    await using adding = startClientele(['prepare', 'sort', 'total_orders'], env);
    await vi.waitFor(async () => expect(await filled()).toEqual([{ filled: 2_000 }]), 300_000);
    // Some have been filled in, others have not.
    await database.query('update customers set total_orders = 100 where total_orders = 3');
    await database.query('delete from customers where total_orders = 4');
    adding.kill('SIGKILL');
    expect(await adding.exited).toMatchObject({ signal: 'SIGKILL' });
  }
  expect(await states(env)).toContainEqual(['total_orders', 'unfinished']);
  expect((await clientele(['doctor'], env)).stdout).toContain(
    'clientele prepare sort total_orders',
  );
  await database.query('drop trigger hold on clientele.sorting');
  await holder.query('select pg_advisory_unlock(17)');
  await database.query('update customers set total_orders = 101 where total_orders = 5');
  const first = () =>
    database.query(
      'select xmin, s.* from clientele.sorted_customers as s where by_total_orders < 3 order by uuid limit 1',
    );
  const before = await first();

  const added = await clientele(['prepare', 'sort', 'total_orders'], env);
  expect(added).toMatchObject({ code: 0, stdout: '' });
  expect(added.stderr).toContain('Lists can be sorted by total_orders.');
  expect(await states(env)).toEqual([
    ['lifetime_value_cents', 'off'],
    ['total_orders', 'on'],
    ['last_order_at', 'off'],
  ]);
  expect(await misplaced(database)).toEqual([]);
  expect(await first(), 'it did not begin again').toEqual(before);

  const another = await clientele(['prepare', 'sort', 'last_order_at', '--quiet'], env);
  expect(another).toMatchObject({ code: 0, stdout: '', stderr: '' });
  const removed = await clientele(['prepare', 'sort', 'total_orders', '--drop'], env);
  expect(removed).toMatchObject({ code: 0, stdout: '' });
  expect(await states(env)).toMatchObject([{ 1: 'off' }, { 1: 'off' }, { 1: 'on' }]);
});

test('removing the last order leaves nothing of it', async () => {
  await using database = await withCustomers();
  const env = { DATABASE_URL: database.url };
  const traces = () =>
    database.query(
      `select tgname as trace from pg_trigger
       where tgrelid = 'public.customers'::regclass and (tgnargs > 0 or tgname = 'log_moves')
       union all select indexname from pg_indexes where indexname ~ '^sorted_by|but_moves'
       union all select 'row' from clientele.sorted_customers
       union all select 'option' from pg_attribute
         where attrelid = 'public.customers'::regclass and attname <> 'place' and attoptions is not null`,
    );
  expect(await traces()).toEqual([]);
  await clientele(['prepare', 'sort', 'lifetime_value_cents'], env);
  expect(await traces()).not.toEqual([]);
  for (const code of [0, 0]) {
    expect(
      await clientele(['prepare', 'sort', 'lifetime_value_cents', '--drop'], env),
    ).toMatchObject({
      code,
    });
    expect(await traces()).toEqual([]);
  }
});

test('what is no order is wrong usage', async () => {
  const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  const { code, stderr } = await clientele(['prepare', 'sort', 'created_at'], env);
  expect(code).toBe(2);
  expect(stderr).toContain('lifetime_value_cents, total_orders, last_order_at');
});
