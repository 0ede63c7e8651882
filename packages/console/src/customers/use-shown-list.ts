import { customersQuery, type Customer } from '@clientele/client';
import { useCustomersService, useFirstRows } from '@clientele/client/react';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { parseSearch } from '../search/matches.ts';
import { retryAt } from '../ui/explain.ts';
import { useCountdown } from '../ui/use-countdown.ts';
import { useLasting } from '../ui/use-lasting.ts';
import { useOnline } from '../ui/use-online.ts';
import { dataAsOf } from './data-age.ts';
import { listView, noticeableMs, slowMs, type ListRequest, type ListView } from './list-view.ts';
import type { ShownList } from './shown-list.ts';

export interface List extends ListView {
  /** The rows are the wanted ones. */
  isCurrent: boolean;
  /** The server has not answered the address's request. */
  isAwaited: boolean;
  /** When the last request failed, like `Date.now()`. */
  failedAt: number;
  /** Does nothing before `retryAt`. */
  refresh: () => void;
}

interface Options {
  requested: ListRequest;
  /** The search in the field. */
  typed: string;
  /** A link to one customer has no list. */
  isEnabled: boolean;
}

/** Loads the address's rows. The previous ones stay until they arrive, which avoids flicker. */
export function useShownList({ requested, typed, isEnabled }: Options): List {
  const query = useQuery({
    ...customersQuery(useCustomersService(), { ...requested, ...requested.filters }),
    enabled: isEnabled,
  });
  const { data, dataUpdatedAt, isPlaceholderData, fetchStatus, failureCount, error } = query;
  const { errorUpdatedAt, refetch } = query;
  const { search, filters, page, perPage } = requested;
  const firstRows = useFirstRows({ page, search, perPage, ...filters });
  // The rows are not drawn again for an address with the same search.
  const parsed = useMemo(() => parseSearch(search), [search]);
  const shown = useCallback(
    (items: Customer[], total: number | undefined, updatedAt: number): ShownList => ({
      items,
      total,
      page,
      perPage,
      search: parsed,
      searchText: search,
      filters,
      updatedAt,
      asOf: dataAsOf({ page, perPage, search, filters }),
    }),
    [search, parsed, filters, page, perPage],
  );
  const answer = useMemo(
    () => (data && !isPlaceholderData ? shown(data.items, data.total, dataUpdatedAt) : undefined),
    [data, isPlaceholderData, dataUpdatedAt, shown],
  );
  const first = useMemo(
    () => firstRows.items && shown(firstRows.items, undefined, firstRows.arrivedAt),
    [firstRows.items, firstRows.arrivedAt, shown],
  );
  const previous = useRef<ShownList>(undefined);
  useEffect(() => {
    if (answer ?? first) previous.current = answer ?? first;
  });

  const isTyping = typed !== search;
  // Loading starts when a search is sent; typing without a pause counts too.
  const isTypingOn = useLasting(isTyping, noticeableMs);
  const isWaiting = fetchStatus === 'fetching' || isTypingOn;
  const isNoticeable = useLasting(isWaiting, noticeableMs);
  const isSlow = useLasting(isWaiting, slowMs);
  const isOnline = useOnline();
  const secondsBlocked = useCountdown(error ? retryAt(error, errorUpdatedAt) : 0);
  const view = listView({
    wanted: isTyping ? { ...requested, search: typed, page: 1 } : requested,
    requested,
    answer,
    first,
    // oxlint-disable-next-line react/refs -- state would render every answer twice
    previous: previous.current,
    query: {
      isPaused: fetchStatus === 'paused',
      failures: failureCount,
      error,
      failedAt: errorUpdatedAt,
    },
    isOnline,
    isBlocked: secondsBlocked > 0,
    waitedMs: isSlow ? slowMs : isNoticeable ? noticeableMs : 0,
  });
  return {
    ...view,
    isCurrent: view.rows !== undefined && view.previous === null,
    isAwaited: isEnabled && !answer && !first && !error,
    failedAt: errorUpdatedAt,
    refresh: () => {
      if (isEnabled && Date.now() >= view.retryAt) void refetch();
    },
  };
}
