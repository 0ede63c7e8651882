import { readFileSync } from 'node:fs';
import type { WireCustomer, WireCustomerList } from '@clientele/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '@clientele/sandbox/testing';

interface SearchCases {
  customers: WireCustomer[];
  cases: { search: string; why: string; expect: string[] }[];
}

const { customers, cases } = JSON.parse(
  readFileSync(new URL('../../contract/fixtures/search-cases.json', import.meta.url), 'utf8'),
) as SearchCases;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.database.insert(customers);
});
afterAll(() => service[Symbol.asyncDispose]());

describe.each([1, 2, 25, 100])('with %i customers per page', (perPage) => {
  test.each(cases)('$search: $why', async ({ search, expect: expected }) => {
    const found: string[] = [];
    for (let page = 1; page <= Math.max(1, Math.ceil(expected.length / perPage)); page += 1) {
      const query = new URLSearchParams({ search, page: String(page), perPage: String(perPage) });
      const response = await service.get(`/v3/customers?${query}`);
      expect(response.statusCode, response.body).toBe(200);
      const { data, pagination } = response.json<WireCustomerList>();
      expect(pagination).toEqual({ page, per_page: perPage, total: expected.length });
      found.push(...data.map(({ uuid }) => uuid));
    }
    expect(found).toEqual(expected);
  });
});

test('customers are returned as they were stored', async () => {
  const { data } = (await service.get('/v3/customers?perPage=100')).json<WireCustomerList>();
  const byId = new Map(customers.map((customer) => [customer.uuid, customer]));
  for (const customer of data) expect(customer).toEqual(byId.get(customer.uuid));
  expect(data).toHaveLength(customers.length);
});
