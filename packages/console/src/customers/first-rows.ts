/** The rows of lists whose total is being counted. */
import {
  type Customer,
  type CustomersService,
  type ListCustomersParams,
  toCustomers,
} from '@clientele/client';
import { type QueryClient, skipToken, useQuery } from '@tanstack/react-query';

interface FirstRows {
  items: Customer[];
  /** Like `Date.now()`. */
  arrivedAt: number;
}

/** In the cache of customers, so that they are forgotten together. */
const keyOf = ({ page, search, perPage, signal: _, onRows: __, ...rest }: ListCustomersParams) =>
  ['customers', 'rows', page, search?.trim(), perPage, rest] as const;

/** A service that keeps them in the cache. */
export function keepingFirstRows(
  service: CustomersService,
  queryClient: QueryClient,
): CustomersService {
  return {
    ...service,
    list: (params = {}) =>
      service.list({
        ...params,
        onRows: (list) =>
          queryClient.setQueryData<FirstRows>(keyOf(params), {
            items: toCustomers(list),
            arrivedAt: Date.now(),
          }),
      }),
  };
}

/** Perhaps those of an earlier request: they matter only until the whole list is there. */
export function useFirstRows(params: ListCustomersParams): FirstRows | undefined {
  return useQuery<FirstRows>({ queryKey: keyOf(params), queryFn: skipToken, gcTime: 60_000 }).data;
}
