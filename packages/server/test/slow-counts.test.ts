import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  createTestDatabase,
  insertRandomCustomers,
  Random,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { serveList } from './setup/served-list.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await insertRandomCustomers(await database.connect(), new Random(1), 400);
  await database.query('analyze customers');
});
afterAll(() => database[Symbol.asyncDispose]());

/** Whether a connection of this lane waits for a lock. */
const isWaiting = async (lane: string): Promise<boolean> => {
  const rows = await database.query(
    `select from pg_stat_activity
     where datname = current_database() and application_name = $1 and wait_event_type = 'Lock'`,
    [`clientele ${lane}`],
  );
  return rows.length > 0;
};

test('a search that takes too long by the index is counted with more time', async () => {
  await using served = serveList(database.url);
  await served.total();
  const [{ matches } = { matches: 0 }] = await database.query<{ matches: number }>(
    `select count(*)::int as matches from customers where search_text like '%smith%'`,
  );
  expect(matches).toBeGreaterThan(0);
  // Counting reads this table, and estimating how many there are to count does not.
  const holder = await database.connect();
  await holder.query('begin; lock table clientele.changes_horizon in access exclusive mode');
  const total = served.total('smith');
  total.catch(() => undefined);
  const waits = (lane: string) =>
    vi.waitFor(async () => expect(await isWaiting(lane), `${lane} waits`).toBe(true), 50_000);
  await waits('searches');
  // Once the first has taken as long as a statement of its lane may.
  await waits('scans');
  await holder.query('commit');
  expect(await total).toBe(matches);
});
