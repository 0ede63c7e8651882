// @vitest-environment happy-dom
import { QueryClient } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import {
  customerKeys,
  customersInfiniteQuery,
  customersQuery,
  type CustomersQueryParams,
} from '@clientele/client';
import { useCustomers, usePrefetchCustomers } from '@clientele/client/react';
import { answering } from './answering.ts';
import { customer, directory } from './directory.ts';
import { inside } from './rendered.tsx';

const list = { data: [customer(1)], pagination: { page: 1, per_page: 25, total: 1 } };
const ok = () => Response.json(list);

describe('a request', () => {
  test('has the filters after the other parameters', async () => {
    const { service, url } = answering(ok);
    await service.list({
      joinedTo: '2024-04-01',
      joinedFrom: '2024-03-01',
      hasOrders: false,
      verified: true,
      perPage: 10,
    });
    expect(url().search).toBe(
      '?page=1&search=&perPage=10&verified=true&hasOrders=false&joinedFrom=2024-03-01&joinedTo=2024-04-01',
    );
  });

  test('has no filter that is undefined, and nothing that is no parameter', async () => {
    const { service, url } = answering(ok);
    const other = { verified: undefined, joinedFrom: undefined, unknown: 1 };
    await service.list({ page: 2, ...other });
    expect(url().search).toBe('?page=2&search=');
  });

  test('has dates as ISO 8601, and keeps the offset of a string', async () => {
    const { service, url } = answering(ok);
    const joinedFrom = new Date(Date.UTC(2024, 2, 1, 10));
    await service.list({ joinedFrom, joinedTo: '2024-03-01T12:00:00+01:00' });
    expect(url().searchParams.get('joinedFrom')).toBe('2024-03-01T10:00:00.000Z');
    expect(url().search).toContain('joinedTo=2024-03-01T12%3A00%3A00%2B01%3A00');
  });
});

test('a request has the order after the filters', async () => {
  const { service, url } = answering(ok);
  await service.list({ sort: '-lifetime_value_cents', hasOrders: true });
  expect(url().search).toBe('?page=1&search=&hasOrders=true&sort=-lifetime_value_cents');
  const { queryFn } = customersInfiniteQuery(service, { sort: 'total_orders' });
  await queryFn({ signal: new AbortController().signal, pageParam: 2 });
  expect(url().search).toBe('?page=2&search=&sort=total_orders');
});

describe('the cache key', () => {
  const { service } = directory([], { perPage: 25 });
  const key = (params: CustomersQueryParams) => customersQuery(service, params).queryKey;

  test('ends with the filters that are set, and only then', () => {
    expect(key({ search: 'anna', verified: undefined })).toEqual(['customers', 'list', 1, 'anna']);
    expect(key({ search: 'anna', verified: false })).toEqual([
      'customers',
      'list',
      1,
      'anna',
      { verified: false },
    ]);
    expect(key({ perPage: 50, hasOrders: true })).toEqual([
      'customers',
      'list',
      1,
      '',
      50,
      { hasOrders: true },
    ]);
    expect(customersInfiniteQuery(service, { verified: true }).queryKey).toEqual([
      'customers',
      'list',
      'infinite',
      '',
      { verified: true },
    ]);
  });

  test('ends with the order after the filters, if one is set', () => {
    expect(key({ sort: undefined })).toEqual(['customers', 'list', 1, '']);
    expect(key({ sort: '-total_orders', verified: true }).at(-1)).toEqual({
      verified: true,
      sort: '-total_orders',
    });
    expect(customersInfiniteQuery(service, { sort: 'created_at' }).queryKey).toEqual(
      customerKeys.infinite('', undefined, { sort: 'created_at' }),
    );
  });

  test('is the same for a date and its ISO 8601 form, in any order of filters', () => {
    const at = new Date(Date.UTC(2024, 2, 1));
    expect(JSON.stringify(key({ joinedFrom: at, verified: true }))).toBe(
      JSON.stringify(key({ verified: true, joinedFrom: '2024-03-01T00:00:00.000Z' })),
    );
    expect(key({ joinedFrom: at })).toEqual(
      customerKeys.list(1, '', undefined, { joinedFrom: at }),
    );
  });
});

describe('with filters', () => {
  const mixed = [
    customer(1, { is_verified: true }),
    customer(2),
    customer(3, { is_verified: true, total_orders: 0 }),
  ];

  test('an infinite list and a prefetched page are requested with them', async () => {
    const it = directory(mixed);
    const client = new QueryClient();
    await client.fetchInfiniteQuery(customersInfiniteQuery(it.service, { hasOrders: true }));
    const { result } = renderHook(() => usePrefetchCustomers(), {
      wrapper: inside(it.service, client),
    });
    act(() => result.current({ page: 2, verified: false }));
    await waitFor(() =>
      expect(it.requests).toEqual([
        '/v3/customers?page=1&search=&hasOrders=true',
        '/v3/customers?page=2&search=&verified=false',
      ]),
    );
  });

  test('the hook keeps the previous page of the same filters, and starts empty with others', async () => {
    const it = directory(mixed, { perPage: 1 });
    const initialProps: CustomersQueryParams = { verified: true };
    const { result, rerender } = renderHook(
      (params: CustomersQueryParams) => useCustomers(params),
      {
        wrapper: inside(it.service),
        initialProps,
      },
    );
    await waitFor(() => expect(result.current.total).toBe(2));
    rerender({ page: 2, verified: true });
    expect(result.current.isPlaceholderData).toBe(true);
    expect(result.current.items[0]!.name).toBe('Customer 1');
    await waitFor(() => expect(result.current.items[0]!.name).toBe('Customer 3'));
    rerender({ page: 2, verified: true, hasOrders: true });
    expect(result.current.isPending).toBe(true);
    expect(result.current.items).toEqual([]);
  });
});
