/** The client against the real server on a real database. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildApp, openDatabase, readConfig } from '@clientele/server';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  ApiError,
  createCustomersService,
  type CustomersService,
  customersQuery,
  toCustomerPage,
  type WireCustomer,
} from '@clientele/client';
import { QueryClient } from '@tanstack/react-query';
import searchCases from '../../contract/fixtures/search-cases.json' with { type: 'json' };
import { wireCustomer } from './directory.ts';
import { timeouts } from '@clientele/server';
import { serve, type Served } from './served.ts';

const customers = searchCases.customers as WireCustomer[];
let served: Served;
let client: CustomersService;
beforeAll(async () => {
  served = await serve();
  client = served.client();
  await served.server.database.insert(customers);
});
afterAll(() => served[Symbol.asyncDispose]());

/** The ApiError the promise is rejected with. */
async function refusal(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => expect.unreachable('should have been refused'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

describe('paging', () => {
  test.each([1, 7, 25, 100])('by %i gives every customer once, in order', async (perPage) => {
    const all = await client.list({ perPage: 100 });
    expect(new Set(all.data.map(({ uuid }) => uuid))).toEqual(
      new Set(customers.map(({ uuid }) => uuid)),
    );
    const sized = served.client({ perPage });
    const walked: WireCustomer[] = [];
    for (let page = 1; walked.length < customers.length; page += 1) {
      const { data, pagination } = await sized.list({ page });
      expect(pagination).toEqual({ page, per_page: perPage, total: customers.length });
      expect(data.length).toBeGreaterThan(0);
      walked.push(...data);
    }
    expect(walked).toEqual(all.data);
  });

  test('past the end is an empty page with the true total', async () => {
    expect(toCustomerPage(await client.list({ page: 1000 }))).toEqual({
      items: [],
      page: 1000,
      total: customers.length,
    });
  });
});

describe('searching', () => {
  test.each(searchCases.cases)('$search: $why', async ({ search, expect: expected }) => {
    const { data, pagination } = await client.list({ search, perPage: 100 });
    expect(data.map(({ uuid }) => uuid)).toEqual(expected);
    expect(pagination.total).toBe(expected.length);
  });
});

describe('one customer', () => {
  test('is found by its identifier, in either case', async () => {
    const [customer] = customers;
    expect(await client.get(customer!.uuid)).toEqual({ data: customer });
    expect(await client.get(customer!.uuid.toUpperCase())).toEqual({ data: customer });
  });

  test.each([
    '00000000-0000-4000-8000-00000000ffff',
    'a/b',
    '100%',
    '?',
    '#',
    ' ',
    '.',
    '..',
    '😀',
  ])('is a 404 for %j', async (id) => {
    const error = await refusal(client.get(id));
    expect(error.status).toBe(404);
  });
});

test('any customer the contract allows comes through as it was stored, and can be mapped', async () => {
  await using empty = await serve();
  const stored = fc.sample(wireCustomer, { numRuns: 1000, seed: 3 });
  await empty.server.database.insert(stored);
  const sized = empty.client({ perPage: 100 });
  const pages = await Promise.all(
    Array.from({ length: 10 }, (_, n) => sized.list({ page: n + 1 })),
  );
  const byId = new Map(stored.map((customer) => [customer.uuid, customer]));
  for (const received of pages.flatMap(({ data }) => data)) {
    expect(received).toEqual(byId.get(received.uuid));
  }
  expect(pages.flatMap((page) => toCustomerPage(page).items)).toHaveLength(1000);
});

describe('refusals', () => {
  test('401 without a key and with a wrong one', async () => {
    for (const headers of [{}, { authorization: 'Bearer nobody' }]) {
      const error = await refusal(served.client({ headers }).list());
      expect(error).toMatchObject({ status: 401, code: 'unauthenticated' });
      expect(error.requestId).toBe(error.problem!.request_id);
      expect(error.requestId).toMatch(/.+/);
    }
  });

  test('403 for a key that may not do this', async () => {
    const { key } = await served.server.makeKey(['customers:lookup']);
    const error = await refusal(
      served.client({ headers: { authorization: `Bearer ${key}` } }).list(),
    );
    expect(error).toMatchObject({ status: 403, code: 'insufficient-scope' });
  });

  test('404 for nobody, with the code to tell it by', async () => {
    expect(await refusal(client.get('nobody'))).toMatchObject({
      status: 404,
      code: 'customer-not-found',
      message: expect.stringMatching(/^404 Customer not found: /),
    });
  });

  test('400 names every parameter at fault, and not what was sent', async () => {
    const search = 'Anna'.repeat(100);
    const error = await refusal(client.list({ page: Number.NaN, perPage: 101, search }));
    expect(error.status).toBe(400);
    expect(error.problem!.errors!.map(({ parameter, code }) => [parameter, code])).toEqual([
      ['page', 'invalid-page'],
      ['perPage', 'invalid-per-page'],
      ['search', 'search-too-long'],
    ]);
    expect(JSON.stringify(error.problem)).not.toContain('Anna');
  });

  test('429 past the rate, with the seconds to wait', async () => {
    await using limited = await serve({ CLIENTELE_RATE_READS: '2' });
    const allowed = limited.client();
    await allowed.list();
    await allowed.list();
    const error = await refusal(allowed.list());
    expect(error).toMatchObject({ status: 429, code: 'rate-limited' });
    expect(error.retryAfter).toBeGreaterThan(0);
    expect(error.retryAfter).toBeLessThanOrEqual(60);
  });

  test('503 while the database is down, with the seconds to wait', async () => {
    const config = readConfig({
      DATABASE_URL: `postgres://nobody@127.0.0.1:${await closedPort()}/nothing`,
      CLIENTELE_AUTH: 'none',
    });
    const database = openDatabase(config.database);
    const app = await buildApp({
      config,
      database,
      readiness: { checked: true, draining: false },
      logStream: { write: () => undefined },
    });
    const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
    const error = await refusal(createCustomersService({ baseUrl }).list());
    expect(error).toMatchObject({ status: 503, code: 'database-unavailable' });
    expect(error.retryAfter).toBeGreaterThan(0);
    app.server.closeAllConnections();
    await app.close();
    await database.close();
  });
});

describe('an abort', () => {
  /** Backends that wait for the customers table. */
  const waiting = () =>
    served.server.database.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and state = 'active'`,
    );
  /** While the table is locked, every read of it waits. */
  async function whileLocked(work: () => Promise<void>): Promise<void> {
    const locker = await served.server.database.connect();
    await locker.query('begin');
    await locker.query('lock table customers in access exclusive mode');
    try {
      await work();
    } finally {
      await locker.query('rollback');
    }
  }

  /** Waits for the server's query to be there, hangs up, and waits for it to be gone. */
  async function watchHangUp(hangUp: () => unknown): Promise<void> {
    const start = performance.now();
    const patience = { timeout: timeouts.list, interval: 20 };
    await vi.waitUntil(async () => (await waiting()).length === 1, patience);
    await hangUp();
    await vi.waitUntil(async () => (await waiting()).length === 0, patience);
    const elapsed = performance.now() - start;
    expect(elapsed, 'gone before the statement timeout could end it').toBeLessThan(timeouts.list);
  }

  test('reaches the caller as it is, and the server cancels the query behind it', async () => {
    await whileLocked(async () => {
      const controller = new AbortController();
      await Promise.all([
        expect(client.list({ signal: controller.signal })).rejects.toThrow(
          expect.objectContaining({ name: 'AbortError' }),
        ),
        watchHangUp(() => controller.abort()),
      ]);
    });
  });

  test('of a cancelled TanStack query does the same', async () => {
    await whileLocked(async () => {
      const queryClient = new QueryClient();
      const query = customersQuery(client, { search: 'anna' });
      await Promise.all([
        expect(queryClient.fetchQuery(query)).rejects.toThrow('CancelledError'),
        watchHangUp(() => queryClient.cancelQueries({ queryKey: query.queryKey })),
      ]);
    });
  });
});

describe('a broken way', () => {
  test('with nobody listening, the failure is the one fetch threw', async () => {
    const nowhere = createCustomersService({ baseUrl: `http://127.0.0.1:${await closedPort()}` });
    await expect(nowhere.list()).rejects.toThrow(
      expect.objectContaining({
        name: 'TypeError',
        cause: expect.objectContaining({ code: 'ECONNREFUSED' }),
      }),
    );
  });

  /** Stands between the client and the real server, and passes on half of each body. */
  async function halving(cut: boolean): Promise<CustomersService & AsyncDisposable> {
    const proxy = createServer((request, response) => {
      const pass = async (): Promise<void> => {
        const headers = request.headers as Record<string, string>;
        const body = await (await fetch(served.url + request.url, { headers })).text();
        const half = body.slice(0, body.length / 2);
        const length = Buffer.byteLength(cut ? body : half);
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
        response.write(half, () => (cut ? response.destroy() : response.end()));
      };
      void pass();
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    return {
      ...served.client({ baseUrl: `http://127.0.0.1:${port}` }),
      async [Symbol.asyncDispose]() {
        proxy.closeAllConnections();
        proxy.close();
        await once(proxy, 'close');
      },
    };
  }

  test('a body that ends as invalid JSON is a SyntaxError', async () => {
    await using half = await halving(false);
    await expect(half.list()).rejects.toThrow(SyntaxError);
  });

  test('a connection cut in the middle of a body is the network failure it is', async () => {
    await using half = await halving(true);
    await expect(half.list()).rejects.toThrow(TypeError);
  });
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
