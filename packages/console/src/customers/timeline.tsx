import { customersTimelineQuery } from '@clientele/client';
import { useCustomersService } from '@clientele/client/react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { listKey } from '../filters.ts';
import { useQueryRecovery } from '../ui/use-recovery.ts';
import { useLasting } from '../ui/use-lasting.ts';
import { periodsOf } from './periods.ts';
import { useKeptFocus } from './row-focus.ts';
import { TimelineStrip } from './timeline-strip.tsx';
import type { ShownList } from './shown-list.ts';
import type { List } from './use-shown-list.ts';

interface Props {
  list: List;
  goToPage: (page: number) => void;
}

/** Typing sends a search after every pause; its timeline is requested once the rows have been there a moment. */
const settledMs = 150;
const handful = 5;

/** Above the rows: when the customers of the list joined. Its room is kept free until then. */
export function Timeline({ list, goToPage }: Props) {
  // A handful of customers is read in the rows.
  if ((list.rows?.total ?? Infinity) <= handful) return null;
  return (
    <div className="timeline">
      {list.rows && <LoadedTimeline list={list} shown={list.rows} goToPage={goToPage} />}
    </div>
  );
}

interface LoadedProps extends Props {
  shown: ShownList;
}

/** Always of the rows on screen: those of the previous search have the timeline of the previous search. */
function LoadedTimeline({ list, shown, goToPage }: LoadedProps) {
  const { searchText: search, filters, total, updatedAt } = shown;
  const key = listKey({ search, filters });
  const isSettled = useLasting(list.isCurrent, settledMs);
  const query = useQuery({
    ...customersTimelineQuery(useCustomersService(), { search, ...filters }),
    enabled: isSettled && list.isCurrent && total !== undefined && total > 0,
  });
  const { data: timeline, dataUpdatedAt, refetch } = query;

  // Rows that were loaded later count customers that the timeline does not know.
  const isOutdated =
    timeline !== undefined &&
    total !== undefined &&
    timeline.total !== total &&
    dataUpdatedAt < updatedAt;
  useEffect(() => {
    if (isOutdated && list.isCurrent) void refetch();
  }, [isOutdated, list.isCurrent, refetch]);

  useQueryRecovery(query, list.isCurrent);

  const periods = useMemo(() => timeline && periodsOf(timeline), [timeline]);
  const isShown = periods !== undefined && periods.length > 0 && shown.items.length > 0;
  useKeptFocus('.timeline [role=slider]', isShown && key);
  if (!timeline || !isShown) return null;
  return (
    <TimelineStrip
      key={key}
      timeline={timeline}
      periods={periods}
      shown={shown}
      isPrevious={list.previous === 'search'}
      goToPage={goToPage}
    />
  );
}
