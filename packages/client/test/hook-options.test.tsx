// @vitest-environment happy-dom
import { QueryClient, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import {
  customerKeys,
  customersInfiniteQuery,
  customersQuery,
  type CustomersServiceOptions,
  type Retry,
} from '@clientele/client';
import {
  useCustomer,
  useCustomers,
  useCustomersService,
  useCustomersTimeline,
  usePrefetchCustomers,
  useSuggestions,
} from '@clientele/client/react';
import { type Directory, directory, fifty, problem } from './directory.ts';
import { arrived, inside, renderList } from './rendered.tsx';

const failing = (settings: Partial<CustomersServiceOptions> = {}): Directory => {
  const it = directory(fifty, settings);
  it.answers = Array.from({ length: 20 }, () => problem(500, 'internal'));
  return it;
};

/** Renders it, and lets as much time pass as all retries take. */
async function requestsOf(it: Directory, hook: () => unknown, client?: QueryClient) {
  vi.useFakeTimers();
  renderHook(hook, { wrapper: inside(it.service, client) });
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  return it.requests.length;
}
const withRetry = (retry: Retry) => new QueryClient({ defaultOptions: { queries: { retry } } });

const hooks: [name: string, hook: (options?: { retry: Retry }) => unknown][] = [
  ['useCustomers', (options) => useCustomers({}, options)],
  ['useCustomer', (options) => useCustomer('1', options)],
  ['useCustomersTimeline', (options) => useCustomersTimeline({}, options)],
  ['useSuggestions', (options) => useSuggestions('anna', options)],
];

describe.each(hooks)('%s retries', (_name, hook) => {
  test('three times by default', async () => {
    expect(await requestsOf(failing(), () => hook())).toBe(4);
  });

  test('as often as the QueryClient says', async () => {
    expect(await requestsOf(failing(), () => hook(), withRetry(false))).toBe(1);
  });

  test('as often as the service says, whatever the QueryClient says', async () => {
    expect(await requestsOf(failing({ retry: 1 }), () => hook(), withRetry(false))).toBe(2);
  });

  test('as often as the hook says, whatever the service says', async () => {
    expect(await requestsOf(failing({ retry: 3 }), () => hook({ retry: false }))).toBe(1);
  });
});

/** Below a provider, without a hook of this package. */
const ownQueries: [name: string, hook: () => unknown][] = [
  ['useQuery', () => useQuery(customersQuery(useCustomersService()))],
  ['useInfiniteQuery', () => useInfiniteQuery(customersInfiniteQuery(useCustomersService()))],
  [
    'fetchQuery',
    () => {
      const query = customersQuery(useCustomersService());
      useQueryClient()
        .fetchQuery(query)
        .catch(() => undefined);
    },
  ],
];

describe.each(ownQueries)('%s with the query options retries', (_name, hook) => {
  test('three times by default', async () => {
    expect(await requestsOf(failing(), hook)).toBe(4);
  });

  test('nothing that cannot pass', async () => {
    const it = directory(fifty);
    it.answers = Array.from({ length: 20 }, () => problem(401, 'unauthenticated'));
    expect(await requestsOf(it, hook)).toBe(1);
  });

  test('as often as the QueryClient says', async () => {
    expect(await requestsOf(failing(), hook, withRetry(false))).toBe(1);
  });

  test('as often as the service says, whatever the QueryClient says', async () => {
    expect(await requestsOf(failing({ retry: 1 }), hook, withRetry(false))).toBe(2);
  });
});

test('what the QueryClient says for other queries stays', () => {
  const client = withRetry(7);
  client.setQueryDefaults(customerKeys.all, { gcTime: 5 });
  renderHook(() => undefined, { wrapper: inside(directory([]).service, client) });
  expect(client.defaultQueryOptions({ queryKey: ['orders'] }).retry).toBe(7);
  expect(client.getQueryDefaults(customerKeys.all)).toMatchObject({ gcTime: 5, retry: 7 });
});

test('what the QueryClient says for customers only is respected', async () => {
  const client = new QueryClient();
  client.setQueryDefaults(customerKeys.all, { retry: 1, retryDelay: 5 });
  expect(await requestsOf(failing(), () => useCustomers(), client)).toBe(2);
});

test('a prefetch is retried as the QueryClient says', async () => {
  const hook = () => {
    const prefetch = usePrefetchCustomers();
    prefetch();
  };
  expect(await requestsOf(failing(), hook, withRetry(false))).toBe(1);
});

test('an option that is undefined changes nothing', async () => {
  const options = { retry: undefined, staleTime: undefined };
  expect(await requestsOf(failing(), () => useCustomers({}, options))).toBe(4);
});

describe('data is fresh', () => {
  /** Opens a list, and again after so many milliseconds. */
  async function opened(it: Directory, afterMs: number, staleTime?: number): Promise<number> {
    const client = new QueryClient({ defaultOptions: { queries: { staleTime: 1 } } });
    const start = Date.UTC(2026, 0, 1);
    for (const now of [start, start + afterMs]) {
      vi.useFakeTimers({ toFake: ['Date'], now });
      const { result, unmount } = renderHook(() => useCustomers({}, { staleTime }), {
        wrapper: inside(it.service, client),
      });
      await arrived(result);
      unmount();
    }
    return it.requests.length;
  }

  test('for five minutes, whatever the QueryClient says', async () => {
    expect(await opened(directory(fifty), 299_000)).toBe(1);
  });

  test('for as long as the service says', async () => {
    expect(await opened(directory(fifty, { staleTime: 1_000 }), 900)).toBe(1);
    expect(await opened(directory(fifty, { staleTime: 1_000 }), 1_100)).toBe(2);
  });

  test('for as long as the hook says, whatever the service says', async () => {
    expect(await opened(directory(fifty, { staleTime: 1_000 }), 5_000, 60_000)).toBe(1);
    expect(await opened(directory(fifty), 1, 0)).toBe(2);
  });
});

test('a hook can request again at intervals', async () => {
  vi.useFakeTimers();
  const it = directory(fifty);
  renderHook(() => useCustomers({}, { refetchInterval: 60_000 }), { wrapper: inside(it.service) });
  await act(() => vi.advanceTimersByTimeAsync(121_000));
  expect(it.requests).toHaveLength(3);
});

describe('the state of a request', () => {
  test('counts failures while it is retried, without an error', async () => {
    vi.useFakeTimers();
    const { result } = renderList(failing().service);
    await act(() => vi.advanceTimersByTimeAsync(1_500));
    expect(result.current).toMatchObject({ failureCount: 2, error: null, isSuccess: false });
    await act(() => vi.advanceTimersByTimeAsync(8_000));
    expect(result.current).toMatchObject({ failureCount: 4, isPending: false, isSuccess: false });
    expect(result.current.error).not.toBeNull();
  });

  test('is a success once data has arrived, until a request fails', async () => {
    const it = directory(fifty);
    const { result } = renderList(it.service);
    await arrived(result);
    expect(result.current).toMatchObject({ isSuccess: true, isEmpty: false, failureCount: 0 });
    it.answers = [problem(401, 'unauthenticated')];
    act(() => void result.current.refetch());
    await waitFor(() => expect(result.current.isSuccess).toBe(false));
  });
});

describe('a list is empty', () => {
  test('if nobody matches, and not while it loads', async () => {
    const { result } = renderList(directory([]).service);
    expect(result.current.isEmpty).toBe(false);
    await arrived(result);
    expect(result.current).toMatchObject({ isSuccess: true, isEmpty: true, total: 0 });
  });

  test('not if only this page is', async () => {
    const { result } = renderList(directory(fifty).service, { page: 9 });
    await arrived(result);
    expect(result.current).toMatchObject({ items: [], total: 50, isEmpty: false });
  });

  test.each([401, 429])('not after an error (%i)', async (status) => {
    const it = directory([]);
    it.answers = [problem(status, 'refused')];
    const { result } = renderList(it.service);
    await arrived(result);
    expect(result.current).toMatchObject({ total: 0, isPending: false, isEmpty: false });
  });
});
