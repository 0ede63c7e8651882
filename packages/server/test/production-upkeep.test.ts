/** Maps that bulk changes have outdated are counted again in the background, before any request. */
import type { WireCustomerList } from '@clientele/contract';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  createTestDatabase,
  insertRandomCustomers,
  Random,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { addOrder } from '@clientele/directory';
import {
  countCustomers,
  differencesAtRest,
  serveList,
  type ServedList,
} from './setup/served-list.ts';

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

/** How often everyone is counted: without flags, then with. */
const everyone = 2;

function keepReady(): void {
  const stop = new AbortController();
  const running = served.list.maps.upkeep({
    searches: served.list.searches,
    ...{ warmUp: true, signal: stop.signal, everyMs: 200 },
  });
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
}

const spyOnCounts = () => {
  const scans = vi.spyOn(served.database.scans, 'snapshot');
  const searches = vi.spyOn(served.database.searches, 'query');
  /** The counts by the index. */
  const indexed = (): Promise<unknown>[] =>
    searches.mock.calls.flatMap(([{ name }], i) =>
      name.startsWith('places') ? [searches.mock.results[i]!.value as Promise<unknown>] : [],
    );
  return { scans, indexed };
};

const afterUpkeep = (holds: () => void): Promise<void> => vi.waitFor(holds, { timeout: 300_000 });

const outdateEverything = async (): Promise<void> => {
  const bulk = await database.connect();
  await bulk.query('begin');
  await bulk.query('set local clientele.changes_limit = 10');
  await insertRandomCustomers(bulk, new Random(2), 100);
  await bulk.query('commit');
};

test('maps lost by a bulk change are counted again in the background', async () => {
  const { scans, indexed } = spyOnCounts();
  keepReady();
  await afterUpkeep(() => expect(scans).toHaveBeenCalledTimes(everyone));
  expect(await served.total('anna')).toBeGreaterThan(0);
  expect(await served.total('quixote')).toBeGreaterThan(0);
  const counted = indexed().length;
  await outdateEverything();

  await afterUpkeep(() => {
    expect(scans.mock.calls.length).toBeGreaterThanOrEqual(2 * everyone);
    expect(indexed().length).toBeGreaterThanOrEqual(counted + 2);
  });
  await Promise.all([...scans.mock.results.map(({ value }) => value), ...indexed()]);
  const warm = { scans: scans.mock.calls.length, indexed: indexed().length };
  expect(await served.total()).toBe(await countCustomers(await database.connect()));
  await served.total('anna');
  await served.total('quixote');
  expect({ scans: scans.mock.calls.length, indexed: indexed().length }).toEqual(warm);
  expect(await differencesAtRest(served)).toEqual([]);
});

test('the map of everyone is counted again after the log has dropped it', async () => {
  const { scans } = spyOnCounts();
  keepReady();
  await afterUpkeep(() => expect(scans).toHaveBeenCalledTimes(everyone));
  await scans.mock.results.at(-1)!.value;
  const writer = await database.connect();
  await insertRandomCustomers(writer, new Random(3), 20);
  await writer.query('select clientele.trim_changes(0)');
  await afterUpkeep(() => expect(scans).toHaveBeenCalledTimes(2 * everyone));
  await scans.mock.results.at(-1)!.value;
  expect(await served.total()).toBe(420);
  expect(scans).toHaveBeenCalledTimes(2 * everyone);
});

test('everyone is counted in each order that is on before somebody sorts', async () => {
  const owner = await database.connect();
  for (const order of ['total_orders', 'last_order_at'] as const) await addOrder(owner, order);
  const { scans } = spyOnCounts();
  keepReady();
  await afterUpkeep(() => expect(scans).toHaveBeenCalledTimes(everyone + 2));
  await scans.mock.results.at(-1)!.value;
  for (const sort of ['-total_orders', 'last_order_at'] as const) {
    const query = { search: '', page: 2, perPage: 10, sort };
    const { body } = await served.list.page(query, AbortSignal.timeout(300_000));
    expect((JSON.parse(body.toString()) as WireCustomerList).data).toHaveLength(10);
  }
  expect(scans).toHaveBeenCalledTimes(everyone + 2);
});

test('everyone is counted with flags before the first filter', async () => {
  const { scans } = spyOnCounts();
  keepReady();
  await afterUpkeep(() => expect(scans).toHaveBeenCalledTimes(everyone));
  await scans.mock.results.at(-1)!.value;
  const query = { search: '', page: 1, perPage: 1, filters: { verified: true } };
  const { body } = await served.list.page(query, AbortSignal.timeout(300_000));
  const { pagination } = JSON.parse(body.toString()) as WireCustomerList;
  expect(pagination.total).toBeGreaterThan(0);
  expect(scans).toHaveBeenCalledTimes(everyone);
});
