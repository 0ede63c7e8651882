/**
 * The longest statements, whole, next to the code that puts them together: `.sql` files, for readers and for `explain`.
 * `vitest --update` writes them again.
 */
import { createTestDatabase, readableSql, type TestDatabase } from '@clientele/sandbox/testing';
import type pg from 'pg';
import { limits } from '@clientele/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  asParameters,
  everyone,
  type Patterns,
  patternsOf,
  patternsStatement,
  type RunStatement,
  type Terms,
} from '@clientele/directory';
import { countBlocks, countPlaces } from '../src/maps/count/count-map.ts';
import { readPage } from '../src/maps/find-page.ts';
import { readFirstRows } from '../src/maps/first-rows.ts';

let database: TestDatabase;
let owner: pg.Client;
let search: Terms;
beforeAll(async () => {
  database = await createTestDatabase();
  owner = await database.connect();
  const ask = async (text: string): Promise<Patterns> => {
    const { rows } = await owner.query<{ patterns: Patterns }>(patternsStatement.text, [text]);
    return rows[0]!.patterns;
  };
  const patterns = asParameters(await patternsOf('anna', ask));
  search = { kind: 'terms', view: 'full', key: 'anna', ...patterns };
});
afterAll(() => database[Symbol.asyncDispose]());

/** Runs the work on the database, and returns the statements that it sent. */
async function sentBy(work: (run: RunStatement) => Promise<unknown>): Promise<string> {
  const sent = new Map<string, string>();
  await work(
    async <Row extends object>(
      { name, text }: { name: string; text: string },
      values: unknown[],
    ) => {
      sent.set(name, text);
      return (await owner.query<Row>(text, values)).rows;
    },
  );
  return readableSql(sent);
}

const maps = '../src/maps';
const bounds = { places: Float64Array.of(1, 2, 3) };

test('find-page.sql: a page of a search, and one of everyone while nothing is written', async () => {
  const text = await sentBy(async (run) => {
    const bare: RunStatement = async (statement, values) =>
      (await owner.query(statement.text, values)).rows;
    for (const [terms, quiet] of [
      [search, false],
      [everyone.full, true],
    ] as const) {
      const state = await countBlocks(bare, terms, bounds);
      const start = { below: Infinity, skip: 0 };
      await readPage(run, { search: terms, state, start, limit: 20, quiet });
    }
  });
  await expect(text).toMatchFileSnapshot(`${maps}/find-page.sql`);
});

test('count-map.sql: the places of the matches, and how many are in each block', async () => {
  const text = await sentBy(async (run) => {
    await countPlaces(run, search, 100);
    await countBlocks(run, search, bounds);
  });
  await expect(text).toMatchFileSnapshot(`${maps}/count/count-map.sql`);
});

const page = { offset: 0, limit: 20 };
const never = new AbortController().signal;
const laneOf = (query: RunStatement) => ({ query, slots: { waiting: 0 } });

test('first-rows.sql: the first rows of a search, by the list and by the index', async () => {
  const text = await sentBy((run) => readFirstRows(laneOf(run), search, page, never));
  await expect(text).toMatchFileSnapshot(`${maps}/first-rows.sql`);
});

test('with the seven bytes that a connection adds, PostgreSQL keeps the whole name of every statement', async () => {
  const state = await countBlocks(
    async (statement, values) => (await owner.query(statement.text, values)).rows,
    everyone.full,
    bounds,
  );
  const narrowest: Terms = {
    ...search,
    view: 'masked',
    count: limits.search.maxTerms,
    order: 'last_order_at',
    ascending: true,
    range: { from: 0, to: 1 },
    flags: { verified: false, hasOrders: false },
  };
  const names: string[] = [];
  const noRows = new Error('no rows');
  const run: RunStatement = ({ name }) => {
    names.push(name);
    return Promise.reject(noRows);
  };
  for (const start of [
    { places: [0], skip: 0 },
    { below: 0, skip: 0 },
    { from: 0, skip: 0 },
  ]) {
    for (const quiet of [true, false]) {
      const request = { search: narrowest, state, start, limit: 20, quiet };
      await expect(readPage(run, request)).rejects.toBe(noRows);
    }
  }
  await expect(readFirstRows(laneOf(run), narrowest, page, never)).rejects.toBe(noRows);
  expect(names.length).toBe(7);
  expect(Math.max(...names.map((name) => name.length + 7)), names.join('\n')).toBeLessThanOrEqual(
    63,
  );
});
