import { hashKey, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toCustomers } from '../mappers.ts';
import type { Customer } from '../model.ts';
import { customersQuery } from '../query-options.ts';
import type { OnRows } from '../read-rows-first.ts';
import { useCustomersService } from './provider.ts';
import {
  type CustomersResult,
  selectCountedPage,
  toResult,
  type UseCustomersParams,
} from './use-customers.ts';

/** The result of {@link useCustomersRowsFirst}. */
export interface RowsFirstResult extends Omit<CustomersResult, 'total' | 'pageCount'> {
  /** `undefined` while the rows are shown and their total is being counted. 0 until rows arrive. */
  total: number | undefined;
  /** `undefined` while the total is. */
  pageCount: number | undefined;
}

interface FirstRows {
  /** The key of their query. */
  of: string;
  items: Customer[];
}

/**
 * The variant of {@link useCustomers} that returns the rows of a search before their total where the service sends them
 * first. The cache only ever holds complete pages.
 *
 * @example
 * const { items, total } = useCustomersRowsFirst({ search });
 * return <p>{total === undefined ? 'Counting…' : `${total} customers`}</p>;
 */
export function useCustomersRowsFirst({
  enabled = true,
  ...params
}: UseCustomersParams = {}): RowsFirstResult {
  const service = useCustomersService();
  const [first, setFirst] = useState<FirstRows>();
  const query = customersQuery(service, params);
  const of = hashKey(query.queryKey);
  const onRows: OnRows = (rows) => setFirst({ of, items: toCustomers(rows) });
  const list = useQuery({
    ...query,
    queryFn: ({ signal }) => service.list({ ...params, search: query.queryKey[3], signal, onRows }),
    select: selectCountedPage,
    enabled,
  });
  const result = toResult(list, params);
  const isCounting = result.isFetching && (result.isPending || result.isPlaceholderData);
  if (!isCounting || first?.of !== of) return result;
  return {
    ...result,
    ...{ items: first.items, page: params.page ?? 1, total: undefined, pageCount: undefined },
    ...{ isPending: false, isPlaceholderData: false },
  };
}
