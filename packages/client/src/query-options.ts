/**
 * TanStack Query options, for any of its adapters: plain objects, nothing of TanStack is imported.
 * The cache holds wire data, which survives structural sharing and dehydration; `select` maps it.
 */
import { isApiError, isContractError } from './errors.ts';
import { toCustomer, toCustomerPage } from './mappers.ts';
import type { Customer, CustomerPage } from './model.ts';
import { type CustomerDetailKey, customerKeys, type CustomerListKey } from './query-keys.ts';
import { findCachedCustomer, type QueryClientLike } from './query-cache.ts';
import type { CustomersService } from './service.ts';
import { shareEqual } from './share-equal.ts';
import type { WireCustomerDetail, WireCustomerList } from './wire.ts';

/** Which page of which list. */
export interface CustomersQueryParams {
  /** Counted from 1, which is the default. */
  page?: number | undefined;
  /** Trimmed before it is used. */
  search?: string | undefined;
  /** Another page size than the service's setting; cached apart. */
  perPage?: number | undefined;
}

/** What all our queries have in common. */
export interface QueryPolicy {
  /** Five minutes. */
  staleTime: number;
  /** Up to three times, in browsers, on network failures and 5xx; never on 4xx. */
  retry: (failureCount: number, error: Error) => boolean;
  /** 1, 2, 4 seconds, or what `Retry-After` says if that is longer. */
  retryDelay: (failureCount: number, error: Error) => number;
  /** Rows that a refetch did not change keep their identity, dates included. */
  structuralSharing: (previous: unknown, next: unknown) => unknown;
}

/** Query options of {@link customersQuery}, for `useQuery`, `fetchQuery` and the like. */
export interface CustomersQueryOptions extends QueryPolicy {
  queryKey: CustomerListKey;
  queryFn: (context: { signal: AbortSignal }) => Promise<WireCustomerList>;
  select: (envelope: WireCustomerList) => CustomerPage;
  /** The previous page, if it is one of the same search and size. */
  placeholderData: (
    previous: WireCustomerList | undefined,
    previousQuery: { queryKey: readonly unknown[] } | undefined,
  ) => WireCustomerList | undefined;
}

/** Query options of {@link customerQuery}, for `useQuery`, `fetchQuery` and the like. */
export interface CustomerQueryOptions extends QueryPolicy {
  queryKey: CustomerDetailKey;
  queryFn: (context: { signal: AbortSignal }) => Promise<WireCustomerDetail>;
  select: (envelope: WireCustomerDetail) => Customer;
  /** The customer's row in a cached list. */
  initialData: () => WireCustomerDetail | undefined;
  /** When that list was loaded. */
  initialDataUpdatedAt: () => number | undefined;
}

/**
 * One page of the list: fresh for five minutes, the previous page of the same search kept while
 * the next one loads.
 *
 * @example
 * const { data } = useQuery(customersQuery(service, { page: 2, search: 'anna' }));
 * await queryClient.prefetchQuery(customersQuery(service));
 */
export function customersQuery(
  service: CustomersService,
  { page = 1, search = '', perPage = service.perPage }: CustomersQueryParams = {},
): CustomersQueryOptions {
  const otherSize = perPage === service.perPage ? undefined : perPage;
  const queryKey = customerKeys.list(page, search, otherSize);
  return {
    ...policy,
    queryKey,
    queryFn: ({ signal }) => service.list({ page, search: queryKey[3], perPage, signal }),
    select: toCustomerPage,
    // A new function each time: TanStack would go on showing what a known one once answered.
    placeholderData: (previous, previousQuery) => {
      const [, , , otherSearch, size] = previousQuery?.queryKey ?? [];
      return otherSearch === queryKey[3] && size === queryKey[4] ? previous : undefined;
    },
  };
}

/**
 * One customer. With a `queryClient`, it starts from the customer's row in a cached list and asks
 * the service only when that list is older than five minutes.
 *
 * @example
 * const { data } = useQuery(customerQuery(service, id, queryClient));
 */
export function customerQuery(
  service: CustomersService,
  id: string,
  queryClient?: QueryClientLike,
): CustomerQueryOptions {
  const cached = () => queryClient && findCachedCustomer(queryClient, id);
  return {
    ...policy,
    queryKey: customerKeys.detail(id),
    queryFn: ({ signal }) => service.get(id, { signal }),
    select: selectCustomer,
    initialData: () => cached()?.envelope,
    initialDataUpdatedAt: () => cached()?.updatedAt,
  };
}

/** Seconds. A longer `Retry-After` is for the user to decide on, not to sit out behind a spinner. */
const longestWait = 30;

const policy: QueryPolicy = {
  staleTime: 5 * 60 * 1000,
  structuralSharing: shareEqual,

  // As TanStack Query itself: three times in a browser, never on a server, where a page waits.
  retry(failureCount, error) {
    if (failureCount >= 3 || typeof window === 'undefined' || isContractError(error)) return false;
    if (!isApiError(error)) return true;
    return error.status >= 500 && (error.retryAfter ?? 0) <= longestWait;
  },

  retryDelay(failureCount, error) {
    const told = isApiError(error) ? (error.retryAfter ?? 0) : 0;
    return 1000 * Math.max(told, Math.min(2 ** failureCount, longestWait));
  },
};

function selectCustomer({ data }: WireCustomerDetail): Customer {
  return toCustomer(data);
}
