// @vitest-environment happy-dom
import { QueryClient, useInfiniteQuery } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { customerKeys, customersInfiniteQuery } from '@clientele/client';
import { useCustomer, useCustomersService } from '@clientele/client/react';
import { customer, type Directory, directory, fifty } from './directory.ts';
import { inside } from './rendered.tsx';

function open({ service }: Directory, search = '', client = new QueryClient()) {
  const { result } = renderHook(
    () => useInfiniteQuery(customersInfiniteQuery(useCustomersService(), { search })),
    { wrapper: inside(service, client) },
  );
  const settled = () => waitFor(() => expect(result.current.isFetching).toBe(false));
  return {
    result,
    settled,
    more: async () => {
      act(() => void result.current.fetchNextPage());
      await settled();
    },
  };
}

describe('an infinite list', () => {
  test('appends page after page until the last, with the exact total', async () => {
    const it = directory(fifty, { perPage: 20 });
    const { result, settled, more } = open(it);
    await settled();
    expect(result.current.data!.items).toHaveLength(20);
    await more();
    await more();
    expect(result.current.data!.items.map(({ name }) => name)).toEqual(
      fifty.map((each) => each.full_name),
    );
    expect(result.current.data!.total).toBe(50);
    expect(result.current.hasNextPage).toBe(false);
    expect(it.requests).toEqual(
      [1, 2, 3].map((page) => `/v3/customers?page=${page}&search=&perPage=20`),
    );
  });

  test('has no next page if the last page is full', async () => {
    const { result, settled } = open(directory(fifty.slice(0, 20), { perPage: 20 }));
    await settled();
    expect(result.current.hasNextPage).toBe(false);
  });

  test('lists a customer once when new customers have moved it to the next page', async () => {
    const it = directory(fifty, { perPage: 20 });
    const { result, settled, more } = open(it);
    await settled();
    it.customers = [customer(99), ...fifty];
    await more();
    const ids = result.current.data!.items.map(({ id }) => id);
    expect(ids).toHaveLength(39);
    expect(new Set(ids).size).toBe(39);
    expect(result.current.data!.total, 'of the latest page').toBe(51);
  });

  test('is cached separately from pages, under its trimmed search, and invalidated with them', async () => {
    const it = directory(fifty);
    const client = new QueryClient();
    const { result, settled } = open(it, ' Customer 4 ', client);
    await settled();
    expect(result.current.data!.total).toBe(11);
    const { queryKey } = customersInfiniteQuery(it.service, { search: 'Customer 4' });
    expect(queryKey).toEqual(['customers', 'list', 'infinite', 'Customer 4']);
    expect(client.getQueryData(queryKey)!.pages[0]!.pagination.total).toBe(11);
    it.customers = [];
    await act(async () => client.invalidateQueries({ queryKey: customerKeys.lists() }));
    await waitFor(() => expect(result.current.data).toEqual({ items: [], total: 0 }));
  });

  test('of another page size is cached separately', () => {
    const { service } = directory(fifty, { perPage: 20 });
    expect(customersInfiniteQuery(service, { perPage: 10 }).queryKey).toEqual([
      'customers',
      'list',
      'infinite',
      '',
      10,
    ]);
  });

  test('opens a customer that it contains without a request', async () => {
    const it = directory(fifty);
    const client = new QueryClient();
    const { settled, more } = open(it, '', client);
    await settled();
    await more();
    const { result } = renderHook(() => useCustomer(customer(40).uuid), {
      wrapper: inside(it.service, client),
    });
    expect(result.current.customer?.name).toBe('Customer 40');
    expect(it.requests).toHaveLength(2);
  });
});
