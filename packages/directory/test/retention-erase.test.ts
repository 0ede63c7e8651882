/** Erasing who is due: in batches, as the importing login, and nobody who is no longer due. */
import { countDue, createSecret, eraseDue, parseRetentionRules } from '@clientele/directory';
import { createTestDatabase, customerId, type TestDatabase } from '@clientele/sandbox/testing';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ErasedBatch } from '../src/privacy/retention/erase-due.ts';

const today = '2026-06-15';
const secret = createSecret();
const rules = parseRetentionRules(
  JSON.stringify({
    rules: [
      { name: 'unverified', no_order_for: '7 years', is_verified: false },
      { name: 'verified', no_order_for: '10 years' },
    ],
  }),
  today,
);

let database: TestDatabase;
let writer: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  writer = await database.connect();
  await writer.query('set role clientele_writer');
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() =>
  database.query('truncate customers, clientele.erasures, clientele.gone_customers cascade'),
);

const run = (): AsyncGenerator<ErasedBatch> => eraseDue(writer, rules, { today, secret });

async function runToEnd(): Promise<ErasedBatch[]> {
  const batches: ErasedBatch[] = [];
  for await (const batch of run()) batches.push(batch);
  return batches;
}

const left = async (): Promise<number[]> => {
  const rows = await database.query<{ uuid: string }>('select uuid from customers order by uuid');
  return rows.map(({ uuid }) => Number.parseInt(uuid.slice(-12), 10));
};

/** Created in that year, without orders. */
const customer = (n: number, year: number, verified = false) => ({
  uuid: customerId(n),
  full_name: `Sample ${n}`,
  email_address: `s${n}@directory.example`,
  is_verified: verified,
  total_orders: 0,
  lifetime_value_cents: 0,
  created_at: `${year}-01-31T09:05:00.000Z`,
});

test('each rule erases who is due under it, with its name as the reason', async () => {
  await database.insert([
    customer(1, 2018),
    customer(2, 2018, true),
    customer(3, 2015, true),
    customer(4, 2020),
  ]);
  const batches = await runToEnd();
  expect(batches).toEqual([
    { rule: 'unverified', erased: 1, pending: 0 },
    { rule: 'verified', erased: 1, pending: 0 },
  ]);
  expect(await left()).toEqual([2, 4]);
  const erasures = await database.query(
    'select uuid, reason from clientele.erasures order by uuid',
  );
  expect(erasures).toEqual([
    { uuid: customerId(1), reason: 'retention: unverified' },
    { uuid: customerId(3), reason: 'retention: verified' },
  ]);
});

test('whoever orders after the batch was chosen is not erased', async () => {
  await database.insert([customer(1, 2018), customer(2, 2015, true), customer(3, 2015, true)]);
  const erasing = run();
  expect((await erasing.next()).value).toMatchObject({ rule: 'unverified', erased: 1 });
  await database.query(
    'update customers set total_orders = 1, last_order_at = $2 where uuid = $1',
    [customerId(2), '2026-06-15T08:00:00Z'],
  );
  expect((await erasing.next()).value).toMatchObject({ rule: 'verified', erased: 1 });
  expect(await erasing.next()).toMatchObject({ done: true });
  expect(await left()).toEqual([2]);
});

test('whoever is ordering at this moment is left to the next run', async () => {
  await database.insert([customer(1, 2018), customer(2, 2018)]);
  const shop = await database.connect();
  await shop.query('begin');
  await shop.query('update customers set full_name = full_name where uuid = $1', [customerId(1)]);
  expect(await runToEnd()).toEqual([{ rule: 'unverified', erased: 1, pending: 0 }]);
  expect(await left()).toEqual([1]);
  await shop.query('commit');
  expect(await runToEnd()).toEqual([{ rule: 'unverified', erased: 1, pending: 0 }]);
  expect(await left()).toEqual([]);
});

test('a run that is stopped between two batches is continued by the next', async () => {
  await database.insert(Array.from({ length: 1_200 }, (_, n) => customer(n, 2018)));
  const first = run();
  expect((await first.next()).value).toMatchObject({ erased: 500 });
  await first.return(undefined);
  expect(await countDue(writer, rules, today)).toMatchObject({ customers: 700, due: 700 });
  const rest = await runToEnd();
  expect(rest.map(({ erased }) => erased)).toEqual([500, 200]);
  const [row] = await database.query<{ erasures: number; people: number }>(
    'select count(*)::int as erasures, count(distinct uuid)::int as people from clientele.erasures',
  );
  expect(row).toEqual({ erasures: 1_200, people: 1_200 });
});
