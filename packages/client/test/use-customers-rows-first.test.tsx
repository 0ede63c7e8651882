// @vitest-environment happy-dom
import { onlineManager, QueryClient } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { clearCustomers } from '@clientele/client';
import {
  keepingFirstRows,
  useCustomers,
  useCustomersRowsFirst,
  usePrefetchCustomers,
} from '@clientele/client/react';
import { end, inPieces, start } from './in-pieces.ts';
import { inside } from './rendered.tsx';

afterEach(() => onlineManager.setOnline(true));

const complete = { total: 70, pageCount: 3, isIncomplete: false, isFetching: false, error: null };
const incomplete = { total: undefined, pageCount: undefined, isIncomplete: true, page: 1 };
const pending = { items: [], total: undefined, isPending: true, isIncomplete: false };

describe('useCustomersRowsFirst', () => {
  async function opened(retry: number | false = 3) {
    const server = inPieces();
    const queryClient = new QueryClient();
    const options = { retry, retryDelay: 1 };
    const view = renderHook(({ search }) => useCustomersRowsFirst({ search }, options), {
      wrapper: inside(server.service, queryClient),
      initialProps: { search: 'anna' },
    });
    const items = (count: number) =>
      waitFor(() => expect(view.result.current.items).toHaveLength(count));
    const requests = (count: number) => waitFor(() => expect(server.bodies).toHaveLength(count));
    await requests(1);
    expect(view.result.current).toMatchObject(pending);
    server.send(start);
    await items(2);
    const kept = () =>
      queryClient
        .getQueriesData({ queryKey: ['customers', 'rows'] })
        .flatMap(([, rows]) => rows ?? []);
    return { ...server, ...view, queryClient, items, requests, kept };
  }

  test('returns the rows without a total, then both', async () => {
    const { result, send, close } = await opened();
    expect(result.current).toMatchObject({ ...incomplete, isPending: false, isFetching: true });
    send(end);
    close();
    await waitFor(() => expect(result.current).toMatchObject(complete));
    expect(result.current.items).toHaveLength(2);
  });

  test('returns no rows of another search', async () => {
    const { result, rerender } = await opened();
    rerender({ search: 'annab' });
    expect(result.current).toMatchObject(pending);
  });

  test('keeps the rows when their total fails, and while it is requested again', async () => {
    const { result, send, close, requests, items } = await opened(1);
    close();
    await requests(2);
    expect(result.current).toMatchObject({ ...incomplete, error: null, failureCount: 1 });
    await items(2);
    send(start);
    close();
    await waitFor(() => expect(result.current.error).not.toBeNull());
    expect(result.current).toMatchObject({ ...incomplete, isFetching: false });
    await items(2);
    act(() => void result.current.refetch());
    await requests(3);
    expect(result.current).toMatchObject({ ...incomplete, isFetching: true });
    await items(2);
    send(start + end);
    close();
    await waitFor(() => expect(result.current).toMatchObject(complete));
  });

  test('keeps the rows when the network is lost before their total', async () => {
    const { result, items, close } = await opened();
    act(() => onlineManager.setOnline(false));
    close();
    await waitFor(() => expect(result.current.isPaused).toBe(true));
    expect(result.current).toMatchObject({ ...incomplete, isFetching: false });
    await items(2);
  });

  test('a search that was given up starts without its rows', async () => {
    const { result, rerender, requests, kept } = await opened();
    expect(kept()).toHaveLength(1);
    rerender({ search: 'bert' });
    await requests(2);
    expect(kept()).toEqual([]);
    rerender({ search: 'anna' });
    expect(result.current).toMatchObject(pending);
  });

  test('a search that failed starts without its rows when somebody returns to it', async () => {
    const { result, rerender, requests, close } = await opened(false);
    close();
    await waitFor(() => expect(result.current.error).not.toBeNull());
    rerender({ search: 'bert' });
    await requests(2);
    rerender({ search: 'anna' });
    await requests(3);
    await waitFor(() => expect(result.current).toMatchObject(pending));
  });

  test('clearCustomers removes the rows', async () => {
    const { result, queryClient } = await opened();
    act(() => clearCustomers(queryClient));
    await waitFor(() => expect(result.current.items).toEqual([]));
  });

  test('leaves no rows in the cache once their total has arrived', async () => {
    const { result, send, close, kept } = await opened();
    send(end);
    close();
    await waitFor(() => expect(result.current).toMatchObject(complete));
    await waitFor(() => expect(kept()).toEqual([]));
  });
});

describe('rows are shared', () => {
  async function shownAfter(begin: (service: ReturnType<typeof inPieces>['service']) => unknown) {
    const { service, bodies, send } = inPieces();
    const queryClient = new QueryClient();
    const wrapper = inside(keepingFirstRows(service, queryClient), queryClient);
    renderHook(() => begin(service), { wrapper });
    await waitFor(() => expect(bodies).toHaveLength(1));
    send(start);
    await waitFor(() =>
      expect(queryClient.getQueriesData({ queryKey: ['customers', 'rows'] })).toHaveLength(1),
    );
    const { result } = renderHook(() => useCustomersRowsFirst({ search: 'anna' }), { wrapper });
    expect(bodies, 'one request for both').toHaveLength(1);
    return result.current;
  }
  const anna = { search: ' anna ' };

  test.each<[string, () => unknown]>([
    ['another component', () => useCustomersRowsFirst(anna)],
    ['useCustomers', () => useCustomers(anna)],
    ['a prefetch', () => usePrefetchCustomers()(anna)],
  ])('with those of %s', async (_name, begin) => {
    const result = await shownAfter(begin);
    expect(result.items).toHaveLength(2);
    expect(result).toMatchObject(incomplete);
  });
});
