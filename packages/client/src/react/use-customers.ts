import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { toCustomerPage } from '../mappers.ts';
import type { Customer, CustomerPage } from '../model.ts';
import { type CustomersQueryParams, customersQuery } from '../query-options.ts';
import type { WireCustomerList } from '../wire.ts';
import { type HookOptions, type SuspenseHookOptions, useOptions } from './hook-options.ts';
import { type RequestState, stateOf } from './request-state.ts';

/** The result of {@link useCustomers}. */
export interface CustomersResult extends RequestState {
  /** Empty until data arrives. */
  items: Customer[];
  /** The page of these items. Until data arrives, the requested page. */
  page: number;
  /** The number of matching customers on all pages. 0 until data arrives. */
  total: number;
  pageCount: number;
  /** Nobody matches: data has arrived with a total of 0. False while it loads, and after an error. */
  isEmpty: boolean;
  /** The items belong to the previous page, which is kept while the requested page loads. */
  isPlaceholderData: boolean;
}

/** The parameters of {@link useCustomers}. */
export interface UseCustomersParams extends CustomersQueryParams {
  /** With `false`, the hook sends no request. Defaults to `true`. */
  enabled?: boolean | undefined;
}

/**
 * Reads one page of customers. While a page loads, the previous page of the same search is kept; a
 * new search starts empty.
 *
 * @example
 * const { items, pageCount, isPending, error } = useCustomers({ page, search });
 * const { total } = useCustomers({ search }, { refetchInterval: 60_000, retry: false });
 */
export function useCustomers(
  { enabled = true, ...params }: UseCustomersParams = {},
  options?: HookOptions,
): CustomersResult {
  const query = useOptions((service) => customersQuery(service, params), options);
  return toResult(useQuery({ ...query, select: selectCountedPage, enabled }), params);
}

/**
 * The variant of {@link useCustomers} for a `<Suspense>` boundary, which shows the loading state, and
 * an error boundary. Wrap page changes in `startTransition` to keep the rows on screen.
 *
 * @example
 * const { items, pageCount } = useSuspenseCustomers({ page, search });
 */
export function useSuspenseCustomers(
  params: CustomersQueryParams = {},
  options?: SuspenseHookOptions,
): CustomersResult {
  const query = useOptions((service) => customersQuery(service, params), options);
  return toResult(useSuspenseQuery({ ...query, select: selectCountedPage }), params);
}

interface CountedPage extends CustomerPage {
  pageCount: number;
}

/** `CustomerPage` has no page size, so the page count is calculated from the envelope. */
export function selectCountedPage(envelope: WireCustomerList): CountedPage {
  const { total, per_page } = envelope.pagination;
  return { ...toCustomerPage(envelope), pageCount: Math.ceil(total / per_page) };
}

/** A constant, so that effects depending on `items` do not run on each render. */
const none: Customer[] = Object.freeze<Customer[]>([]) as Customer[];

/** The part of TanStack's result that is used here. The Suspense variant has no placeholder. */
interface ListQuery extends RequestState {
  data: CountedPage | undefined;
  isPlaceholderData?: boolean;
}

export function toResult(query: ListQuery, { page = 1 }: CustomersQueryParams): CustomersResult {
  const { data, isPlaceholderData = false } = query;
  return {
    ...(data ?? { items: none, page, total: 0, pageCount: 0 }),
    ...stateOf(query),
    isEmpty: query.isSuccess && data?.total === 0,
    isPlaceholderData,
  };
}
