import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { Customer } from '../model.ts';
import { customerQuery } from '../query-options.ts';
import { type HookOptions, type SuspenseHookOptions, useOptions } from './hook-options.ts';
import { type RequestState, stateOf } from './request-state.ts';

/** The result of {@link useCustomer}. */
export interface CustomerResult<
  T extends Customer | undefined = Customer | undefined,
> extends RequestState {
  /** `undefined` until data arrives. */
  customer: T;
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
export function useCustomer(id: string | undefined, options?: HookOptions): CustomerResult {
  const query = useOptions((service, cache) => customerQuery(service, id ?? '', cache), options);
  return toResult(useQuery({ ...query, enabled: id !== undefined }));
}

/**
 * The variant of {@link useCustomer} for a `<Suspense>` boundary and an error boundary.
 *
 * @example
 * const { customer } = useSuspenseCustomer(id);
 */
export function useSuspenseCustomer(
  id: string,
  options?: SuspenseHookOptions,
): CustomerResult<Customer> {
  const query = useOptions((service, cache) => customerQuery(service, id, cache), options);
  return toResult(useSuspenseQuery(query));
}

function toResult<T extends Customer | undefined>(
  query: { data: T } & RequestState,
): CustomerResult<T> {
  return { customer: query.data, ...stateOf(query) };
}
