import type { Customer } from '@clientele/client';
import { useCustomers, type CustomersResult } from '@clientele/client/react';
import { useEffect, useMemo, useRef } from 'react';
import { parseSearch, type Search } from '../search/matches.ts';

export interface ShownList {
  items: Customer[];
  page: number;
  total: number;
  pageCount: number;
  perPage: number;
  /** The search these rows belong to, which is not always the one asked for. */
  search: Search;
  searchText: string;
  updatedAt: number;
}

/**
 * The rows to show: those asked for, or the last ones while these are on their way. The hook starts a
 * new search empty; a person's eye should not have to.
 */
export function useShownList(asked: { page: number; search: string; perPage: number }) {
  const list = useCustomers(asked);
  const search = useMemo(() => parseSearch(asked.search), [asked.search]);
  const last = useRef<ShownList>(undefined);
  const current =
    list.dataUpdatedAt > 0 && !list.isPending ? toShown(list, search, asked) : undefined;

  useEffect(() => {
    if (current && !list.isPlaceholderData) last.current = current;
  });

  return {
    /** Undefined until the first rows of all. */
    // oxlint-disable-next-line react/refs -- a state instead would draw every answer twice
    shown: current ?? (list.error ? undefined : last.current),
    /** The rows are not yet those asked for. */
    isOutdated: list.isPlaceholderData || (list.isPending && !list.error),
    isFetching: list.isFetching,
    error: list.error,
    refetch: list.refetch,
  };
}

function toShown(
  list: CustomersResult,
  search: Search,
  asked: { search: string; perPage: number },
): ShownList {
  const { items, page, total, pageCount, dataUpdatedAt } = list;
  return {
    items,
    page,
    total,
    pageCount,
    perPage: asked.perPage,
    search,
    searchText: asked.search,
    updatedAt: dataUpdatedAt,
  };
}
