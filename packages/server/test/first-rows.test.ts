/** How far the first rows of a search are looked for, and by what: docs/decisions/rows-first.md. */
import { openDatabase, SearchReader, type Database, type Terms } from '@clientele/directory';
import { createTestDatabase, patient, type TestDatabase } from '@clientele/sandbox/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFirstRows } from '../src/maps/first-rows.ts';

const connections = { lookups: 1, lists: 1, searches: 1, scans: 1, rows: 2 };
const page = { offset: 0, limit: 20 };
const never = new AbortController().signal;
let database: TestDatabase;
let server: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  // The newest 2,500 are called Bob, except one in a thousand.
  await database.query(`insert into customers (full_name, email_address, created_at)
    select case when i <= 3500 or i % 1000 = 0 then 'Ada ' else 'Bob ' end || i, i || '@example.com',
      timestamptz '2020-01-01' + i * interval '1 minute'
    from generate_series(1, 6000) as i`);
  // As if there were a million.
  await database.query(
    `update pg_class set reltuples = 1e6 where oid = 'public.customers'::regclass`,
  );
  server = openDatabase({ url: database.url, connections, timeouts: patient });
});
afterAll(async () => {
  await server.close();
  await database[Symbol.asyncDispose]();
});

/** Reads them, and says by which statements. With `never`, the statement that reads the index ends when it is cancelled. */
async function firstRows(text: string, index: 'at once' | 'never') {
  const search = (await new SearchReader(server.rows).read(text, never)) as Terms;
  const ran: string[] = [];
  const query: typeof server.rows.query = async (statement, values, signal) => {
    const [name] = statement.name.split(/-\d/);
    ran.push(name!);
    if (name === 'rows-by-index' && index === 'never') {
      await new Promise((_, reject) => signal!.addEventListener('abort', reject, { once: true }));
    }
    return server.rows.query(statement, values, signal);
  };
  const rows = await readFirstRows({ query, slots: { waiting: 0 } }, search, page, never);
  const names = [...rows!.customers.matchAll(/"full_name":"([^"]*)"/g)].map(([, name]) => name);
  return { ran, names, total: rows!.total };
}

const newest = (name: string, from: number): string[] =>
  Array.from({ length: 20 }, (_, i) => `${name} ${from - i}`);

test('a glance is enough for a common search', async () => {
  expect(await firstRows('bob', 'at once')).toMatchObject({
    ran: ['walk'],
    names: newest('Bob', 5999),
  });
});

test('where some in the glance match, the list is read on', async () => {
  const { ran, names } = await firstRows('ada', 'never');
  expect(ran).toEqual(['walk', 'walk']);
  expect(names).toEqual(['Ada 6000', 'Ada 5000', 'Ada 4000', ...newest('Ada', 3500).slice(0, 17)]);
});

test('where none does, the index is read, and the total is known if it finds few', async () => {
  const { ran, names, total } = await firstRows('ada 1234', 'at once');
  expect(ran).toEqual(['walk', 'rows-by-index']);
  expect({ names, total }).toEqual({ names: ['Ada 1234'], total: 1 });
});

test('where the index is slow, the list is read on as well, and the first to fill the page wins', async () => {
  const { ran, names } = await firstRows('ada 33', 'never');
  expect(ran).toEqual(['walk', 'rows-by-index', 'walk']);
  expect(names).toEqual(newest('Ada', 3399));
  const byIndex = await firstRows('ada 33', 'at once');
  expect(byIndex.names, 'the same rows').toEqual(names);
});
