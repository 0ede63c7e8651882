/**
 * TanStack Query options for any of its adapters: plain objects, without an import from TanStack.
 * The cache holds wire data, which survives structural sharing and dehydration; `select` maps it.
 */
import { filtersOf, type ListSelection, selectionOf } from './filters.ts';
import { limits } from './limits.ts';
import { toCustomerOf, toCustomerPage, toTimeline } from './mappers.ts';
import type { Customer, CustomerPage, InfiniteCustomers, Timeline } from './model.ts';
import { findCachedCustomer, type QueryClientLike } from './query-cache.ts';
import { customerKeys, type InfinitePages } from './query-keys.ts';
import { placeholderFor, policyOf, type Placeholder, type QueryPolicy } from './query-policy.ts';
import type { CustomersService, TimelineParams } from './service.ts';
import type {
  WireCustomerDetail,
  WireCustomerList,
  WireSuggestion,
  WireSuggestions,
  WireTimeline,
} from './wire.ts';

/** The parameters of {@link customersQuery}. */
export interface CustomersQueryParams extends ListSelection {
  /** Starts at 1, which is the default. */
  page?: number | undefined;
  /** Trimmed before use. */
  search?: string | undefined;
  /** Overrides the service's page size. Each page size is cached separately. */
  perPage?: number | undefined;
}

/** Query options of {@link customersQuery}, for `useQuery`, `fetchQuery` and the like. */
export interface CustomersQueryOptions extends QueryPolicy {
  queryKey: ReturnType<typeof customerKeys.list>;
  queryFn: (context: { signal: AbortSignal }) => Promise<WireCustomerList>;
  select: (envelope: WireCustomerList) => CustomerPage;
  /** The previous page, if it has the same search, page size, filters and order. */
  placeholderData: Placeholder<WireCustomerList>;
}

/** Query options of {@link customersTimelineQuery}, for `useQuery`, `fetchQuery` and the like. */
export interface CustomersTimelineQueryOptions extends QueryPolicy {
  queryKey: ReturnType<typeof customerKeys.timeline>;
  queryFn: (context: { signal: AbortSignal }) => Promise<WireTimeline>;
  select: (envelope: WireTimeline) => Timeline;
  /** The previous timeline, if it differs in `exact` only. */
  placeholderData: Placeholder<WireTimeline>;
}

/** Query options of {@link customerQuery}, for `useQuery`, `fetchQuery` and the like. */
export interface CustomerQueryOptions extends QueryPolicy {
  queryKey: ReturnType<typeof customerKeys.detail>;
  queryFn: (context: { signal: AbortSignal }) => Promise<WireCustomerDetail>;
  select: (envelope: WireCustomerDetail) => Customer;
  /** The customer's row in a cached list, if there is one. */
  initialData: () => WireCustomerDetail | undefined;
  /** When that list was fetched. */
  initialDataUpdatedAt: () => number | undefined;
}

/** Query options of {@link customersInfiniteQuery}, for `useInfiniteQuery` and the like. */
export interface CustomersInfiniteQueryOptions extends QueryPolicy {
  queryKey: ReturnType<typeof customerKeys.infinite>;
  queryFn: (context: { signal: AbortSignal; pageParam: number }) => Promise<WireCustomerList>;
  initialPageParam: number;
  getNextPageParam: (last: WireCustomerList) => number | undefined;
  select: (cached: InfinitePages) => InfiniteCustomers;
}

/** Query options of {@link suggestionsQuery}, for `useQuery`, `fetchQuery` and the like. */
export interface SuggestionsQueryOptions extends QueryPolicy {
  queryKey: ReturnType<typeof customerKeys.suggestions>;
  queryFn: (context: { signal: AbortSignal }) => Promise<WireSuggestions>;
  select: (envelope: WireSuggestions) => WireSuggestion[];
}

/**
 * Query options for one page of the list. A page is fresh for five minutes, unless the service has
 * another `staleTime`. While the next page
 * loads, the previous page of the same search is kept as placeholder.
 *
 * @example
 * const { data } = useQuery(customersQuery(service, { page: 2, search: 'anna' }));
 * await queryClient.prefetchQuery(customersQuery(service));
 */
export function customersQuery(
  service: CustomersService,
  { page = 1, search = '', perPage = service.perPage, ...rest }: CustomersQueryParams = {},
): CustomersQueryOptions {
  const selection = selectionOf(rest);
  const queryKey = customerKeys.list(page, search, sizeInKey(service, perPage), selection);
  return {
    ...policyOf(service),
    queryKey,
    queryFn: ({ signal }) =>
      service.list({ page, search: queryKey[3], perPage, ...selection, signal }),
    select: toCustomerPage,
    placeholderData: placeholderFor(queryKey),
  };
}

/**
 * Query options for a list that grows page by page. It is cached separately from pages.
 *
 * @example
 * const { data, fetchNextPage, hasNextPage } = useInfiniteQuery(
 *   customersInfiniteQuery(service, { search: 'anna' }),
 * );
 */
export function customersInfiniteQuery(
  service: CustomersService,
  { search = '', perPage = service.perPage, ...rest }: Omit<CustomersQueryParams, 'page'> = {},
): CustomersInfiniteQueryOptions {
  const selection = selectionOf(rest);
  const queryKey = customerKeys.infinite(search, sizeInKey(service, perPage), selection);
  return {
    ...policyOf(service),
    queryKey,
    queryFn: ({ signal, pageParam: page }) =>
      service.list({ page, search: queryKey[3], perPage, ...selection, signal }),
    initialPageParam: 1,
    getNextPageParam: ({ pagination: { page, per_page, total } }) =>
      page * per_page < total ? page + 1 : undefined,
    select: toInfiniteCustomers,
  };
}

/**
 * Query options for one customer. With a `queryClient`, the customer's row in a cached list is the
 * initial data, and the service is called only if that list is older than five minutes.
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
    ...policyOf(service),
    queryKey: customerKeys.detail(id),
    queryFn: ({ signal }) => service.get(id, { signal }),
    select: toCustomerOf,
    initialData: () => cached()?.envelope,
    initialDataUpdatedAt: () => cached()?.updatedAt,
  };
}

/**
 * Query options for the searches to try instead of one that matches at most five customers.
 *
 * @example
 * const isEmpty = list.isSuccess && list.data.total === 0;
 * const { data } = useQuery({ ...suggestionsQuery(service, search), enabled: isEmpty });
 */
export function suggestionsQuery(
  service: CustomersService,
  search: string,
): SuggestionsQueryOptions {
  const queryKey = customerKeys.suggestions(search);
  return {
    ...policyOf(service),
    queryKey,
    queryFn: ({ signal }) => service.suggestions(queryKey[2], { signal }),
    select: ({ data }) => data,
  };
}

/**
 * Query options for the timeline of a list: when its customers joined. An inexact timeline is kept as
 * placeholder while the exact one loads.
 *
 * @example
 * const { data } = useQuery(customersTimelineQuery(service, { search: 'anna', verified: true }));
 */
export function customersTimelineQuery(
  service: CustomersService,
  { search = '', exact, buckets, ...rest }: Omit<TimelineParams, 'signal'> = {},
): CustomersTimelineQueryOptions {
  const params = { ...filtersOf(rest), buckets, exact };
  const queryKey = customerKeys.timeline(search, params);
  return {
    ...policyOf(service),
    queryKey,
    queryFn: ({ signal }) => service.timeline({ search: queryKey[3], ...params, signal }),
    select: toTimeline,
    placeholderData: placeholderFor(queryKey),
  };
}

/** The page size in the keys of this service, or `undefined` if they omit it. */
function sizeInKey(service: CustomersService, perPage: number | undefined): number | undefined {
  const omitted = perPage === service.perPage && !service.perPageInKeys;
  return omitted ? undefined : (perPage ?? limits.perPage.default);
}

/** New customers move others to the next page, so a customer can be in two of the cached pages. */
function toInfiniteCustomers({ pages }: InfinitePages): InfiniteCustomers {
  const items = pages.flatMap((page) => toCustomerPage(page).items);
  return {
    items: [...new Map(items.map((customer) => [customer.id, customer])).values()],
    total: pages.at(-1)?.pagination.total ?? 0,
  };
}
