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
  /** The search these rows belong to; while the next one loads, the previous one. */
  search: Search;
  searchText: string;
  updatedAt: number;
}

/**
 * The requested rows, or the previous ones until they arrive. `useCustomers` starts every new search
 * empty, which would make the table flicker on each keystroke.
 */
export function useShownList(requested: { page: number; search: string; perPage: number }) {
  const list = useCustomers(requested);
  const search = useMemo(() => parseSearch(requested.search), [requested.search]);
  const last = useRef<ShownList>(undefined);
  const current =
    list.dataUpdatedAt > 0 && !list.isPending ? toShown(list, search, requested) : undefined;

  useEffect(() => {
    if (current && !list.isPlaceholderData) last.current = current;
  });

  return {
    /** Undefined until the first answer, and if the requested rows failed to load. */
    // oxlint-disable-next-line react/refs -- state would render every answer twice
    shown: current ?? (list.error ? undefined : last.current),
    /** The requested rows have not arrived yet. */
    isOutdated: list.isPlaceholderData || (list.isPending && !list.error),
    isFetching: list.isFetching,
    error: list.error,
    refetch: list.refetch,
  };
}

function toShown(
  list: CustomersResult,
  search: Search,
  requested: { search: string; perPage: number },
): ShownList {
  const { items, page, total, pageCount, dataUpdatedAt } = list;
  return {
    items,
    page,
    total,
    pageCount,
    perPage: requested.perPage,
    search,
    searchText: requested.search,
    updatedAt: dataUpdatedAt,
  };
}
