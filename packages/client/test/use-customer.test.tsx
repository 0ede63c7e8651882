// @vitest-environment happy-dom
import { QueryClient } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { customerKeys, isApiError } from '@clientele/client';
import { useCustomer, useCustomers, usePrefetchCustomers } from '@clientele/client/react';
import { customer, directory, fifty, problem } from './directory.ts';
import { arrived, inside } from './rendered.tsx';

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

  test('without an identifier sends no request, until there is one', async () => {
    const { service, requests } = directory(fifty);
    const { result, rerender } = renderHook(
      ({ id }: { id: string | undefined }) => useCustomer(id),
      { wrapper: inside(service), initialProps: { id: undefined as string | undefined } },
    );
    expect(result.current).toMatchObject({
      customer: undefined,
      isPending: true,
      isFetching: false,
      isPaused: false,
      error: null,
    });
    rerender({ id: customer(40).uuid });
    await waitFor(() => expect(result.current.customer?.name).toBe('Customer 40'));
    rerender({ id: undefined });
    expect(result.current.customer, 'not the previous one').toBeUndefined();
    expect(requests).toEqual([`/v3/customers/${customer(40).uuid}`]);
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
