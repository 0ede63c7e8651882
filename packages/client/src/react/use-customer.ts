import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import type { Customer } from '../model.ts';
import { customerQuery } from '../query-options.ts';
import { useCustomersService } from './provider.ts';

/** The result of {@link useCustomer}. */
export interface CustomerResult<T extends Customer | undefined = Customer | undefined> {
  /** `undefined` until data arrives. */
  customer: T;
  /** There is no data yet, also because no identifier was given. */
  isPending: boolean;
  /** A request is in progress, possibly in the background while data is shown. */
  isFetching: boolean;
  /** A request waits for the network: the browser is offline. */
  isPaused: boolean;
  error: Error | null;
  refetch: () => Promise<unknown>;
  /** In milliseconds, like `Date.now()`. 0 until data arrives. */
  dataUpdatedAt: number;
}

/**
 * Reads one customer. If a cached list contains the customer, the hook returns that row immediately
 * and calls the service only if the list is older than five minutes. Without an identifier it reads
 * nothing.
 *
 * @example
 * const { customer, isPending, error } = useCustomer(selectedId);
 * if (isApiError(error, 'customer-not-found')) return <NotFound />;
 */
export function useCustomer(id: string | undefined): CustomerResult {
  const query = customerQuery(useCustomersService(), id ?? '', useQueryClient());
  return toResult(useQuery({ ...query, enabled: id !== undefined }));
}

/**
 * The variant of {@link useCustomer} for a `<Suspense>` boundary and an error boundary.
 *
 * @example
 * const { customer } = useSuspenseCustomer(id);
 */
export function useSuspenseCustomer(id: string): CustomerResult<Customer> {
  return toResult(useSuspenseQuery(customerQuery(useCustomersService(), id, useQueryClient())));
}

function toResult<T extends Customer | undefined>(
  query: { data: T } & Omit<CustomerResult, 'customer'>,
): CustomerResult<T> {
  return {
    customer: query.data,
    isPending: query.isPending,
    isFetching: query.isFetching,
    isPaused: query.isPaused,
    error: query.error,
    refetch: query.refetch,
    dataUpdatedAt: query.dataUpdatedAt,
  };
}
