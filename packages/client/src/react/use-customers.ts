import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { toCustomerPage } from '../mappers.ts';
import type { Customer, CustomerPage } from '../model.ts';
import { type CustomersQueryParams, customersQuery } from '../query-options.ts';
import type { WireCustomerList } from '../wire.ts';
import { useCustomersService } from './provider.ts';

/** What {@link useCustomers} tells. */
export interface CustomersResult {
  /** Empty until data arrives. */
  items: Customer[];
  /** The page the items belong to; the one asked for until data arrives. */
  page: number;
  /** All matches, on every page; 0 until data arrives. */
  total: number;
  pageCount: number;
  /** There is nothing to show yet. */
  isPending: boolean;
  /** A request is under way, also behind rows that are shown. */
  isFetching: boolean;
  /** The items are the previous page's, kept while the page asked for is loading. */
  isPlaceholderData: boolean;
  error: Error | null;
  refetch: () => Promise<unknown>;
  /** Milliseconds, as `Date.now()`; 0 until data arrives. */
  dataUpdatedAt: number;
}

/**
 * One page of customers, kept up to date. A new search starts empty; only pages of one search
 * stand in for each other while loading.
 *
 * @example
 * const { items, pageCount, isPending, error } = useCustomers({ page, search });
 */
export function useCustomers(params: CustomersQueryParams = {}): CustomersResult {
  const query = customersQuery(useCustomersService(), params);
  return toResult(useQuery({ ...query, select: selectCountedPage }), params);
}

/**
 * {@link useCustomers} for a `<Suspense>` boundary, which shows the loading, and an error boundary.
 * Wrap page changes in `startTransition` to keep the rows on screen.
 *
 * @example
 * const { items, pageCount } = useSuspenseCustomers({ page, search });
 */
export function useSuspenseCustomers(params: CustomersQueryParams = {}): CustomersResult {
  const query = customersQuery(useCustomersService(), params);
  return toResult(useSuspenseQuery({ ...query, select: selectCountedPage }), params);
}

interface CountedPage extends CustomerPage {
  pageCount: number;
}

/** The page size is not in the model, so pages are counted where it is still at hand. */
function selectCountedPage(envelope: WireCustomerList): CountedPage {
  const { total, per_page } = envelope.pagination;
  return { ...toCustomerPage(envelope), pageCount: Math.ceil(total / per_page) };
}

/** One array, so that effects depending on `items` do not run on each render. */
const none: Customer[] = Object.freeze<Customer[]>([]) as Customer[];

/** What is read of TanStack's result; its Suspense variant has no placeholder. */
interface ListQuery extends Omit<CustomersResult, keyof CountedPage | 'isPlaceholderData'> {
  data: CountedPage | undefined;
  isPlaceholderData?: boolean;
}

function toResult(query: ListQuery, { page = 1 }: CustomersQueryParams): CustomersResult {
  return {
    ...(query.data ?? { items: none, page, total: 0, pageCount: 0 }),
    isPending: query.isPending,
    isFetching: query.isFetching,
    isPlaceholderData: query.isPlaceholderData ?? false,
    error: query.error,
    refetch: query.refetch,
    dataUpdatedAt: query.dataUpdatedAt,
  };
}
