import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { type CustomersQueryParams, customersQuery } from '../query-options.ts';
import { useCustomersService } from './provider.ts';

/**
 * Returns a function that prefetches a page. It does nothing while the page is fresh, and it does
 * not throw: {@link useCustomers} reports the error when the page is opened.
 *
 * @example
 * const prefetch = usePrefetchCustomers();
 * <button onPointerEnter={() => prefetch({ page: page + 1, search })}>Next</button>
 */
export function usePrefetchCustomers(): (params?: CustomersQueryParams) => void {
  const service = useCustomersService();
  const queryClient = useQueryClient();
  return useCallback(
    (params) => void queryClient.prefetchQuery(customersQuery(service, params)),
    [queryClient, service],
  );
}
