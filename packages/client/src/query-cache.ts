import { customerKeys } from './query-keys.ts';
import type { WireCustomerDetail, WireCustomerList } from './wire.ts';

/** What is used of TanStack's `QueryClient`, of whichever adapter. */
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
 * Forgets every customer: call it when the user signs out. Requests under way are aborted, and
 * components still mounted lose their rows at once, the previous page kept for paging included.
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

/** The freshest row of this customer in any cached list, and how fresh it is. */
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
