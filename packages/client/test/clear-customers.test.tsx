// @vitest-environment happy-dom
import { QueryCache, QueryClient } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import {
  clearCustomers,
  customerKeys,
  customerQuery,
  customersQuery,
  isApiError,
} from '@clientele/client';
import { useCustomer, useCustomers } from '@clientele/client/react';
import { customer, directory, fifty, problem } from './directory.ts';
import { arrived, inside, names, renderList } from './rendered.tsx';

describe('clearing the cache', () => {
  test('removes every customer from the cache and nothing else', async () => {
    const { service } = directory(fifty);
    const client = new QueryClient();
    client.setQueryData(['settings'], 'kept');
    await client.fetchQuery(customersQuery(service));
    await client.fetchQuery(customersQuery(service, { page: 2, perPage: 5 }));
    await client.fetchQuery(customerQuery(service, customer(40).uuid));
    clearCustomers(client);
    expect(
      client
        .getQueryCache()
        .getAll()
        .map(({ queryKey }) => queryKey),
    ).toEqual([['settings']]);
  });

  test('aborts pending requests, and their responses are not cached', async () => {
    const it = directory(fifty);
    const late = Promise.withResolvers<Response>();
    it.answers = [late.promise];
    const client = new QueryClient();
    const answer = client.fetchQuery(customersQuery(it.service));
    clearCustomers(client);
    late.resolve(
      Response.json({ data: [customer(1)], pagination: { page: 1, per_page: 25, total: 1 } }),
    );
    await expect(answer).rejects.toThrow('CancelledError');
    expect(client.getQueryCache().getAll()).toEqual([]);
  });
});

describe('clearing while customers are on screen', () => {
  test('empties the list and sends no request with the old credential', async () => {
    const it = directory(fifty);
    const client = new QueryClient();
    const { result, rerender } = renderList(it.service, {}, client);
    await arrived(result);
    act(() => clearCustomers(client));
    await waitFor(() => expect(result.current.items).toEqual([]));
    rerender({});
    expect(result.current).toMatchObject({
      total: 0,
      isPending: true,
      isFetching: false,
      error: null,
      dataUpdatedAt: 0,
    });
    expect(it.requests).toHaveLength(1);
    expect(client.getQueryData(customerKeys.list())).toBeUndefined();
  });

  test('empties a customer that came from a list row, without a request', async () => {
    const it = directory(fifty);
    const client = new QueryClient();
    const wrapper = inside(it.service, client);
    const list = renderHook(() => useCustomers(), { wrapper });
    await arrived(list.result);
    const { result, rerender } = renderHook(() => useCustomer(customer(2).uuid), { wrapper });
    expect(result.current.customer?.name).toBe('Customer 2');
    act(() => clearCustomers(client));
    await waitFor(() => expect(result.current.customer).toBeUndefined());
    rerender();
    expect(result.current.isFetching).toBe(false);
    expect(it.requests).toHaveLength(1);
  });

  test('aborts the request of a list, and its response is dropped', async () => {
    const it = directory(fifty);
    const late = Promise.withResolvers<Response>();
    it.answers = [late.promise];
    const client = new QueryClient();
    const { result } = renderList(it.service, {}, client);
    await waitFor(() => expect(it.requests).toHaveLength(1));
    await act(async () => {
      clearCustomers(client);
      late.resolve(Response.json({ data: [], pagination: { page: 1, per_page: 25, total: 9 } }));
      await late.promise;
    });
    await waitFor(() => expect(result.current.isFetching).toBe(false));
    expect(result.current).toMatchObject({ total: 0, isPending: true, error: null });
    expect(it.requests).toHaveLength(1);
  });

  test('never shows the rows to the next user, as placeholder or otherwise', async () => {
    const it = directory(fifty);
    const client = new QueryClient();
    const { result, rerender } = renderList(it.service, {}, client);
    await arrived(result);
    act(() => clearCustomers(client));
    it.customers = [customer(77)];
    it.answers = [new Promise<Response>(() => undefined)];
    rerender({ page: 2 });
    expect(result.current).toMatchObject({ items: [], total: 0, isPlaceholderData: false });
    rerender({ page: 1 });
    expect(names(result)).toEqual([]);
    await waitFor(() => expect(names(result)).toEqual(['Customer 77']));
  });

  test('invalidating afterwards loads the list with the new credential', async () => {
    const it = directory(fifty);
    const client = new QueryClient();
    const { result } = renderList(it.service, {}, client);
    await arrived(result);
    act(() => clearCustomers(client));
    it.customers = [customer(77)];
    act(() => void client.invalidateQueries({ queryKey: customerKeys.all }));
    await waitFor(() => expect(names(result)).toEqual(['Customer 77']));
  });

  test('in response to a 401 keeps the error on screen, and requests nothing again', async () => {
    const it = directory(fifty);
    const client: QueryClient = new QueryClient({
      queryCache: new QueryCache({ onError: () => clearCustomers(client) }),
    });
    const { result } = renderList(it.service, {}, client);
    await arrived(result);
    it.answers = [problem(401, 'unauthenticated')];
    act(() => void result.current.refetch());
    await waitFor(() => expect(isApiError(result.current.error, 'unauthenticated')).toBe(true));
    await waitFor(() => expect(result.current.items).toEqual([]));
    expect(result.current.isFetching).toBe(false);
    expect(it.requests).toHaveLength(2);
  });
});
