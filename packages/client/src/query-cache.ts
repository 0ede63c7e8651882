import { customerKeys, type InfinitePages } from './query-keys.ts';
import type { WireCustomerDetail, WireCustomerList } from './wire.ts';

/** The part of TanStack's `QueryClient` that is used here, the same in every adapter. */
export interface QueryClientLike {
  getQueryCache(): {
    findAll(filters: { queryKey: readonly unknown[] }): CachedQuery[];
  };
  removeQueries(filters: { queryKey: readonly unknown[]; type: 'inactive' }): void;
}

interface CachedQuery {
  state: { data: unknown; dataUpdatedAt: number; isInvalidated: boolean; status: string };
  cancel(options: { silent: true }): Promise<void>;
  setState(state: {
    data: undefined;
    dataUpdatedAt: number;
    status: 'pending' | 'error';
    fetchStatus: 'idle';
  }): void;
}

/**
 * Removes every customer from the cache. Call it when the user signs out. It aborts pending requests
 * and empties mounted components immediately, including a previous page shown as placeholder.
 *
 * It sends no request: mounted hooks stay pending, or keep their error, until you invalidate
 * `customerKeys.all`. The Suspense hooks cannot wait like that and load again at once, so unmount them
 * first.
 *
 * @example
 * await signOut();
 * clearCustomers(queryClient);
 */
export function clearCustomers(queryClient: QueryClientLike): void {
  const customers = { queryKey: customerKeys.all };
  for (const query of queryClient.getQueryCache().findAll(customers)) {
    void query.cancel({ silent: true });
    query.setState({
      data: undefined,
      dataUpdatedAt: 0,
      status: query.state.status === 'error' ? 'error' : 'pending',
      fetchStatus: 'idle',
    });
  }
  // A mounted component would replace a removed query by a new one, which would be fetched at once.
  queryClient.removeQueries({ ...customers, type: 'inactive' });
}

/** The most recently fetched row of this customer in any cached list, and when it was fetched. */
export function findCachedCustomer(
  queryClient: QueryClientLike,
  id: string,
): { envelope: WireCustomerDetail; updatedAt: number } | undefined {
  const uuid = id.toLowerCase();
  let found: { envelope: WireCustomerDetail; updatedAt: number } | undefined;
  for (const { state } of queryClient.getQueryCache().findAll({ queryKey: customerKeys.lists() })) {
    const [envelope] = pagesOf(state.data as WireCustomerList | InfinitePages | undefined).flatMap(
      (page) => rowOf(page, uuid) ?? [],
    );
    const updatedAt = state.isInvalidated ? 0 : state.dataUpdatedAt;
    if (envelope && updatedAt >= (found?.updatedAt ?? 0)) found = { envelope, updatedAt };
  }
  return found;
}

function rowOf({ data, hidden }: WireCustomerList, uuid: string): WireCustomerDetail | undefined {
  const row = data.find((each) => each.uuid === uuid);
  return row && { data: row, ...(hidden && { hidden }) };
}

function pagesOf(cached: WireCustomerList | InfinitePages | undefined): WireCustomerList[] {
  if (!cached) return [];
  return 'pages' in cached ? cached.pages : [cached];
}
