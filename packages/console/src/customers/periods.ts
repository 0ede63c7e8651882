/** Where things are on the timeline: the oldest period on the left, the newest on the right. */
import type { Timeline, TimelineUnit } from '@clientele/client';
import { timeOf, type Filters } from '../filters.ts';

export interface Period {
  from: Date;
  /** Excluded. */
  to: Date;
  count: number;
  /** How many customers are listed before those of this period. */
  above: number;
}

/** From left to right. The service lists the newest first, like the customers. */
export const periodsOf = ({ buckets, unit }: Timeline): Period[] =>
  buckets.map((bucket) => ({ ...bucket, to: endOf(bucket.from, unit) })).toReversed();

const hourMs = 3_600_000;
const hours = { hour: 1, day: 24, week: 7 * 24 };
const months = { month: 1, quarter: 3, year: 12 };

function endOf(from: Date, unit: TimelineUnit): Date {
  if (unit === 'hour' || unit === 'day' || unit === 'week') {
    return new Date(from.getTime() + hours[unit] * hourMs);
  }
  return new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months[unit]));
}

/** The periods from one to another, in any order, as one. */
export function joinPeriods(periods: Period[], one: number, other: number): Period {
  const [first, last] = [Math.min(one, other), Math.max(one, other)];
  const { from } = periods[first]!;
  const { to, above } = periods[last]!;
  const count = periods.slice(first, last + 1).reduce((sum, period) => sum + period.count, 0);
  return { from, to, count, above };
}

/** The page on which a period starts: the newest of its customers are listed first. */
export const pageOfPeriod = ({ above }: Period, total: number, perPage: number): number =>
  Math.floor(Math.min(above, Math.max(0, total - 1)) / perPage) + 1;

/** Where a page lies, as shares of the width. */
export function pageSpan(periods: Period[], page: number, perPage: number) {
  const start = (page - 1) * perPage;
  return {
    from: placeOf(periods, start + perPage, true),
    to: placeOf(periods, start, false),
  };
}

/** Of the gap before the customer with this number; `isEnd` if the gap belongs to those listed before. */
function placeOf(periods: Period[], number: number, isEnd: boolean): number {
  const index = periods.findLastIndex(
    ({ above, count }) => (isEnd ? number <= above + count : number < above + count) && count > 0,
  );
  // Past the oldest customer.
  if (index === -1) return 0;
  const { above, count } = periods[index]!;
  return (index + 1 - Math.max(0, number - above) / count) / periods.length;
}

/** The filter for a period of a list that already has filters: it never shows more than they do. */
export function joinedIn({ from, to }: Period, filters: Filters): Filters {
  const { joinedFrom, joinedTo, ...others } = filters;
  const isLater = joinedFrom !== undefined && new Date(joinedFrom) > from;
  const isEarlier = joinedTo !== undefined && new Date(joinedTo) < to;
  return {
    ...others,
    joinedFrom: isLater ? joinedFrom : timeOf(from),
    joinedTo: isEarlier ? joinedTo : timeOf(to),
  };
}

/** The bars as an SVG path, one unit wide each, in a height of 100. A single customer can be seen too. */
export function barsPath(periods: Period[]): string {
  const most = Math.max(...periods.map(({ count }) => count));
  return periods
    .map(({ count }, index) => {
      if (count === 0) return '';
      const top = 100 - Math.max(6, (count / most) * 100);
      return `M${index} 100V${Number(top.toFixed(1))}h.86V100z`;
    })
    .join('');
}
