/** The rows of a search that was never counted come before its total, which is exact: docs/decisions/rows-first.md. */
import type { WireCustomerList } from '@clientele/contract';
import {
  insertRandomCustomers,
  Random,
  sorts,
  startTestService,
  type TestService,
} from '@clientele/sandbox/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addOrder, orders, prepareMasking } from '@clientele/directory';
import { crowd, holdCounts } from './setup/held-counts.ts';
import { listen } from './setup/raw-http.ts';
import { openList } from './setup/two-pieces.ts';

let service: TestService;
let origin: string;
let masked: string;
beforeAll(async () => {
  service = await startTestService({ CLIENTELE_AUDIT: 'on', CLIENTELE_WARM_UP: 'off' });
  const client = await service.database.connect();
  await insertRandomCustomers(client, new Random(7), 600);
  await prepareMasking(await service.database.connect());
  for (const order of orders) await addOrder(await service.database.connect(), order);
  await client.query('analyze customers');
  masked = (await service.makeKey(['customers:list', 'customers:search'])).key;
  origin = `http://127.0.0.1:${await listen(service.app)}`;
});
afterAll(() => service[Symbol.asyncDispose]());

const open = (query: string, key = service.key) => openList(`${origin}/v3/customers?${query}`, key);

describe('while the search cannot be counted', () => {
  test('its rows are sent, and the total follows in the same body', async () => {
    using held = await holdCounts(service.nodes);
    const list = await open('search=smith&perPage=5');
    const rows = await list.rows();
    expect(rows).toHaveLength(5);
    expect(list.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'transfer-encoding': 'chunked',
      'x-accel-buffering': 'no',
      'preference-applied': 'rows-first',
    });
    held.release();
    const body = await list.whole();
    expect(body.data).toEqual(rows);
    const again = await service.get('/v3/customers?search=smith&perPage=5');
    expect(again.json<WireCustomerList>()).toEqual(body);
    expect(again.headers['content-length'], 'counted now').toBeDefined();
  });

  test('the rows on record are those that were sent, before they are', async () => {
    using held = await holdCounts(service.nodes);
    const list = await open('search=annab&perPage=4');
    const rows = await list.rows();
    const [entry] = await service.database.query<{ total: number | null; shown: string[] }>(
      `select e.total, e.customers::text[] as shown from clientele.audit_entries as e where e.request_id = $1`,
      [list.headers['x-request-id']],
    );
    held.release();
    expect(entry).toEqual({ total: null, shown: rows.map(({ uuid }) => uuid) });
    await list.whole();
  });

  test('a page that is not full needs no count', async () => {
    const [rare] = await service.database.query<{ email: string }>(
      `select email_address as email from customers where email_address <> '' limit 1`,
    );
    using held = await holdCounts(service.nodes);
    const list = await open(`search=${encodeURIComponent(rare!.email)}`);
    held.release();
    expect(list.headers['content-length']).toBeDefined();
    const { data, pagination } = await list.whole();
    expect(data.length).toBeGreaterThan(0);
    expect(pagination.total).toBe(data.length);
  });

  test('and too many counts wait already, a page that is not full is answered and a full one refused', async () => {
    const [, rare] = await service.database.query<{ email: string }>(
      `select email_address as email from customers where email_address <> '' limit 2`,
    );
    using _held = await holdCounts(service.nodes);
    using _waiting = crowd(service.nodes);
    const list = await open(`search=${encodeURIComponent(rare!.email)}`);
    const { data, pagination } = await list.whole();
    expect(pagination.total).toBe(data.length);
    const refused = await open('search=smi&perPage=1');
    expect(refused.status).toBe(503);
    expect(JSON.parse(await refused.text())).toMatchObject({ code: 'overloaded' });
  });

  test('a deep page waits for its count', async () => {
    using held = await holdCounts(service.nodes);
    const response = service.get('/v3/customers?search=a&perPage=100&page=6');
    const rowsOfAnother = await open('search=lee&perPage=1');
    await rowsOfAnother.rows();
    held.release();
    expect((await response).headers['content-length']).toBeDefined();
    await rowsOfAnother.whole();
  });

  test('HEAD has the length of the whole body', async () => {
    using held = await holdCounts(service.nodes);
    const url = '/v3/customers?search=zoe&perPage=2';
    const headers = { authorization: `Bearer ${service.key}` };
    const head = service.app.inject({ method: 'HEAD', url, headers });
    const rowsOfAnother = await open('search=ida&perPage=1');
    await rowsOfAnother.rows();
    held.release();
    const { body } = await service.get(url);
    expect((await head).headers['content-length']).toBe(String(Buffer.byteLength(body)));
    await rowsOfAnother.whole();
  });

  test('identical requests share the rows and the total', async () => {
    using held = await holdCounts(service.nodes);
    const lists = await Promise.all(Array.from({ length: 5 }, () => open('search=bo&perPage=3')));
    const rows = await Promise.all(lists.map((list) => list.rows()));
    held.release();
    const bodies = await Promise.all(lists.map((list) => list.whole()));
    expect(new Set(rows.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(new Set(bodies.map((each) => JSON.stringify(each))).size).toBe(1);
  });
});

test('a body in two pieces is the same as in one: every view, order and filter', async () => {
  const filters = ['', '&verified=true', '&hasOrders=false', '&verified=false&hasOrders=true'];
  const ranges = ['', '&joinedFrom=2024-01-01', '&joinedTo=2024-06-01&joinedFrom=2020-01-01'];
  const queries = sorts.flatMap((sort, i) =>
    ['', 'search=e', 'search=sm'].map(
      (search, j) =>
        `${search}&sort=${sort}${filters[(i + j) % 4]}${ranges[(i + 2 * j) % 3]}&perPage=3&page=${1 + (i % 3)}`,
    ),
  );
  let inTwo = 0;
  for (const key of [service.key, masked]) {
    for (const query of queries) {
      using held = await holdCounts(service.nodes);
      const opened = open(query, key);
      // A search without a match, or with few, is not sent in two pieces.
      const first = await opened.then((list) => list.first());
      if (first) inTwo += 1;
      held.release();
      const list = await opened;
      const body = await list.whole();
      const { body: whole } = await service.get(`/v3/customers?${query}`, {
        authorization: `Bearer ${key}`,
      });
      expect(JSON.stringify(body), query).toBe(whole);
    }
  }
  expect(inTwo, 'most of them were sent in two pieces').toBeGreaterThan(queries.length / 2);
});
