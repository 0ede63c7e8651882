import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import type { Customer } from '../model.ts';
import { customerQuery } from '../query-options.ts';
import { useCustomersService } from './provider.ts';

/** What {@link useCustomer} tells. */
export interface CustomerResult<T extends Customer | undefined = Customer | undefined> {
  /** `undefined` until data arrives. */
  customer: T;
  /** There is nothing to show yet. */
  isPending: boolean;
  /** A request is under way, also behind a customer that is shown. */
  isFetching: boolean;
  error: Error | null;
  refetch: () => Promise<unknown>;
  /** Milliseconds, as `Date.now()`; 0 until data arrives. */
  dataUpdatedAt: number;
}

/**
 * One customer. Shown at once when a cached list has the row, and asked for only when that list
 * is older than five minutes.
 *
 * @example
 * const { customer, isPending, error } = useCustomer(id);
 * if (isApiError(error, 'customer-not-found')) return <NotFound />;
 */
export function useCustomer(id: string): CustomerResult {
  return toResult(useQuery(customerQuery(useCustomersService(), id, useQueryClient())));
}

/**
 * {@link useCustomer} for a `<Suspense>` boundary and an error boundary.
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
