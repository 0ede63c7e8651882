import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import type { Customer } from '../model.ts';
import { customerQuery } from '../query-options.ts';
import { useCustomersService } from './provider.ts';

/** The result of {@link useCustomer}. */
export interface CustomerResult<T extends Customer | undefined = Customer | undefined> {
  /** `undefined` until data arrives. */
  customer: T;
  /** There is no data yet. */
  isPending: boolean;
  /** A request is in progress, possibly in the background while data is shown. */
  isFetching: boolean;
  error: Error | null;
  refetch: () => Promise<unknown>;
  /** In milliseconds, like `Date.now()`. 0 until data arrives. */
  dataUpdatedAt: number;
}

/**
 * Reads one customer. If a cached list contains the customer, the hook returns that row immediately
 * and calls the service only if the list is older than five minutes.
 *
 * @example
 * const { customer, isPending, error } = useCustomer(id);
 * if (isApiError(error, 'customer-not-found')) return <NotFound />;
 */
export function useCustomer(id: string): CustomerResult {
  return toResult(useQuery(customerQuery(useCustomersService(), id, useQueryClient())));
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
    error: query.error,
    refetch: query.refetch,
    dataUpdatedAt: query.dataUpdatedAt,
  };
}
