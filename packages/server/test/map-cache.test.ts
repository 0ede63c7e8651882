/** Counts that several callers wait for: which of them go on, and what is left of them. */
import { getEventListeners } from 'node:events';
import { everyone, QueryTimeoutError } from '@clientele/directory';
import {
  createTestDatabase,
  insertRandomCustomers,
  Random,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { holdCounts } from './setup/held-counts.ts';
import { serveList } from './setup/served-list.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await insertRandomCustomers(await database.connect(), new Random(1), 400);
  await database.query('analyze customers');
});
afterAll(() => database[Symbol.asyncDispose]());

test('the signal of upkeep, which lasts as long as the process, keeps no map in memory', async () => {
  await using served = serveList(database.url);
  const { cache } = served.list.maps;
  const { signal } = new AbortController();
  for (let i = 0; i < 3; i += 1) {
    cache.drop(everyone.full, await cache.get(everyone.full, signal));
  }
  expect(cache.made.counted, 'it was counted each time').toBe(3);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('two counts go on after their requests have timed out, also where one is of two pages', async () => {
  await using served = serveList(database.url);
  const { searches } = served.database;
  await served.total();
  using held = await holdCounts({ all: [served] });
  const ask = (search: string, page: number) => {
    const request = new AbortController();
    const answer = served.list.page({ search, page, perPage: 10 }, request.signal);
    answer.catch(() => undefined);
    return request;
  };
  const requests = [ask('a', 1), ask('a', 2), ask('e', 1)];
  await vi.waitFor(() => expect(searches.slots.waiting, 'counts').toBe(2), 60_000);
  for (const request of requests) request.abort(new QueryTimeoutError());
  expect(searches.slots.waiting, 'counts that go on').toBe(2);
  held.release();
  await vi.waitFor(() => expect(served.list.maps.cache.made.counted).toBe(3), 60_000);
});
