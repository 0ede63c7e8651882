import { customerKeys } from './query-keys.ts';
import type { WireCustomerDetail, WireCustomerList } from './wire.ts';

/** The part of TanStack's `QueryClient` that is used here, the same in every adapter. */
export interface QueryClientLike {
  getQueryCache(): {
    findAll(filters: { queryKey: readonly unknown[] }): CachedQuery[];
  };
  removeQueries(filters: { queryKey: readonly unknown[] }): void;
}

interface CachedQuery {
  state: { data: unknown; dataUpdatedAt: number; isInvalidated: boolean };
  setState(state: { data: undefined; dataUpdatedAt: number; status: 'pending' }): void;
}

/**
 * Removes every customer from the cache. Call it when the user signs out. It aborts pending requests
 * and empties mounted components immediately, including a previous page shown as placeholder.
 *
 * @example
 * await signOut();
 * clearCustomers(queryClient);
 */
export function clearCustomers(queryClient: QueryClientLike): void {
  const customers = { queryKey: customerKeys.all };
  for (const query of queryClient.getQueryCache().findAll(customers)) {
    query.setState({ data: undefined, dataUpdatedAt: 0, status: 'pending' });
  }
  queryClient.removeQueries(customers);
}

/** The most recently fetched row of this customer in any cached list, and when it was fetched. */
export function findCachedCustomer(
  queryClient: QueryClientLike,
  id: string,
): { envelope: WireCustomerDetail; updatedAt: number } | undefined {
  const uuid = id.toLowerCase();
  let found: { envelope: WireCustomerDetail; updatedAt: number } | undefined;
  for (const { state } of queryClient.getQueryCache().findAll({ queryKey: customerKeys.lists() })) {
    const row = (state.data as WireCustomerList | undefined)?.data.find(
      (each) => each.uuid === uuid,
    );
    const updatedAt = state.isInvalidated ? 0 : state.dataUpdatedAt;
    if (row && updatedAt >= (found?.updatedAt ?? 0)) found = { envelope: { data: row }, updatedAt };
  }
  return found;
}
