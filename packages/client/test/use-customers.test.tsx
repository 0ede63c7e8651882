// @vitest-environment happy-dom
import { QueryClient, useQuery } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import {
  customerKeys,
  type CustomersService,
  customersQuery,
  isApiError,
  toCustomer,
} from '@clientele/client';
import { useCustomers, useCustomersService } from '@clientele/client/react';
import { customer, directory, fifty, problem } from './directory.ts';
import { arrived, inside, names, type Params, renderList } from './rendered.tsx';

const pending = { items: [], total: 0, isPending: true, isPlaceholderData: false };

describe('useCustomers', () => {
  test('returns no items and a total of 0 until data arrives', async () => {
    const { result } = renderList(directory(fifty).service, { page: 2 });
    expect(result.current).toEqual({
      items: [],
      page: 2,
      total: 0,
      pageCount: 0,
      isEmpty: false,
      isPending: true,
      isSuccess: false,
      isFetching: true,
      isPaused: false,
      isPlaceholderData: false,
      failureCount: 0,
      error: null,
      refetch: expect.any(Function),
      dataUpdatedAt: 0,
    });
    await arrived(result);
  });

  test('returns the same empty array each time, so that effects on it do not run again', async () => {
    const { result, rerender } = renderList(directory(fifty).service);
    const before = result.current.items;
    rerender({ search: 'other' });
    expect(result.current.items).toBe(before);
    await arrived(result);
  });

  test('returns the items, page, total and page count when data has arrived', async () => {
    const { result } = renderList(directory(fifty, { perPage: 20 }).service, { page: 3 });
    await arrived(result);
    expect(result.current).toMatchObject({
      page: 3,
      total: 50,
      pageCount: 3,
      isPending: false,
      error: null,
    });
    expect(names(result)).toEqual(fifty.slice(40).map((each) => each.full_name));
    expect(result.current.items[0]!.createdAt).toBeInstanceOf(Date);
    expect(result.current.dataUpdatedAt).toBeGreaterThan(0);
  });

  test('is fresh for 5 minutes: reopening it sends no request at 4:59, one at 5:01', async () => {
    const { service, requests } = directory(fifty);
    const client = new QueryClient();
    const open = async () => {
      const { result, unmount } = renderList(service, {}, client);
      await arrived(result);
      expect(result.current.items).toHaveLength(25);
      unmount();
    };
    const start = Date.UTC(2026, 0, 1);
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    await open();
    expect(requests, 'at first').toHaveLength(1);
    vi.setSystemTime(start + 299_000);
    await open();
    expect(requests, 'at 4:59').toHaveLength(1);
    vi.setSystemTime(start + 301_000);
    await open();
    expect(requests, 'at 5:01').toHaveLength(2);
  });

  test('keeps the previous page as placeholder while the next one loads', async () => {
    const { result, rerender } = renderList(directory(fifty).service);
    await arrived(result);
    rerender({ page: 2 });
    expect(names(result)[0]).toBe('Customer 1');
    expect(result.current).toMatchObject({
      page: 1,
      total: 50,
      isPending: false,
      isFetching: true,
      isPlaceholderData: true,
    });
    await arrived(result);
    expect(names(result)[0]).toBe('Customer 26');
    expect(result.current).toMatchObject({ page: 2, isPlaceholderData: false });
  });

  test('does not render a placeholder page in a loop, even with a custom select', async () => {
    const it = directory(fifty);
    let renders = 0;
    const { result, rerender } = renderHook(
      (params: Params) => {
        renders += 1;
        const query = customersQuery(useCustomersService(), params);
        const first = useQuery({ ...query, select: (list) => toCustomer(list.data[0]!) });
        return { first, list: useCustomers(params) };
      },
      { wrapper: inside(it.service), initialProps: {} },
    );
    await waitFor(() => expect(result.current.list.isFetching).toBe(false));
    it.answers = [new Promise<Response>(() => undefined)];
    const kept = result.current;
    renders = 0;
    rerender({ page: 2 });
    await waitFor(() => expect(it.requests).toHaveLength(2));
    expect(result.current.list.isPlaceholderData).toBe(true);
    expect(result.current.list.items, 'the same rows').toBe(kept.list.items);
    expect(result.current.first.data, 'the same row').toBe(kept.first.data);
    expect(renders).toBeLessThanOrEqual(6);
  });

  test('does not show the rows of another search', async () => {
    const { result, rerender } = renderList(directory(fifty).service, { search: 'Customer 1' });
    await arrived(result);
    expect(result.current.total).toBe(11);
    rerender({ search: 'Customer 2' });
    expect(result.current).toMatchObject(pending);
    await arrived(result);
    expect(names(result)).toContain('Customer 2');
    expect(names(result)).not.toContain('Customer 1');
  });

  test('does not show the rows of another search when the search changes during a page load', async () => {
    const it = directory(fifty);
    const { result, rerender } = renderList(it.service);
    await arrived(result);
    it.answers = [new Promise<Response>(() => undefined)];
    rerender({ page: 2 });
    expect(result.current.isPlaceholderData).toBe(true);
    rerender({ page: 1, search: 'Customer 50' });
    expect(result.current).toMatchObject(pending);
    await arrived(result);
    expect(names(result)).toEqual(['Customer 50']);
  });

  test('keeps pages of different sizes apart', async () => {
    const { service, requests } = directory(fifty, { perPage: 10 });
    const client = new QueryClient();
    const ten = renderList(service, {}, client).result;
    const twenty = renderList(service, { perPage: 20 }, client).result;
    await arrived(ten);
    await arrived(twenty);
    expect(ten.current).toMatchObject({ total: 50, pageCount: 5 });
    expect(twenty.current).toMatchObject({ total: 50, pageCount: 3 });
    expect([ten.current.items.length, twenty.current.items.length]).toEqual([10, 20]);
    expect(requests).toHaveLength(2);
  });

  test('reports an error, keeps the rows, and can be refetched', async () => {
    const it = directory(fifty);
    const { result } = renderList(it.service);
    await arrived(result);
    it.answers = [problem(401, 'unauthenticated')];
    act(() => void result.current.refetch());
    await waitFor(() => expect(isApiError(result.current.error, 'unauthenticated')).toBe(true));
    expect(result.current.items).toHaveLength(25);
    act(() => void result.current.refetch());
    await waitFor(() => expect(result.current.error).toBeNull());
  });

  test('reports a body that cannot be mapped as an error', async () => {
    const broken = customer(1, { created_at: 'yesterday' });
    const { result } = renderList(directory([broken]).service);
    await arrived(result);
    expect(result.current.error).toMatchObject({ name: 'ContractError', path: 'created_at' });
    expect(result.current.items).toEqual([]);
  });

  test('sends no request while it is not enabled, and one when it is', async () => {
    const it = directory(fifty);
    const { result, rerender } = renderHook(
      (search: string) => useCustomers({ search, enabled: search !== '' }),
      { wrapper: inside(it.service), initialProps: '' },
    );
    expect(result.current).toMatchObject({ ...pending, isFetching: false, isPaused: false });
    rerender('Customer 50');
    await waitFor(() => expect(names(result)).toEqual(['Customer 50']));
    expect(it.requests).toEqual(['/v3/customers?page=1&search=Customer+50']);
  });

  test('aborts the request when unmounted', async () => {
    const it = directory(fifty);
    let signal: AbortSignal | undefined;
    const list: CustomersService['list'] = (params) => {
      signal = params?.signal;
      return it.service.list(params);
    };
    it.answers = [new Promise<Response>(() => undefined)];
    const { unmount } = renderList({ ...it.service, list });
    await waitFor(() => expect(it.requests).toHaveLength(1));
    unmount();
    expect(signal!.aborted).toBe(true);
  });
});

describe('invalidating', () => {
  test('customerKeys.lists() refetches the list on screen', async () => {
    const it = directory(fifty);
    const client = new QueryClient();
    const { result } = renderList(it.service, {}, client);
    await arrived(result);
    it.customers = [customer(1, { full_name: 'Renamed' })];
    await act(async () => client.invalidateQueries({ queryKey: customerKeys.lists() }));
    await waitFor(() => expect(names(result)).toEqual(['Renamed']));
    expect(it.requests).toHaveLength(2);
  });
});
