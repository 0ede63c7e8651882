/** Writes that operators make besides the ordinary ones, and how they could escape the change log. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createTestDatabase,
  insertRandomCustomers,
  Random,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { countCustomers, serveList, type ServedList } from './setup/served-list.ts';

let database: TestDatabase;
let owner: pg.Client;
let served: ServedList;
beforeEach(async () => {
  database = await createTestDatabase();
  owner = await database.connect();
  served = serveList(database.url);
});
afterEach(async () => {
  await served[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** How many more customers the list has than the table. */
const excess = async (): Promise<number> => (await served.total()) - (await countCustomers(owner));

/** Makes every cached count outdated. */
const forceRecount = 'insert into clientele.changes default values';

test('a count that overlaps a table rewrite is exact', async () => {
  await owner.query(
    `insert into customers (full_name, email_address)
     select 'Anna ' || n, 'anna' || n || '@acme.example' from generate_series(1, 3000) as n`,
  );
  expect(await excess()).toBe(0);
  for (let i = 0; i < 25; i += 1) {
    await owner.query(forceRecount);
    const answers = Promise.all([served.total(), served.total('anna'), served.total('an')]);
    await sleep(Math.random() * 15);
    await owner.query(`alter table customers add column note_${i} uuid default gen_random_uuid()`);
    expect(await answers, `during rewrite ${i}`).toEqual([3_000, 3_000, 3_000]);
    expect(await served.total(), `after rewrite ${i}`).toBe(3_000);
    expect(await served.total('anna'), `after rewrite ${i}`).toBe(3_000);
    await owner.query(`alter table customers drop column note_${i}`);
  }
});

test('a page read within a snapshot during a table rewrite is exact', async () => {
  await insertRandomCustomers(owner, new Random(1), 600);
  const writer = await database.connect();
  const done = new AbortController();
  // Pages move all the time, so that requests read them within a snapshot.
  const writing = (async () => {
    while (!done.signal.aborted) {
      await writer.query("update customers set created_at = now() - random() * interval '1 year'");
    }
  })();
  for (let i = 0; i < 20; i += 1) {
    const answers = Promise.all(
      [1, 7, 20].map(async (page) => {
        const { data, pagination } = await served.page('', page, 25);
        return [data.length, pagination.total];
      }),
    );
    await sleep(Math.random() * 15);
    await owner.query(`alter table customers add column note_${i} uuid default gen_random_uuid()`);
    expect(await answers, `rewrite ${i}`).toEqual(Array(3).fill([25, 600]));
  }
  done.abort();
  await writing;
});

test('a session cannot switch off the log by presetting its marker', async () => {
  expect(await excess()).toBe(0);
  for (const value of ['too many', '9000000000000000', '1:9000000000000000', ':', '', 'x:y']) {
    const writer = await database.connect();
    await writer.query(`set clientele.changes_listed = '${value}'`);
    await insertRandomCustomers(writer, new Random(1), 2);
    await writer.query('update customers set full_name = full_name || 1');
    await writer.query('delete from customers where uuid in (select uuid from customers limit 1)');
    expect(await excess(), `marker '${value}'`).toBe(0);
    await writer.query('begin');
    await writer.query(`set local clientele.changes_listed = '${value}'`);
    await insertRandomCustomers(writer, new Random(2), 2);
    await writer.query('commit');
    expect(await excess(), `local marker '${value}'`).toBe(0);
  }
});

test('a marker that another transaction of the session left is ignored', async () => {
  expect(await excess()).toBe(0);
  const writer = await database.connect();
  await writer.query('begin');
  await insertRandomCustomers(writer, new Random(1), 200);
  await writer.query(
    `select set_config('clientele.changes_listed', current_setting('clientele.changes_listed'), false)`,
  );
  await writer.query('commit');
  expect(await excess()).toBe(0);
  await insertRandomCustomers(writer, new Random(2), 3);
  expect(await excess()).toBe(0);
});

test('the list is exact after the log was truncated', async () => {
  await insertRandomCustomers(owner, new Random(1), 10);
  expect(await excess()).toBe(0);
  await insertRandomCustomers(owner, new Random(2), 5);
  await owner.query('truncate clientele.changes');
  expect(await excess()).toBe(0);
  await insertRandomCustomers(owner, new Random(3), 5);
  expect(await excess()).toBe(0);
});

test('the list is exact after a transaction wrote customers and truncated the log', async () => {
  await insertRandomCustomers(owner, new Random(1), 10);
  expect(await excess()).toBe(0);
  await owner.query('begin');
  await insertRandomCustomers(owner, new Random(2), 5);
  await owner.query('truncate clientele.changes');
  await owner.query('commit');
  expect(await excess()).toBe(0);
  const other = await database.connect();
  await other.query('begin');
  await insertRandomCustomers(other, new Random(3), 1);
  await expect(
    owner.query(`set lock_timeout = '50ms'; truncate clientele.changes`),
    'an open transaction has entries in the log',
  ).rejects.toMatchObject({ code: '55P03' });
  await other.query('commit');
  await owner.query('reset lock_timeout');
  expect(await excess()).toBe(0);
});

test('a count is not taken for complete after the log was truncated within an older snapshot', async () => {
  // Writers trim the log at random, and PostgreSQL would then refuse the older snapshot's truncation.
  await owner.query('select setseed(0.5)');
  await insertRandomCustomers(owner, new Random(1), 10);
  const [truncating, first, second] = await Promise.all([1, 2, 3].map(() => database.connect()));
  await first!.query('begin; select pg_current_xact_id()');
  await truncating!.query('begin isolation level repeatable read; select from customers');
  await first!.query('commit');
  expect(await excess()).toBe(0);
  // Gets its id before the customers whose entries will be lost, and writes after the log was truncated.
  await second!.query('begin; select pg_current_xact_id()');
  await insertRandomCustomers(owner, new Random(2), 5);
  await truncating!.query('truncate clientele.changes; commit');
  for (const seed of [3, 4]) await insertRandomCustomers(second!, new Random(seed), 1);
  await second!.query('commit');
  await insertRandomCustomers(owner, new Random(5), 1);
  await owner.query('select clientele.trim_changes(2)');
  expect(await excess()).toBe(0);
});

test.each([
  ['trims', 'select clientele.trim_changes(0)'],
  ['truncates', 'truncate clientele.changes'],
])('a transaction that writes and %s the log leaves nothing behind in it', async (_, statement) => {
  await insertRandomCustomers(owner, new Random(1), 10);
  expect(await excess()).toBe(0);
  const other = await database.connect();
  await owner.query('begin');
  await insertRandomCustomers(owner, new Random(2), 2);
  await insertRandomCustomers(other, new Random(3), 3);
  expect(await served.total()).toBe(13);
  await owner.query(statement);
  await insertRandomCustomers(owner, new Random(4), 5);
  await owner.query('commit');
  expect(await excess()).toBe(0);
  for (let i = 0; i < 2; i += 1) await other.query('select clientele.trim_changes(0)');
  const { rows } = await other.query('select from clientele.changes');
  expect(rows).toHaveLength(0);
  expect(await excess()).toBe(0);
});

test('truncating the log while requests start new snapshots loses nothing', async () => {
  await insertRandomCustomers(owner, new Random(1), 300);
  expect(await excess()).toBe(0);
  for (let i = 0; i < 15; i += 1) {
    await owner.query('begin');
    await insertRandomCustomers(owner, new Random(i), 2);
    await owner.query('truncate clientele.changes');
    // A new instance has new connections, which prepare their statements while the log is locked.
    await using fresh = serveList(database.url);
    const answers = [served.total(), fresh.total(), fresh.total('anna')];
    await sleep(Math.random() * 10);
    await owner.query('commit');
    await Promise.all(answers);
    expect(await excess()).toBe(0);
    expect(await fresh.total()).toBe(await countCustomers(owner));
  }
});

test('rows of a table that inherits from customers are neither listed nor counted', async () => {
  await insertRandomCustomers(owner, new Random(1), 10);
  expect(await excess()).toBe(0);
  await owner.query('create table customers_of_2020 () inherits (public.customers)');
  const child = '00000000-0000-4000-8000-00000000c01d';
  await owner.query(
    `insert into customers_of_2020 (uuid, full_name, email_address)
     values ('${child}', 'Anna Inherited', 'anna@inherited.example'),
       (gen_random_uuid(), 'Bob Inherited', 'bob@inherited.example')`,
  );
  expect(await excess()).toBe(0);
  expect(await served.total('inherited')).toBe(0);
  expect(await served.total(child)).toBe(0);
  // These change rows of the child too, and fire the triggers of customers.
  await owner.query(`update customers set full_name = 'Quixote Renamed'`);
  expect(await excess(), 'after an update').toBe(0);
  expect(await served.total('quixote renamed')).toBe(10);
  await owner.query(`delete from customers where email_address like '%inherited%'`);
  expect(await excess(), 'after a delete').toBe(0);
  expect((await served.page('', 1, 100)).data).toHaveLength(10);
});
