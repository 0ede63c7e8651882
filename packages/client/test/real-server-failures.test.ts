/** The client against the real server on a real database: errors, aborts and broken connections. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '@clientele/sandbox';
import { patient } from '@clientele/sandbox/testing';
import { Nodes } from '@clientele/directory';
import { buildApp, readConfig } from '@clientele/server';
import { QueryClient } from '@tanstack/react-query';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  ContractError,
  createCustomersService,
  type CustomersService,
  customersQuery,
} from '@clientele/client';
import searchCases from '../../contract/fixtures/search-cases.json' with { type: 'json' };
import { apiError, serve, type Served } from './served.ts';

let served: Served;
let client: CustomersService;
beforeAll(async () => {
  served = await serve();
  client = served.client();
  await served.server.database.insert(searchCases.customers);
});
afterAll(() => served[Symbol.asyncDispose]());

describe('error responses', () => {
  test('401 without a key or with an unknown one', async () => {
    for (const headers of [{}, { authorization: 'Bearer nobody' }]) {
      const error = await apiError(served.client({ headers }).list());
      expect(error).toMatchObject({ status: 401, code: 'unauthenticated' });
      expect(error.requestId).toBe(error.problem!.request_id);
      expect(error.requestId).toMatch(/.+/);
    }
  });

  test('403 for a key without the scope', async () => {
    const { key } = await served.server.makeKey(['customers:lookup']);
    const error = await apiError(
      served.client({ headers: { authorization: `Bearer ${key}` } }).list(),
    );
    expect(error).toMatchObject({ status: 403, code: 'insufficient-scope' });
  });

  test('404 with its code for an unknown customer', async () => {
    expect(await apiError(client.get('nobody'))).toMatchObject({
      status: 404,
      code: 'customer-not-found',
      message: expect.stringMatching(/^404 Customer not found: /),
    });
  });

  test('400 names every invalid parameter and does not repeat its value', async () => {
    const search = 'Anna'.repeat(100);
    const error = await apiError(client.list({ page: Number.NaN, perPage: 101, search }));
    expect(error.status).toBe(400);
    expect(error.problem!.errors!.map(({ parameter, code }) => [parameter, code])).toEqual([
      ['page', 'invalid-page'],
      ['perPage', 'invalid-per-page'],
      ['search', 'search-too-long'],
    ]);
    expect(JSON.stringify(error.problem)).not.toContain('Anna');
  });

  test('429 above the rate limit, with the seconds to wait', async () => {
    await using limited = await serve({ CLIENTELE_RATE_READS: '2' });
    const allowed = limited.client();
    await allowed.list();
    await allowed.list();
    const error = await apiError(allowed.list());
    expect(error).toMatchObject({ status: 429, code: 'rate-limited' });
    expect(error.retryAfter).toBeGreaterThan(0);
    expect(error.retryAfter).toBeLessThanOrEqual(60);
  });

  test('429 once a key has been shown its customers of the day, with the seconds until the next', async () => {
    const { key } = await served.server.makeKey(undefined, { recordsPerDay: 1 });
    const limited = served.client({ headers: { authorization: `Bearer ${key}` } });
    await limited.list({ perPage: 1 });
    const error = await apiError(limited.list({ perPage: 1 }));
    expect(error).toMatchObject({ status: 429, code: 'records-used-up' });
    expect(error.retryAfter).toBeGreaterThan(0);
    expect(error.retryAfter).toBeLessThanOrEqual(86_400);
  });

  test('503 while the database is unavailable, with the seconds to wait', async () => {
    const config = readConfig({
      DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/nothing`,
      CLIENTELE_AUTH: 'none',
    });
    const nodes = new Nodes(config);
    const app = await buildApp({
      config,
      nodes,
      readiness: { checked: true, draining: false },
      logStream: { write: () => undefined },
    });
    const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
    const error = await apiError(createCustomersService({ baseUrl }).list());
    expect(error).toMatchObject({ status: 503, code: 'database-unavailable' });
    expect(error.retryAfter).toBeGreaterThan(0);
    app.server.closeAllConnections();
    await app.close();
    await nodes.close();
  });
});

describe('an abort', () => {
  /** Nothing else that the server runs has as many parameters. */
  const search = 'one two three four five six seven eight';
  /** Backends waiting for a lock on the customers table, because of the search. */
  const waiting = () =>
    served.server.database.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and state = 'active'
         and query like '%$17%'`,
    );
  /** Runs `work` while reads of the customers table block. */
  async function whileLocked(work: () => Promise<void>): Promise<void> {
    const locker = await served.server.database.connect();
    // A commit: cached pages have to be read again.
    await locker.query('select pg_current_xact_id()');
    await locker.query('begin');
    await locker.query('lock table customers in access exclusive mode');
    try {
      await work();
    } finally {
      await locker.query('rollback');
    }
  }

  /** Waits until the server's query is running, aborts it, and waits until it has ended. */
  async function expectCancellation(abort: () => unknown): Promise<void> {
    const start = performance.now();
    const polling = { timeout: patient.list, interval: 20 };
    await vi.waitUntil(async () => (await waiting()).length === 1, polling);
    await abort();
    await vi.waitUntil(async () => (await waiting()).length === 0, polling);
    const elapsed = performance.now() - start;
    expect(elapsed, 'ended before the statement timeout').toBeLessThan(patient.list);
  }

  test('is rethrown to the caller, and the server cancels its query', async () => {
    await whileLocked(async () => {
      const controller = new AbortController();
      await Promise.all([
        expect(client.list({ search, signal: controller.signal })).rejects.toThrow(
          expect.objectContaining({ name: 'AbortError' }),
        ),
        expectCancellation(() => controller.abort()),
      ]);
    });
  });

  test('by cancelling a TanStack query also cancels the query on the server', async () => {
    await whileLocked(async () => {
      const queryClient = new QueryClient();
      const query = customersQuery(client, { search });
      await Promise.all([
        expect(queryClient.fetchQuery(query)).rejects.toThrow('CancelledError'),
        expectCancellation(() => queryClient.cancelQueries({ queryKey: query.queryKey })),
      ]);
    });
  });
});

describe('a broken connection', () => {
  test('to a closed port is the error that fetch threw', async () => {
    const nowhere = createCustomersService({ baseUrl: `http://127.0.0.1:${await freePort()}` });
    await expect(nowhere.list()).rejects.toThrow(
      expect.objectContaining({
        name: 'TypeError',
        cause: expect.objectContaining({ code: 'ECONNREFUSED' }),
      }),
    );
  });

  /** A client behind a proxy that forwards half of each body. */
  async function truncating(cut: boolean): Promise<CustomersService & AsyncDisposable> {
    const proxy = createServer((request, response) => {
      const pass = async (): Promise<void> => {
        const headers = request.headers as Record<string, string>;
        const body = await (await fetch(served.url + request.url, { headers })).text();
        const half = body.slice(0, body.length / 2);
        const length = Buffer.byteLength(cut ? body : half);
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
        response.write(half, () => (cut ? response.destroy() : response.end()));
      };
      pass().catch(() => response.destroy());
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

  test('with a truncated JSON body is a ContractError', async () => {
    await using half = await truncating(false);
    await expect(half.list()).rejects.toThrow(ContractError);
  });

  test('closed in the middle of a body is a network failure', async () => {
    await using half = await truncating(true);
    await expect(half.list()).rejects.toThrow(TypeError);
  });
});
