/** Filters as documented in docs/api.md, for everybody and for masked callers. */
import type { WireCustomer, WireCustomerList } from '@clientele/contract';
import { blankCustomer } from '@clientele/contract/customer-fields';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '@clientele/sandbox/testing';
import { exportCustomers, parseListQuery, prepareMasking } from '@clientele/directory';

const customer = (number: number, rest: Partial<WireCustomer>): WireCustomer => ({
  ...blankCustomer,
  uuid: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
  full_name: `Customer ${number}`,
  email_address: `customer${number}@directory.example`,
  created_at: '2024-03-01T00:00:00.000Z',
  ...rest,
});
const stored = [
  customer(6, { created_at: '2024-03-02T00:00:00.000Z', is_verified: true, total_orders: 3 }),
  customer(5, { created_at: '2024-03-01T09:00:00.000Z', is_verified: true }),
  customer(4, { created_at: '2024-03-01T00:00:00.001Z', total_orders: 1 }),
  customer(3, { is_verified: true, total_orders: 1 }),
  customer(2, {}),
  customer(1, { created_at: '2024-02-29T23:59:59.999Z', is_verified: true }),
];

let service: TestService;
let masked: { authorization: string };
beforeAll(async () => {
  service = await startTestService();
  await service.database.insert(stored);
  await prepareMasking(await service.database.connect());
  const { key } = await service.makeKey(['customers:list', 'customers:search', 'customers:lookup']);
  masked = { authorization: `Bearer ${key}` };
});
afterAll(() => service[Symbol.asyncDispose]());

async function found(query: string, headers = {}): Promise<{ ids: number[]; total: number }> {
  const response = await service.get(`/v3/customers?${query}`, headers);
  expect(response.statusCode, response.body).toBe(200);
  const { data, pagination } = response.json<WireCustomerList>();
  return { ids: data.map(({ uuid }) => Number(uuid.slice(-1))), total: pagination.total };
}

const cases: [string, number[]][] = [
  ['verified=true', [6, 5, 3, 1]],
  ['verified=false', [4, 2]],
  ['hasOrders=true', [6, 4, 3]],
  ['hasOrders=false', [5, 2, 1]],
  ['verified=true&hasOrders=true', [6, 3]],
  ['verified=false&hasOrders=false', [2]],
  ['joinedFrom=2024-03-01', [6, 5, 4, 3, 2]],
  ['joinedTo=2024-03-01', [1]],
  ['joinedFrom=2024-03-01&joinedTo=2024-03-02', [5, 4, 3, 2]],
  ['joinedFrom=2024-03-01T10:00:00%2B01:00', [6, 5]],
  ['joinedFrom=2024-03-01T00:00:00.001Z&joinedTo=2024-03-01T09:00:00Z', [4]],
  ['joinedFrom=2024-03-01&joinedTo=2024-03-01', []],
  ['joinedFrom=2025-01-01', []],
  ['joinedFrom=1900-01-01&joinedTo=9999-12-31', [6, 5, 4, 3, 2, 1]],
  ['joinedTo=1900-01-01', []],
  ['verified=true&joinedTo=2024-03-02&hasOrders=false', [5, 1]],
  ['search=customer&verified=true&joinedFrom=2024-03-01', [6, 5, 3]],
  ['search=customer5&hasOrders=true', []],
  [`search=${stored[0]!.uuid}&verified=true&hasOrders=true&joinedFrom=2024-03-02`, [6]],
  [`search=${stored[0]!.uuid}&verified=false`, []],
  [`search=${stored[0]!.uuid}&hasOrders=false`, []],
  [`search=${stored[0]!.uuid}&joinedTo=2024-03-02`, []],
];

test.each(cases)('%s', async (query, ids) => {
  expect(await found(query)).toEqual({ ids, total: ids.length });
  // Addresses are hidden from these callers, but all have the word in their name.
  if (query.includes('customer5')) return;
  expect(await found(query, masked), 'masked').toEqual({ ids, total: ids.length });
});

test('pages of a filtered list do not overlap, and a page past its end has the total', async () => {
  expect(await found('verified=true&perPage=3')).toEqual({ ids: [6, 5, 3], total: 4 });
  expect(await found('verified=true&perPage=3&page=2')).toEqual({ ids: [1], total: 4 });
  expect(await found('verified=true&perPage=3&page=3')).toEqual({ ids: [], total: 4 });
});

test('an export with the same filters has the same customers', async () => {
  const client = await service.database.connect();
  for (const [query, ids] of cases) {
    const { search, filters } = parseListQuery(`?${query}`).query;
    const narrowing = filters ? { search, filters } : { search };
    const { total, batches } = await exportCustomers(client, { ...narrowing, count: true });
    const exported: number[] = [];
    for await (const batch of batches) exported.push(...batch.customers.map(idOf));
    expect({ query, exported, total }).toEqual({ query, exported: ids, total: ids.length });
  }
});

const idOf = (json: string): number => Number((JSON.parse(json) as WireCustomer).uuid.slice(-1));

test('a first order, a verification and their undoing move a customer between lists', async () => {
  const { uuid } = stored[4]!;
  const set = (change: string) =>
    service.database.query(`update customers set ${change} where uuid = '${uuid}'`);
  const both = ['verified=true&hasOrders=true', 'verified=true&hasOrders=true&joinedTo=2024-03-02'];
  const contents = () => Promise.all(both.map((query) => found(query)));
  expect(await contents()).toMatchObject([{ ids: [6, 3] }, { ids: [3] }]);
  await set('total_orders = 1, is_verified = true');
  expect(await contents()).toMatchObject([{ ids: [6, 3, 2] }, { ids: [3, 2] }]);
  await set('total_orders = 0, is_verified = false');
  expect(await contents()).toMatchObject([{ ids: [6, 3] }, { ids: [3] }]);
});

test('only changes that flip a flag are logged', async () => {
  const entries = async (change: string): Promise<number> => {
    const client = await service.database.connect();
    const count = 'select count(*)::int as n from clientele.changes';
    const before = (await client.query<{ n: number }>(count)).rows[0]!.n;
    await client.query(`update customers set ${change} where uuid = '${stored[0]!.uuid}'`);
    return (await client.query<{ n: number }>(count)).rows[0]!.n - before;
  };
  expect(await entries('total_orders = total_orders + 1, last_order_at = now()')).toBe(0);
  expect(await entries('is_verified = is_verified, lifetime_value_cents = 5')).toBe(0);
  expect(await entries('total_orders = 0')).toBe(1);
  expect(await entries('total_orders = 2, is_verified = not is_verified')).toBe(1);
  expect(await entries('is_verified = not is_verified')).toBe(1);
});

test('words that move between name and address together with a flag are one change', async () => {
  // The text of both fields together stays the same, that of the name does not.
  await service.database.query(
    `insert into customers (uuid, full_name, email_address)
     values ('00000000-0000-4000-8000-000000000007', 'Vera', 'Vera moved')`,
  );
  expect(await found('search=moved', masked)).toMatchObject({ total: 0 });
  expect(await found('search=moved&verified=true', masked)).toMatchObject({ total: 0 });
  await service.database.query(
    `update customers set full_name = 'Vera moved', email_address = 'Vera', is_verified = true
     where full_name = 'Vera'`,
  );
  expect(await found('search=moved', masked)).toMatchObject({ ids: [7], total: 1 });
  expect(await found('search=moved&verified=true', masked)).toMatchObject({ ids: [7], total: 1 });
  expect(await found('search=vera&verified=true')).toMatchObject({ ids: [7], total: 1 });
});
