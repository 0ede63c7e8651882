/** Uneven distributions of created_at: all pages, read from first to last, are in the order of the table. */
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CustomerList } from '../src/customers/list.ts';
import { type Database, openDatabase } from '@clientele/directory';
import { createTestDatabase, patient, type TestDatabase } from '@clientele/sandbox/testing';

let table: TestDatabase;
let database: Database;
let list: CustomerList;

beforeEach(async () => {
  table = await createTestDatabase();
  await table.query('alter table customers set (autovacuum_enabled = false)');
  const connections = { lookups: 1, lists: 4, searches: 4, scans: 2 };
  database = openDatabase({ url: table.url, connections, timeouts: patient });
  list = new CustomerList(database, 10_000_000);
});
afterEach(async () => {
  await database.close();
  await table[Symbol.asyncDispose]();
});

/** Inserts customers with the given SQL expressions for created_at and uuid. */
const insert = (count: number, createdAt: string, uuid = 'gen_random_uuid()') =>
  table.query(
    `insert into customers (uuid, full_name, email_address, created_at)
     select ${uuid}, 'Customer ' || i, 'c' || i % 7 || '@shop.example', ${createdAt}
     from generate_series(1, ${count}) as i`,
  );

async function read(search: string, page: number, perPage: number) {
  const { body } = await list.page({ search, page, perPage }, new AbortController().signal);
  return JSON.parse(body.toString()) as {
    data: { uuid: string }[];
    pagination: { total: number };
  };
}

/** Reads all pages, and some of other sizes, and returns what differs from the table. */
async function differences(search = '', pattern = '%', size = 100): Promise<unknown[]> {
  const rows = await table.query<{ uuid: string }>(
    `select uuid from customers where search_text like $1 order by created_at desc, uuid desc`,
    [pattern],
  );
  const order = rows.map(({ uuid }) => uuid);
  const found: unknown[] = [];
  const look = async (page: number, perPage: number): Promise<void> => {
    const { data, pagination } = await read(search, page, perPage);
    const got = { total: pagination.total, uuids: data.map(({ uuid }) => uuid) };
    const truth = { total: order.length, uuids: order.slice((page - 1) * perPage, page * perPage) };
    if (!isDeepStrictEqual(got, truth)) found.push({ search, page, perPage, got, truth });
  };
  for (let page = 1; page <= Math.ceil(order.length / size) + 1; page += 1) await look(page, size);
  for (const perPage of [1, 7, 25]) {
    for (const part of [0, 0.5, 0.999]) {
      await look(1 + Math.floor((order.length / perPage) * part), perPage);
    }
  }
  return found;
}

test('an empty table: no page has rows, and the total is zero', async () => {
  expect(await differences()).toEqual([]);
  expect(await differences('shop', '%shop%')).toEqual([]);
});

test('a hundred thousand customers share one created_at', { timeout: 600_000 }, async () => {
  expect(await differences()).toEqual([]);
  // More changes than the log lists, so the count of the empty table cannot be updated from it.
  await insert(100_001, `timestamptz '2024-02-29 12:00:00Z'`);
  expect(await differences('', '%', 1_000)).toEqual([]);
  expect(await differences('c3', '%c3@%', 1_000)).toEqual([]);
});

test('customers share created_at and the start of their identifier', async () => {
  const uuid = `('0190aaaa-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid`;
  await insert(3_000, `timestamptz '2024-02-29 12:00:00Z'`, uuid);
  expect(await differences()).toEqual([]);
  expect(await differences('c3', '%c3@%')).toEqual([]);
});

test('years 1 and 9999, where adjacent instants have the same place', async () => {
  await insert(700, `timestamptz '0001-01-01 00:00:00Z' + i % 5 * interval '1 ms'`);
  await insert(700, `timestamptz '9999-12-31 23:59:59.990Z' + i % 10 * interval '1 ms'`);
  await insert(700, `timestamptz '2000-01-01 00:00:00Z' + (i % 5 - 2) * interval '1 ms'`);
  expect(await differences()).toEqual([]);
  expect(await differences('c3', '%c3@%')).toEqual([]);
});

test('many backdated customers are inserted, then half of all are deleted', async () => {
  await insert(2_000, `now() - i * interval '1 second'`);
  expect(await differences()).toEqual([]);
  await insert(4_000, `timestamptz '2010-01-01 00:00:00Z' + i % 50 * interval '1 ms'`);
  expect(await differences()).toEqual([]);
  expect(await differences('c3', '%c3@%')).toEqual([]);
  await table.query(`delete from customers where uuid in (
    select uuid from customers order by uuid limit (select count(*) / 2 from customers))`);
  expect(await differences()).toEqual([]);
  expect(await differences('c3', '%c3@%')).toEqual([]);
});

test('missing or completely wrong statistics change nothing', async () => {
  await insert(2_500, `now() - i % 40 * interval '1 hour'`);
  for (const estimate of [-1, 0, 5, 10_000_001]) {
    await table.query(
      `update pg_class set reltuples = ${estimate} where oid = 'public.customers'::regclass`,
    );
    list = new CustomerList(database, 10_000_000);
    expect(await differences()).toEqual([]);
    expect(await differences('c3', '%c3@%')).toEqual([]);
  }
});

test('extra_float_digits, set by an operator, does not round places', async () => {
  await table.query(`alter database ${table.name} set extra_float_digits = -3`);
  await insert(400, `now() - i * interval '1 ms'`);
  expect(await differences()).toEqual([]);
  expect(await differences('c3', '%c3@%')).toEqual([]);
  await insert(400, `now() - i * interval '1 ms'`);
  expect(await differences()).toEqual([]);
  expect(await differences('c3', '%c3@%')).toEqual([]);
});

test('a table is emptied and filled again', async () => {
  await insert(1_500, `now() - i * interval '1 day'`);
  expect(await differences()).toEqual([]);
  await table.query('delete from customers');
  expect(await differences()).toEqual([]);
  await insert(1_500, `now() + i * interval '1 day'`);
  expect(await differences()).toEqual([]);
  await table.query('truncate customers');
  expect(await differences()).toEqual([]);
  await insert(500, 'now()');
  expect(await differences()).toEqual([]);
  expect(await differences('c3', '%c3@%')).toEqual([]);
});

test('a list without memory for its cache still works', async () => {
  list = new CustomerList(database, 0);
  await insert(300, `now() - i * interval '1 minute'`);
  expect(await differences()).toEqual([]);
  await insert(300, `now() - i * interval '1 hour'`);
  expect(await differences('c3', '%c3@%')).toEqual([]);
  expect(list.maps.held).toMatchObject({ searches: 0, bytes: 0 });
});
