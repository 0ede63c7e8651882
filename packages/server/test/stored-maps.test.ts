/** Maps that one instance has stored in the database make another one warm without reading the table. */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  createLoginRole,
  createTestDatabase,
  insertRandomCustomers,
  Random,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { BlockMap } from '../src/maps/shape/block-map.ts';
import { PageMaps } from '../src/maps/page-maps.ts';
import { fromCounts, store, toCounts } from '../src/maps/count/stored-maps.ts';
import { addOrder, removeOrder, SearchReader } from '@clientele/directory';
import {
  countCustomers,
  differencesAtRest,
  serveList,
  type ServedList,
} from './setup/served-list.ts';

/** Each has too many matches to keep their places: both are maps of counts per block. */
const texts = ['', 'e'];
const many = 41_000;

let database: TestDatabase;
let owner: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  owner = await database.connect();
  await owner.query(`
    insert into customers (uuid, full_name, email_address, is_verified, total_orders,
      lifetime_value_cents, created_at)
    select gen_random_uuid(), 'Eve Sample ' || i, i || '@shop.example', false, 0, 0,
      '2020-01-01'::timestamptz + i * interval '1 hour'
    from generate_series(1, ${many}) as i`);
  await insertRandomCustomers(owner, new Random(1), 400);
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(async () => {
  await owner.query('delete from clientele.stored_bounds');
  await owner.query('delete from clientele.stored_maps');
});

const customers = () => countCustomers(owner);

/** As an instance that has counted them does in its upkeep. */
async function storeMaps(): Promise<void> {
  await using served = serveList(database.url);
  const maps = new PageMaps(served.database, 10_000_000);
  const searches = new SearchReader(served.database.searches);
  const signal = AbortSignal.timeout(60_000);
  const counted = await Promise.all(
    texts.map(async (text) => {
      const search = await searches.read(text, signal);
      if (search.kind !== 'terms') throw new Error('not a search for terms');
      return { text, state: await maps.cache.get(search, signal) };
    }),
  );
  for (const { state } of counted) expect(state.current).toBeInstanceOf(BlockMap);
  await store(served.database.writes, await maps.cache.bounds(), counted, signal);
}

/** A new instance, and how many searches it has counted by reading the table: plain ones, with flags, and sorted. */
function start(mapBytes?: number): {
  served: ServedList;
  scans: () => number;
  flaggedScans: () => number;
  sortedScans: () => number;
} {
  const served = serveList(database.url);
  if (mapBytes) served.list.maps.maxBytes = mapBytes;
  const statements: string[] = [];
  const lane = served.database.scans;
  const snapshot = lane.snapshot.bind(lane);
  lane.snapshot = (work, signal) =>
    snapshot(
      (run) =>
        work((statement, values) => {
          statements.push(statement.name);
          return run(statement, values);
        }),
      signal,
    );
  const stop = new AbortController();
  const running = served.list.maps.upkeep({
    searches: served.list.searches,
    warmUp: true,
    primary: served.database.writes,
    signal: stop.signal,
    everyMs: 100,
  });
  onTestFinished(async () => {
    stop.abort();
    await running;
    await served[Symbol.asyncDispose]();
  });
  const scans = () => statements.filter((name) => name.startsWith('blocks'));
  const flaggedScans = () => scans().filter((name) => name.endsWith('-flags')).length;
  const sortedScans = () => scans().filter((name) => name.includes('-by-')).length;
  const plainScans = () => scans().length - flaggedScans() - sortedScans();
  return { served, flaggedScans, sortedScans, scans: plainScans };
}

const stored = async () => {
  const { rows } = await owner.query<{ search: string; entries: string }>(
    'select search, entries from clientele.stored_maps order by search',
  );
  return rows;
};

const write = async (seed: number, n: number): Promise<void> => {
  await insertRandomCustomers(owner, new Random(seed), n);
};

test('a new instance answers broad searches without reading the table, and exactly', async () => {
  await storeMaps();
  await write(2, 300);
  const { served, scans } = start();
  // The first requests arrive at once.
  expect(await served.total()).toBe(await customers());
  expect(await served.total('e')).toBeGreaterThan(many);
  expect(scans()).toBe(0);
  expect(await differencesAtRest(served)).toEqual([]);
});

test('an instance stores the maps of common searches', async () => {
  const { served, scans } = start();
  await vi.waitFor(async () => expect(await stored()).toMatchObject([{ search: '' }]), 60_000);
  expect(scans()).toBe(1);
  const next = start();
  expect(await next.served.total()).toBe(await served.total());
  expect(next.scans()).toBe(0);
});

test('common searches are counted with flags once a search was filtered', async () => {
  await storeMaps();
  const { served, flaggedScans } = start();
  await vi.waitFor(() => expect(flaggedScans()).toBe(1), 60_000);
  // Not in the rounds to come either.
  await sleep(500);
  expect(flaggedScans()).toBe(1);
  const filtered = { search: 'quixote', page: 1, perPage: 1, filters: { hasOrders: true } };
  await served.list.page(filtered, AbortSignal.timeout(60_000));
  await vi.waitFor(() => expect(flaggedScans()).toBe(texts.length), 60_000);
});

test('upkeep does not count in an order that was removed', async () => {
  // The triggers stay as they are, and with them the other maps.
  const [removed, kept] = ['total_orders', 'last_order_at'] as const;
  for (const order of [removed, kept]) await addOrder(owner, order);
  const { served, sortedScans } = start();
  const query = { search: '', page: 1, perPage: 1 };
  for (const order of [removed, kept]) {
    await served.list.page({ ...query, sort: `-${order}` }, AbortSignal.timeout(60_000));
  }
  // Removing takes two seconds, so there are rounds after the order went off.
  await removeOrder(owner, removed);
  expect(sortedScans()).toBe(2);
  await removeOrder(owner, kept);
});

test('nothing is counted with flags in advance if that would take more than half of the memory', async () => {
  await storeMaps();
  const { served, flaggedScans } = start(400_000);
  await vi.waitFor(() => expect(served.list.maps.held.searches).toBe(texts.length), 60_000);
  await sleep(500);
  expect(flaggedScans()).toBe(0);
  expect(served.list.maps.held).toMatchObject({ searches: texts.length, evictions: 0 });
});

test.each([
  ['the table has been rewritten', 'vacuum full public.customers'],
  ['a trigger was replaced', 'alter table public.customers disable trigger log_updates'],
])('stored maps are not used if %s', async (_, statement) => {
  await storeMaps();
  await write(3, 50);
  await owner.query(statement);
  if (statement.includes('disable')) {
    await owner.query('alter table public.customers enable always trigger log_updates');
  }
  const { served, scans } = start();
  expect(await served.total()).toBe(await customers());
  expect(scans()).toBeGreaterThan(0);
  expect(await differencesAtRest(served)).toEqual([]);
});

test('maps are stored again after many changes', async () => {
  await storeMaps();
  await owner.query(`update clientele.stored_maps
    set stored_at = now() - interval '2 minutes', entries = entries - 50000`);
  const [before] = await stored();
  start();
  await vi.waitFor(async () => expect((await stored())[0]).not.toEqual(before), 60_000);
});

test('an instance with other blocks leaves stored maps alone while others use them', async () => {
  await storeMaps();
  const before = await stored();
  await using other = serveList(database.url);
  const maps = new PageMaps(other.database, 10_000_000);
  const bounds = await maps.cache.bounds();
  const signal = AbortSignal.timeout(60_000);
  await store(other.database.writes, { ...bounds, id: crypto.randomUUID() }, [], signal);
  expect(await stored()).toEqual(before);
});

test('the reader role stores at most 70 maps, of a bounded size', async () => {
  await using reader = await createLoginRole(database, 'in role clientele_reader');
  await using served = serveList(reader.url);
  const { writes } = served.database;
  const id = crypto.randomUUID();
  const store = (search: string, counts: number) =>
    writes.query(
      {
        name: 'store',
        text: `select clientele.store_map($1, $2, $3, '', '0', '{}', '0', gen_random_uuid(), 0)`,
      },
      [search, id, Buffer.alloc(counts)],
    );
  await writes.query({ name: 'cut', text: 'select clientele.store_bounds($1, $2)' }, [
    id,
    Buffer.alloc(80),
  ]);
  await expect(store('large', 700_000)).rejects.toMatchObject({ code: '23514' });
  for (let i = 0; i < 75; i += 1) await store(`s${i}`, 11);
  expect(await stored()).toHaveLength(70);
});

// The last one with this database: while a transaction is open anywhere in the cluster, states that are
// counted after a trim cannot be stored.
test('stored maps are not used if the log has been trimmed since', async () => {
  await storeMaps();
  await write(4, 50);
  await owner.query('select clientele.trim_changes(0)');
  const { served, scans } = start();
  expect(await served.total()).toBe(await customers());
  expect(scans()).toBeGreaterThan(0);
  expect(await differencesAtRest(served)).toEqual([]);
});

test('counts are the same after they were stored', () => {
  const count = fc.oneof(fc.nat(300), fc.nat(2 ** 31 - 1));
  fc.assert(
    fc.property(fc.array(count), (counts) => {
      const bytes = fromCounts(Int32Array.from(counts));
      expect(Array.from(toCounts(bytes, counts.length) ?? [])).toEqual(counts);
      expect(toCounts(bytes, counts.length + 1)).toBeUndefined();
    }),
    { numRuns: 1_000 },
  );
});
