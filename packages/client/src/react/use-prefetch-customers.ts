import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { type CustomersQueryParams, customersQuery } from '../query-options.ts';
import { useCustomersService } from './provider.ts';

/**
 * A function that loads a page ahead of its need. Does nothing while the page is fresh, and keeps
 * errors to itself: the page tells them when it is asked for.
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
