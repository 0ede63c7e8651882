/** Queries that time out, or whose client has disconnected, are canceled in the database too. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';
import { promised } from '@clientele/sandbox/testing/machine';
import { customers } from './setup/customers.ts';
import { makeKey, startService, type Service } from './setup/executable.ts';
import { busyBackends, heldSearch, holdSearches, type Hold } from './setup/held-search.ts';
import { httpGet, startLoad, failures } from './setup/load.ts';

let database: TestDatabase;
let service: Service;
let key: string;
let hold: Hold;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.insert(customers);
  key = await makeKey(database.url);
  hold = await holdSearches(database);
  service = await startService({ DATABASE_URL: database.url });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const get = (path: string, by = key) => httpGet(service.url + path, by);
const lookups = customers.map(({ uuid }) => `/v3/customers/${uuid}`);
const timedOut = { status: 504, body: { code: 'query-timeout' } };

/** Resolves when no query of the service waits for a lock; fails after one second. */
const noQueryWaits = () =>
  vi.waitFor(
    async () => {
      const waiting = (await busyBackends(database)).filter(({ onLock }) => onLock);
      expect(waiting, 'backends that still wait').toEqual([]);
    },
    { timeout: promised(1_000), interval: 50 },
  );

test('searches that hang get 504 after their timeout and leave no backend, while lookups and lists continue', async () => {
  // With three keys, because one may not use all connections for searches.
  const keys = await Promise.all([1, 2, 3].map(() => makeKey(database.url)));
  const hanging = keys.map((by, which) => get(heldSearch(which), by));
  await hold.running(3);
  await using load = startLoad({
    targets: [service.url],
    paths: [...lookups, '/v3/customers'],
    key,
    clients: 2,
  });
  // All connections that read the text of a search are in use, so a fourth search is rejected after 1.5 s.
  const fourth = await get('/v3/customers?search=customer');
  expect(fourth).toMatchObject({ status: 503, body: { code: 'overloaded' } });
  expect(fourth.headers['retry-after']).toBe('1');
  expect(fourth.ms).toBeLessThan(promised(2_100));
  for (const response of await Promise.all(hanging)) {
    expect(response).toMatchObject(timedOut);
    expect(response.ms).toBeGreaterThan(4_900);
    expect(response.ms).toBeLessThan(promised(6_000));
  }
  await noQueryWaits();
  await load.stop();
  expect(failures(load.responses)).toEqual({});
  expect(Math.max(...load.responses.map(({ ms }) => ms))).toBeLessThan(promised(1_000));
  expect(await get('/v3/customers?search=customer')).toMatchObject({ status: 200 });
});

test('queries on a locked table get 504 after their timeout, and no backend is left a second later', async () => {
  const locker = await database.connect();
  // A commit: cached pages have to be read again.
  await locker.query('select pg_current_xact_id()');
  await locker.query('begin; lock table customers in access exclusive mode');
  const [list, lookup, search, health] = await Promise.all([
    get('/v3/customers'),
    get(lookups[0]!),
    get('/v3/customers?search=customer'),
    httpGet(`${service.url}/readyz`),
  ]);
  await noQueryWaits();
  await locker.query('rollback');
  for (const response of [list, lookup, search]) expect(response).toMatchObject(timedOut);
  expect(lookup.ms).toBeGreaterThan(450);
  expect(lookup.ms).toBeLessThan(promised(1_000));
  for (const { ms } of [list, search]) {
    expect(ms).toBeGreaterThan(4_900);
    expect(ms).toBeLessThan(promised(6_000));
  }
  expect(
    health.status,
    'a locked table is no reason to restart the instance or to route around it',
  ).toBe(200);
  expect([(await get('/v3/customers')).status, (await get(lookups[0]!)).status]).toEqual([
    200, 200,
  ]);
});

test('an instance whose lookups are all busy stays ready', async () => {
  const locker = await database.connect();
  await locker.query('begin; lock table customers in access exclusive mode');
  const stopping = new AbortController();
  // Lookups end after half a second, and those that arrive together share a connection.
  const keepBusy = async (path: string): Promise<void> => {
    while (!stopping.signal.aborted) {
      await get(path);
      await sleep(100 * Math.random());
    }
  };
  const busy = lookups.slice(0, 3).map(keepBusy);
  try {
    await vi.waitFor(async () => expect(await busyBackends(database)).toHaveLength(3), 300_000);
    expect((await httpGet(`${service.url}/readyz`)).status).toBe(200);
  } finally {
    stopping.abort();
    await locker.query('rollback');
    await Promise.all(busy);
  }
});

test('the query of a client that disconnects is canceled', async () => {
  const request = http.get(service.url + heldSearch(4), {
    agent: false,
    headers: { authorization: `Bearer ${key}` },
  });
  const closed = new Promise((resolve) => request.on('error', resolve));
  await hold.running(1);
  request.destroy();
  await closed;
  await noQueryWaits();
  // The connection is reused: a late cancel request would hit one of these.
  for (let i = 0; i < 20; i += 1) {
    expect(await get('/v3/customers?search=customer')).toMatchObject({ status: 200 });
  }
});
