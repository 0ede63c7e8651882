/** The client against the real server on a real database: what it reads. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CustomersService, toCustomerPage, type WireCustomer } from '@clientele/client';
import searchCases from '../../contract/fixtures/search-cases.json' with { type: 'json' };
import { wireCustomer } from './directory.ts';
import { apiError, serve, type Served } from './served.ts';

const customers = searchCases.customers as WireCustomer[];
let served: Served;
let client: CustomersService;
beforeAll(async () => {
  served = await serve();
  client = served.client();
  await served.server.database.insert(customers);
});
afterAll(() => served[Symbol.asyncDispose]());

describe('pagination', () => {
  test.each([1, 7, 25, 100])(
    'with %i per page returns every customer once, in order',
    async (perPage) => {
      const all = await client.list({ perPage: 100 });
      expect(new Set(all.data.map(({ uuid }) => uuid))).toEqual(
        new Set(customers.map(({ uuid }) => uuid)),
      );
      const sized = served.client({ perPage });
      const collected: WireCustomer[] = [];
      for (let page = 1; collected.length < customers.length; page += 1) {
        const { data, pagination } = await sized.list({ page });
        expect(pagination).toEqual({ page, per_page: perPage, total: customers.length });
        expect(data.length).toBeGreaterThan(0);
        collected.push(...data);
      }
      expect(collected).toEqual(all.data);
    },
  );

  test('past the end returns an empty page with the exact total', async () => {
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
  test('is found by its identifier in upper or lower case', async () => {
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
    const error = await apiError(client.get(id));
    expect(error.status).toBe(404);
  });
});

test('any customer that the contract allows is returned as stored and can be mapped', async () => {
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
