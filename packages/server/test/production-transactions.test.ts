/** Transactions that stay open for long, anywhere in the cluster. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { migrate, readMigrations } from '@clientele/directory';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';
import { promised } from '@clientele/sandbox/testing/machine';
import { insertRandomCustomers, Random } from '@clientele/sandbox/testing';
import {
  connectTo,
  countCustomers,
  differencesAtRest,
  serveList,
  type ServedList,
} from './setup/served-list.ts';

async function createDatabase(template?: string): Promise<TestDatabase> {
  const database = await createTestDatabase(template);
  onTestFinished(() => database[Symbol.asyncDispose]());
  return database;
}

function serve({ url }: TestDatabase): ServedList {
  const served = serveList(url);
  onTestFinished(() => served[Symbol.asyncDispose]());
  return served;
}

/** A transaction of another database that has an id and stays open until the test has finished. */
async function holdElsewhere(how: 'open' | 'prepared'): Promise<void> {
  const client = await connectTo(inject('postgresUrl'));
  await client.query('begin');
  await client.query('select pg_current_xact_id()');
  const id = randomUUID();
  if (how === 'prepared') await client.query(`prepare transaction '${id}'`);
  onTestFinished(async () => {
    await client.query(how === 'prepared' ? `rollback prepared '${id}'` : 'rollback');
    await client.end();
  });
}

test.each(['open', 'prepared'] as const)(
  'a database migrated with an older transaction %s in another one is served at once',
  async (how) => {
    const database = await createDatabase('template0');
    await holdElsewhere(how);
    const owner = await database.connect();
    await migrate(owner, await readMigrations());
    await insertRandomCustomers(owner, new Random(1), 50);
    const served = serve(database);
    const scans = vi.spyOn(served.database.scans, 'snapshot');
    for (let i = 0; i < 5; i += 1) {
      const before = performance.now();
      expect(await served.total()).toBe(await countCustomers(owner));
      expect(performance.now() - before).toBeLessThan(promised(2_000));
      await insertRandomCustomers(owner, new Random(i), 2);
    }
    expect(scans, 'one count is enough').toHaveBeenCalledTimes(1);
    expect(await differencesAtRest(served)).toEqual([]);
  },
);

test('a database restored from another cluster during an open transaction is served at once', async () => {
  const database = await createDatabase();
  await database.query(`update clientele.changes_horizon set cluster = 1, xid = '999999999999'`);
  await holdElsewhere('prepared');
  const owner = await database.connect();
  await migrate(owner, await readMigrations());
  await insertRandomCustomers(owner, new Random(1), 20);
  const served = serve(database);
  const scans = vi.spyOn(served.database.scans, 'snapshot');
  expect(await differencesAtRest(served)).toEqual([]);
  await insertRandomCustomers(owner, new Random(2), 5);
  expect(await differencesAtRest(served)).toEqual([]);
  // Of everyone, without and with flags.
  expect(scans).toHaveBeenCalledTimes(2);
});

/** The median time of a page while others write, in milliseconds. */
async function medianOf(served: ServedList, writer: pg.Client, page: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 41; i += 1) {
    // Without a write in between, the page of the last request is still valid.
    await insertRandomCustomers(writer, new Random(i), 1);
    const before = performance.now();
    await served.page('', page, 25);
    times.push(performance.now() - before);
  }
  return times.toSorted((a, b) => a - b)[20]!;
}

test('pages stay fast and memory bounded with 200,000 changes since a transaction was opened', async () => {
  const database = await createDatabase();
  const [held, writer] = [await database.connect(), await database.connect()];
  await insertRandomCustomers(writer, new Random(1), 2_000);
  await database.query('vacuum analyze customers');
  const served = serve(database);
  await served.total();
  const quiet = {
    first: await medianOf(served, writer, 1),
    deep: await medianOf(served, writer, 75),
  };
  const { bytes } = served.list.maps.held;

  await held.query('begin');
  await insertRandomCustomers(held, new Random(2), 1);
  await served.total();
  // Customers that moved and came back: entries like those of ordinary updates, and quickly written.
  for (let i = 0; i < 4; i += 1) {
    await writer.query(
      `insert into clientele.changes (old_place, old_text, new_place, new_text)
       select c.place, c.search_text, c.place, c.search_text
       from customers as c, generate_series(1, 25) limit 50000`,
    );
    await served.total();
  }
  const counts = vi.spyOn(served.database.scans, 'snapshot');
  const busy = {
    first: await medianOf(served, writer, 1),
    deep: await medianOf(served, writer, 75),
  };
  const about = JSON.stringify({ quiet, busy });
  expect(busy.first, about).toBeLessThan(promised(3 * quiet.first + 3));
  expect(busy.deep, about).toBeLessThan(promised(3 * quiet.deep + 3));
  expect(served.list.maps.held.bytes - bytes, 'the cache does not grow').toBeLessThan(10_000);
  expect(counts, 'nothing is counted again').not.toHaveBeenCalled();
  await held.query('commit');
  expect(await differencesAtRest(served)).toEqual([]);
});
