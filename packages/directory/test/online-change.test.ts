/** What is prepared while the directory is in use: one preparation at a time, with the same progress. */
import { createTestDatabase } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import type { ChangeProgress } from '../src/db/online-change.ts';
import { listPreparations, prepare, type Preparation } from '../src/db/preparations.ts';

const all: Preparation[] = [
  'sort lifetime_value_cents',
  'sort total_orders',
  'sort last_order_at',
  'masking',
  'search-text',
];

async function withCustomers() {
  const database = await createTestDatabase();
  await database.query(
    `insert into customers (full_name, email_address)
     select 'Customer ' || i, i || '@directory.example' from generate_series(1, 100) as i`,
  );
  await database.query('analyze customers');
  return database;
}

test('everything is listed by the name that prepares it, and says that it compared every customer', async () => {
  await using database = await withCustomers();
  const client = await database.connect();
  const states = async () => (await listPreparations(client)).map(({ state }) => state);
  expect((await listPreparations(client)).map(({ name }) => name)).toEqual(all);
  expect(await states()).toEqual(['off', 'off', 'off', 'off', 'on']);
  const written = [];
  for (const name of all) written.push(await prepare(client, name));
  // Once one order is on, the places of all are kept.
  expect(written).toEqual([100, 0, 0, 100, 0]);
  expect(await states()).toEqual(all.map(() => 'on'));
  for (const name of all) {
    const seen: ChangeProgress[] = [];
    expect(
      await prepare(client, name, { onProgress: (progress) => void seen.push(progress) }),
    ).toBe(0);
    expect(seen.at(-1)).toMatchObject({ step: 'fill', of: expect.any(Number) });
    expect(seen).not.toContainEqual({ step: 'index' });
  }
});

test('masking that was interrupted, or lost its triggers, is unfinished and then corrected', async () => {
  await using database = await withCustomers();
  const client = await database.connect();
  const state = async () =>
    (await listPreparations(client)).find(({ name }) => name === 'masking')!.state;
  await client.query('select clientele.begin_masking()');
  expect(await state()).toBe('unfinished');
  await prepare(client, 'masking');
  await client.query(
    `alter table customers disable trigger zz_name_text;
     update customers set full_name = 'Renamed' where email_address = '1@directory.example'`,
  );
  expect(await state()).toBe('unfinished');
  expect(await prepare(client, 'masking')).toBe(1);
  expect(await state()).toBe('on');
});

test('a second preparation says that it waits, and starts when the first one ends', async () => {
  await using database = await withCustomers();
  const reader = await database.connect();
  await reader.query('begin; select from clientele.changes limit 1');
  const building = Promise.withResolvers<void>();
  const waiting = Promise.withResolvers<void>();
  const ended: string[] = [];
  const first = prepare(await database.connect(), 'sort total_orders', {
    onProgress: ({ step }) => void (step === 'index' && building.resolve()),
  }).then(() => ended.push('first'));
  await building.promise;
  const second = prepare(await database.connect(), 'masking', {
    onProgress: ({ step }) => void (step === 'wait' && waiting.resolve()),
  }).then(() => ended.push('second'));
  await waiting.promise;
  await reader.query('commit');
  await Promise.all([first, second]);
  expect(ended).toEqual(['first', 'second']);
});

test.each(['read committed', 'repeatable read'])(
  'a customer who is deleted while orders are prepared leaves no place behind: %s',
  async (isolation) => {
    await using database = await withCustomers();
    const [owner, writer] = [await database.connect(), await database.connect()];
    // As an interrupted run leaves it. Otherwise the first index would wait for the writer, before anybody is filled in.
    await owner.query(`select clientele.begin_order('total_orders')`);
    await owner.query('create index changes_but_moves on clientele.changes (xid) where not move');
    const remove = () =>
      writer.query(`delete from customers where email_address = '1@directory.example'`);
    await writer.query(`begin isolation level ${isolation}; select from customers limit 1`);
    if (isolation === 'read committed') await remove();
    // A snapshot lasts, and no lock makes dropping an index wait for it.
    else
      await owner.query(
        'create index sorted_by_total_orders on clientele.sorted_customers (by_total_orders, uuid)',
      );

    const prepared = prepare(owner, 'sort total_orders');
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock'
      and datname = current_database() and query like 'create index concurrently%'`;
    await expect.poll(() => database.query(waiting), { timeout: 20_000 }).toHaveLength(1);
    if (isolation === 'repeatable read') await remove();
    await writer.query('commit');
    await prepared;
    expect(
      await database.query(
        `select s.uuid from clientele.sorted_customers as s
         where s.uuid not in (select c.uuid from customers as c)`,
      ),
    ).toEqual([]);
    expect(await database.query('select from clientele.sorted_customers')).toHaveLength(99);
    expect((await listPreparations(owner))[1]!.state).toBe('on');
  },
);
