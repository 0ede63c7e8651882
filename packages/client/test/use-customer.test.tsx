// @vitest-environment happy-dom
import { QueryClient } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { clearCustomers, customerKeys, isApiError } from '@clientele/client';
import { useCustomer, useCustomers, usePrefetchCustomers } from '@clientele/client/react';
import { customer, directory, fifty, problem } from './directory.ts';
import { arrived, inside, renderList } from './rendered.tsx';

describe('useCustomer', () => {
  test("returns the list's row immediately and sends no request while the list is fresh", async () => {
    const { service, requests } = directory(fifty);
    const client = new QueryClient();
    const wrapper = inside(service, client);
    const list = renderHook(() => useCustomers(), { wrapper });
    await arrived(list.result);
    const { result } = renderHook(() => useCustomer(customer(5).uuid), { wrapper });
    expect(result.current).toMatchObject({
      customer: { name: 'Customer 5' },
      isPending: false,
      isFetching: false,
      dataUpdatedAt: list.result.current.dataUpdatedAt,
    });
    expect(requests).toHaveLength(1);
  });

  test('fetches a customer that is in no list, and reports one that does not exist', async () => {
    const { service, requests } = directory(fifty);
    const { result, rerender } = renderHook((id: string) => useCustomer(id), {
      wrapper: inside(service),
      initialProps: customer(40).uuid,
    });
    expect(result.current).toMatchObject({ customer: undefined, isPending: true });
    await waitFor(() => expect(result.current.customer?.name).toBe('Customer 40'));
    rerender('00000000-0000-4000-8000-00000000ffff');
    expect(result.current.customer, 'not the previous one').toBeUndefined();
    await waitFor(() => expect(isApiError(result.current.error, 'customer-not-found')).toBe(true));
    expect(requests).toHaveLength(2);
  });
});

describe('usePrefetchCustomers', () => {
  test('fetches a page once, so that it is cached when opened', async () => {
    const { service, requests } = directory(fifty);
    const client = new QueryClient();
    const wrapper = inside(service, client);
    const { result: prefetch, rerender } = renderHook(() => usePrefetchCustomers(), { wrapper });
    const same = prefetch.current;
    rerender();
    expect(prefetch.current, 'stable').toBe(same);
    prefetch.current({ page: 2 });
    prefetch.current({ page: 2 });
    await waitFor(() => expect(client.getQueryData(customerKeys.list(2))).toBeDefined());
    const { result } = renderHook(() => useCustomers({ page: 2 }), { wrapper });
    expect(result.current).toMatchObject({ page: 2, isPending: false, isFetching: false });
    expect(requests).toHaveLength(1);
  });

  test('does not throw errors', async () => {
    const it = directory(fifty);
    const client = new QueryClient();
    it.answers = [problem(401, 'unauthenticated')];
    const { result } = renderHook(() => usePrefetchCustomers(), {
      wrapper: inside(it.service, client),
    });
    expect(result.current(), 'returns no promise').toBeUndefined();
    await waitFor(() => expect(client.getQueryState(customerKeys.list())?.status).toBe('error'));
  });
});

describe('signing out', () => {
  test('removes the rows of a list on screen, and the next user never sees them', async () => {
    const it = directory(fifty);
    const client = new QueryClient();
    const { result, rerender } = renderList(it.service, {}, client);
    await arrived(result);
    const next = Promise.withResolvers<Response>();
    it.answers = [next.promise];
    act(() => clearCustomers(client));
    await waitFor(() => expect(result.current.items).toEqual([]));
    rerender({ page: 2 });
    expect(result.current).toMatchObject({ items: [], total: 0, isPlaceholderData: false });
    next.resolve(problem(401, 'unauthenticated'));
    await arrived(result);
  });

  test('removes a customer on screen that came from a list row', async () => {
    const it = directory(fifty);
    const client = new QueryClient();
    const wrapper = inside(it.service, client);
    const list = renderHook(() => useCustomers(), { wrapper });
    await arrived(list.result);
    const { result } = renderHook(() => useCustomer(customer(2).uuid), { wrapper });
    expect(result.current.customer?.name).toBe('Customer 2');
    list.unmount();
    it.answers = [problem(401, 'unauthenticated')];
    act(() => clearCustomers(client));
    await waitFor(() => expect(isApiError(result.current.error, 'unauthenticated')).toBe(true));
    expect(result.current.customer).toBeUndefined();
  });
});
