/** Compares the service with the reference implementation on generated customers and searches. */
import type { WireCustomer, WireCustomerList } from '@clientele/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listMatches, listPage } from '@clientele/sandbox/testing/reference';
import { directoryAndSearch } from './setup/generated-searches.ts';
import { startTestService, type TestService } from '@clientele/sandbox/testing';

const numRuns = 300;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service[Symbol.asyncDispose]());

async function store(all: WireCustomer[]): Promise<void> {
  await service.database.query('delete from customers');
  await service.database.insert(all);
}

async function list(query: { search: string; page: number; perPage: number }) {
  const parameters = new URLSearchParams({
    search: query.search,
    page: String(query.page),
    perPage: String(query.perPage),
  });
  const response = await service.get(`/v3/customers?${parameters}`);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<WireCustomerList>();
}

const perPage = fc.constantFrom(1, 2, 3, 5, 5, 25, 25, 100);

test('any page of any search, at any page size, matches the reference', async () => {
  await fc.assert(
    fc.asyncProperty(
      directoryAndSearch,
      fc.constantFrom(1, 1, 2, 3, 7, 1_000_000_000),
      perPage,
      async ({ customers, search }, page, size) => {
        await store(customers);
        const query = { search, page, perPage: size };
        const { data, pagination } = await list(query);
        const expected = listPage(customers, query);
        expect(data).toEqual(expected.data);
        expect(pagination).toEqual({ page, per_page: size, total: expected.total });
      },
    ),
    { numRuns },
  );
});

test('all pages together contain each match once, in order', async () => {
  await fc.assert(
    fc.asyncProperty(directoryAndSearch, perPage, async ({ customers, search }, size) => {
      await store(customers);
      const found: string[] = [];
      for (let page = 1; ; page += 1) {
        const { data, pagination } = await list({ search, page, perPage: size });
        found.push(...data.map(({ uuid }) => uuid));
        expect(data.length).toBe(Math.min(size, Math.max(0, pagination.total - (page - 1) * size)));
        if (data.length < size) break;
      }
      const expected = listMatches(customers, search).map(({ uuid }) => uuid);
      expect(found).toEqual(expected);
    }),
    { numRuns },
  );
});
