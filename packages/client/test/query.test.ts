// @vitest-environment happy-dom
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { customerKeys, customerQuery, customersQuery, toCustomerPage } from '@clientele/client';
import { customer, directory, fifty } from './directory.ts';

const minutes = (n: number) => n * 60_000;
const seconds = (n: number) => n * 1000;

afterEach(() => {
  vi.useRealTimers();
});

describe('the cache key', () => {
  const { service } = directory([], { perPage: 25 });
  const key = (params: Parameters<typeof customersQuery>[1]) =>
    customersQuery(service, params).queryKey;

  test('consists of "customers", "list", the page and the search', () => {
    expect(key({ page: 2, search: 'anna' })).toEqual(['customers', 'list', 2, 'anna']);
  });

  test('is the same for every way to request page 1 of the whole list', () => {
    for (const params of [
      undefined,
      {},
      { page: 1 },
      { search: '' },
      { search: '  ' },
      { perPage: 25 },
    ]) {
      expect(key(params)).toEqual(['customers', 'list', 1, '']);
    }
  });

  test('has the trimmed search, and so does the request', async () => {
    const { service: trimming, requests } = directory(fifty);
    await new QueryClient().fetchQuery(customersQuery(trimming, { search: '  Customer 7\n' }));
    expect(key({ search: '  Customer 7\n' })).toEqual(['customers', 'list', 1, 'Customer 7']);
    expect(requests).toEqual(['/v3/customers?page=1&search=Customer+7']);
  });

  test("has a fifth element if the page size differs from the service's", () => {
    expect(key({ page: 2, search: 'anna', perPage: 50 })).toEqual([
      'customers',
      'list',
      2,
      'anna',
      50,
    ]);
  });

  test('of one customer ignores the case of the identifier', () => {
    const id = 'ABCDEF00-0000-4000-8000-000000000001';
    expect(customerQuery(service, id).queryKey).toEqual(['customers', 'detail', id.toLowerCase()]);
  });

  test('of a list starts with lists(), of a customer with details(), and both with all', () => {
    expect(customerKeys.all).toEqual(['customers']);
    expect(customerKeys.list(1, 'a').slice(0, 2)).toEqual(customerKeys.lists());
    expect(customerKeys.detail('1').slice(0, 2)).toEqual(customerKeys.details());
  });
});

describe('freshness', () => {
  test('a cached list is fresh for 5 minutes: no request at 4:59, one at 5:01', async () => {
    const { service, requests } = directory(fifty);
    const client = new QueryClient();
    const start = Date.UTC(2026, 0, 1);
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    await client.fetchQuery(customersQuery(service));
    expect(requests).toHaveLength(1);

    vi.setSystemTime(start + minutes(4) + seconds(59));
    await client.fetchQuery(customersQuery(service));
    expect(requests, 'at 4:59').toHaveLength(1);

    vi.setSystemTime(start + minutes(5) + seconds(1));
    await client.fetchQuery(customersQuery(service));
    expect(requests, 'at 5:01').toHaveLength(2);
  });
});

describe('the cache', () => {
  test('holds wire data, and select maps it', async () => {
    const { service } = directory(fifty);
    const client = new QueryClient();
    const query = customersQuery(service, { page: 2 });
    const wire = await client.fetchQuery(query);
    expect(client.getQueryData(query.queryKey)).toBe(wire);
    expect(wire.data[0]).toEqual(customer(26));
    expect(query.select(wire)).toEqual(toCustomerPage(wire));
    expect(customersQuery(service).select, 'the same function for all queries').toBe(query.select);
  });

  test('keeps the identity of rows that a refetch did not change', async () => {
    const it = directory(fifty);
    const client = new QueryClient();
    const observer = new QueryObserver(client, customersQuery(it.service));
    const { data: before } = await observer.refetch();
    it.customers = [customer(1, { full_name: 'Renamed' }), ...fifty.slice(1)];
    const { data: after } = await observer.refetch();
    expect(after!.items[0]!.name).toBe('Renamed');
    expect(after!.items[1]).toBe(before!.items[1]);
  });

  test('keeps pages of different sizes apart', async () => {
    const { service, requests } = directory(fifty, { perPage: 10 });
    const client = new QueryClient();
    const ten = await client.fetchQuery(customersQuery(service));
    const twenty = await client.fetchQuery(customersQuery(service, { perPage: 20 }));
    const tenAgain = await client.fetchQuery(customersQuery(service));
    expect([ten, twenty, tenAgain].map(({ data }) => data.length)).toEqual([10, 20, 10]);
    expect(requests).toEqual([
      '/v3/customers?page=1&search=&perPage=10',
      '/v3/customers?page=1&search=&perPage=20',
    ]);
  });
});

describe('one customer', () => {
  const id = customer(3).uuid;

  test('starts with the row of a cached list, without a request while that list is fresh', async () => {
    const { service, requests } = directory(fifty);
    const client = new QueryClient();
    const list = await client.fetchQuery(customersQuery(service));
    const detail = await client.fetchQuery(customerQuery(service, id, client));
    expect(detail).toEqual({ data: list.data[2] });
    expect(requests).toHaveLength(1);
    expect(client.getQueryState(customerKeys.detail(id))!.dataUpdatedAt).toBe(
      client.getQueryState(customerKeys.list())!.dataUpdatedAt,
    );
  });

  test('is fetched if the list is older than 5 minutes, showing its row in the meantime', async () => {
    const it = directory(fifty);
    const client = new QueryClient();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) });
    await client.fetchQuery(customersQuery(it.service));
    vi.setSystemTime(Date.UTC(2026, 0, 1) + minutes(5) + seconds(1));
    it.customers = [customer(3, { full_name: 'Renamed' })];
    const observer = new QueryObserver(client, customerQuery(it.service, id, client));
    expect(observer.getCurrentResult().data!.name).toBe('Customer 3');
    await new Promise<void>((resolve) => {
      observer.subscribe(({ data }) => {
        if (data?.name === 'Renamed') resolve();
      });
    });
    observer.destroy();
    expect(it.requests).toEqual(['/v3/customers?page=1&search=', `/v3/customers/${id}`]);
  });

  test('is fetched if the list was invalidated', async () => {
    const { service, requests } = directory(fifty);
    const client = new QueryClient();
    await client.fetchQuery(customersQuery(service));
    await client.invalidateQueries({ queryKey: customerKeys.lists() });
    await client.fetchQuery(customerQuery(service, id, client));
    expect(requests.at(-1)).toBe(`/v3/customers/${id}`);
  });

  test('starts with the most recent of several cached rows', async () => {
    const it = directory(fifty);
    const client = new QueryClient();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) });
    await client.fetchQuery(customersQuery(it.service, { search: 'Customer' }));
    vi.setSystemTime(Date.UTC(2026, 0, 1) + minutes(1));
    it.customers = [customer(3, { full_name: 'Renamed' })];
    await client.fetchQuery(customersQuery(it.service));
    expect(await client.fetchQuery(customerQuery(it.service, id.toUpperCase(), client))).toEqual({
      data: it.customers[0],
    });
  });
});

test('cancelling a query aborts its request', async () => {
  const it = directory(fifty);
  it.answers = [new Promise<Response>(() => undefined)];
  const client = new QueryClient();
  let signal: AbortSignal | undefined;
  const spied = {
    ...it.service,
    list: (params: { signal?: AbortSignal | undefined } = {}) => (
      (signal = params.signal),
      it.service.list(params)
    ),
  };
  const answer = client.fetchQuery(customersQuery(spied));
  await Promise.all([
    expect(answer).rejects.toThrow('CancelledError'),
    client.cancelQueries({ queryKey: customerKeys.all }),
  ]);
  expect(signal!.aborted).toBe(true);
});
