/** `clientele migrate` prepares sorting and masking by itself where that takes seconds. */
import { createLoginRole, createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { clientele } from './setup/executable.ts';

const orders = ['last_order_at', 'lifetime_value_cents', 'total_orders'];
const upToDate = 'The database is up to date.\n';

async function prepared(database: TestDatabase) {
  const [row] = await database.query<{ orders: string[]; masking: boolean }>(
    `select array(select unnest(clientele.available_orders()) order by 1) as orders,
       clientele.is_masking_ready() as masking`,
  );
  return row;
}
const nothing = { orders: [], masking: false };
const everything = { orders, masking: true };

test('a new directory can be sorted by everything and serve masked callers, unless --no-prepare is given', async () => {
  await using database = await createTestDatabase('template0');
  const env = { DATABASE_URL: database.url };
  const without = await clientele(['migrate', '--no-prepare'], env);
  expect(without).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Preparing') });
  expect(await prepared(database)).toEqual(nothing);

  const { code, stderr } = await clientele(['migrate'], env);
  expect(code).toBe(0);
  expect(stderr).toContain(
    'Preparing: sorting by lifetime_value_cents, sorting by total_orders, sorting by last_order_at, masking. ' +
      'To skip this: clientele migrate --no-prepare',
  );
  expect(await prepared(database)).toEqual(everything);
  expect((await clientele(['migrate'], env)).stderr, 'a second run').toBe(upToDate);
});

test('what an operator has removed is not added again, and the last removal says what migrate does', async () => {
  await using database = await createTestDatabase();
  const env = { DATABASE_URL: database.url };
  await clientele(['migrate'], env);
  const first = await clientele(['prepare', 'sort', 'last_order_at', '--drop'], env);
  expect(first.stderr).not.toContain('--no-prepare');
  expect((await clientele(['migrate'], env)).stderr).toBe(upToDate);
  expect(await prepared(database)).toMatchObject({ orders: orders.slice(1) });
  await clientele(['prepare', 'sort', 'total_orders', '--drop'], env);
  const last = await clientele(['prepare', 'sort', 'lifetime_value_cents', '--drop'], env);
  expect(last.stderr).toContain('migrate adds all of them unless it runs with --no-prepare');
});

test('for a large directory, it only names the commands', async () => {
  await using database = await createTestDatabase();
  await database.query(
    `update pg_class set reltuples = 1000000 where oid = 'public.customers'::regclass`,
  );
  const { code, stderr } = await clientele(['migrate'], { DATABASE_URL: database.url });
  expect(code).toBe(0);
  const commands = [...stderr.matchAll(/^ {2}clientele (.*)$/gm)].map(([, command]) => command);
  expect(commands).toEqual([
    'prepare sort lifetime_value_cents',
    'prepare sort total_orders',
    'prepare sort last_order_at',
    'prepare masking',
  ]);
  expect(await prepared(database)).toEqual(nothing);
});

test('an owner who lacks a right has migrated all the same, and reads what to run', async () => {
  await using database = await createTestDatabase('template0');
  await using owner = await createLoginRole(database, 'createrole');
  await database.query(
    `do $$ begin execute format('alter database %I owner to ${owner.name}', current_database()); end $$`,
  );
  const env = { DATABASE_URL: owner.url };
  expect(await clientele(['migrate', '--no-prepare'], env)).toMatchObject({ code: 0 });
  await database.query('alter function clientele.begin_masking() owner to current_user');
  const { code, stderr } = await clientele(['migrate'], env);
  expect(code).toBe(0);
  expect(stderr).toMatch(/not prepared, because a right is missing .*begin_masking/);
  expect(stderr).toContain('Run later: clientele prepare masking\n');
  expect(await prepared(database)).toEqual({ orders, masking: false });
});
