/** The log loses the text of erased people, and all text after a day, without a total being wrong or counted again. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  createTestDatabase,
  insertRandomCustomers,
  Random,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { differencesAtRest, serveList, type ServedList } from './setup/served-list.ts';

let database: TestDatabase;
let served: ServedList;
beforeEach(async () => {
  database = await createTestDatabase();
  await insertRandomCustomers(await database.connect(), new Random(1), 400);
  served = serveList(database.url);
});
afterEach(async () => {
  await served[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const never = (): AbortSignal => new AbortController().signal;

/** How many entries of the log have text. */
async function texts(): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `select count(*)::int as n from clientele.changes as c
     where num_nonnulls(c.old_text, c.new_text, c.old_name_text, c.new_name_text) > 0`,
  );
  return row!.n;
}

/** Counts by reading the table. */
const scans = () => vi.spyOn(served.database.scans, 'snapshot').mock.calls.length;

const eraseSomebody = async (): Promise<void> => {
  await database.query(
    `select clientele.erase_customer(c.uuid) from customers as c order by c.uuid limit 1`,
  );
};
const clearErasures = async (): Promise<void> => {
  await database.query('select clientele.analyze_erased()');
  await database.query(`select clientele.clear_erasures('0 seconds')`);
};
/** As if everything so far were from yesterday. */
const letADayPass = () =>
  database.query(`update clientele.change_marks set at = at - interval '1 day'`);

test('a map that has passed an erasure is not counted again when the log loses the text', async () => {
  expect(await served.total()).toBe(400);
  await eraseSomebody();
  expect(await served.total()).toBe(399);
  await served.list.maps.catchUp(never());
  const counted = scans();
  await clearErasures();
  expect(await served.total()).toBe(399);
  expect(scans()).toBe(counted);
});

test('a map that has not is counted again, and exact', async () => {
  expect(await served.total()).toBe(400);
  const counted = scans();
  await eraseSomebody();
  await clearErasures();
  expect(await served.total()).toBe(399);
  expect(scans()).toBe(counted + 1);
  expect(await differencesAtRest(served)).toEqual([]);
});

test('text of the log is gone after a day, in bounded steps, and newer text stays', async () => {
  await served.total();
  const old = await texts();
  expect(old).toBeGreaterThanOrEqual(400);
  await database.query('select clientele.clear_old_text()');
  expect(await texts(), 'younger than a day').toBe(old);

  await letADayPass();
  const clear = async () =>
    (await database.query<{ more: boolean }>('select clientele.clear_old_text(300) as more'))[0]!
      .more;
  expect(await clear()).toBe(true);
  expect(await texts()).toBe(old - 300);
  await insertRandomCustomers(await database.connect(), new Random(2), 5);
  while (await clear());
  expect(await texts()).toBe(5);
  expect(await served.total()).toBe(405);
  expect(await differencesAtRest(served)).toEqual([]);
});

test('no snapshot or transaction that is held keeps old text in the log', async () => {
  const [reader, trimmer, writer] = await Promise.all([0, 1, 2].map(() => database.connect()));
  await reader!.query('begin isolation level repeatable read');
  await reader!.query('select count(*) from customers');
  await writer!.query('begin');
  await insertRandomCustomers(writer!, new Random(2), 1);
  // It has locked the horizon of the log, and deleted fifty entries that come back if it is rolled back.
  await trimmer!.query('begin');
  await trimmer!.query('select clientele.trim_changes(1, 50)');
  await letADayPass();
  await database.query('select clientele.clear_old_text()');
  const left = await texts();
  expect(left).toBeLessThanOrEqual(51);
  expect(await served.total()).toBe(400);

  await trimmer!.query('rollback');
  await writer!.query('commit');
  await database.query('select clientele.clear_old_text()');
  expect(await texts(), 'the writer began before the last mark').toBe(0);
  expect(await served.total()).toBe(401);
  expect(await differencesAtRest(served)).toEqual([]);
});

test('searches that few customers match are forgotten, the list itself is not', async () => {
  await served.total();
  await served.total('quixote');
  const searches = vi.spyOn(served.database.rows, 'query');
  const queries = () => searches.mock.calls.map(([{ name }]) => name);
  await served.total('quixote');
  expect(queries()).toEqual([]);
  const counted = scans();
  served.list.forget();
  expect(served.list.maps.held.searches).toBe(1);
  await served.total('quixote');
  expect(queries()).toContain('search-patterns');
  await served.total();
  expect(scans()).toBe(counted);
});
