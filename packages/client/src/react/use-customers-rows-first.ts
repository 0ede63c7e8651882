import { useQuery } from '@tanstack/react-query';
import { customersQuery } from '../query-options.ts';
import { keepingFirstRows, useFirstRows } from './first-rows.ts';
import { type HookOptions, useOptions } from './hook-options.ts';
import {
  type CustomersResult,
  selectCountedPage,
  toResult,
  type UseCustomersParams,
} from './use-customers.ts';

/** The result of {@link useCustomersRowsFirst}. */
export interface RowsFirstResult extends Omit<CustomersResult, 'total' | 'pageCount'> {
  /** `undefined` until it is counted. */
  total: number | undefined;
  /** `undefined` while the total is. */
  pageCount: number | undefined;
  /**
   * The items have arrived, and their total has not. It is being counted, unless `error` or `isPaused` says why it is
   * not.
   */
  isIncomplete: boolean;
}

/**
 * The variant of {@link useCustomers} that returns the rows of a search before their total where the service sends them
 * first. If the total fails, the rows stay, with the error. A page in the cache always has its total.
 *
 * @example
 * const { items, total, isIncomplete } = useCustomersRowsFirst({ search });
 * return <p>{isIncomplete ? 'Counting…' : `${total ?? '…'} customers`}</p>;
 */
export function useCustomersRowsFirst(
  { enabled = true, ...params }: UseCustomersParams = {},
  options?: HookOptions,
): RowsFirstResult {
  const query = useOptions(
    (service, queryClient) => customersQuery(keepingFirstRows(service, queryClient), params),
    options,
  );
  const list = useQuery({ ...query, select: selectCountedPage, enabled });
  const { items } = useFirstRows(params);
  const { total, pageCount } = list.data ?? {};
  const result = { ...toResult(list, params), total, pageCount, isIncomplete: false };
  if (!items || (list.data && !list.isPlaceholderData)) return result;
  return {
    ...result,
    ...{
      items,
      page: params.page ?? 1,
      total: undefined,
      pageCount: undefined,
      isIncomplete: true,
    },
    ...{ isPending: false, isSuccess: false, isEmpty: false, isPlaceholderData: false },
  };
}
