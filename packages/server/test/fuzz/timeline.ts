/** Timelines as docs/api.md#timeline describes them, of rows in memory. */
import type { Row } from './customer.ts';

export const units = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
export type Unit = (typeof units)[number];

export interface Timeline {
  total: number;
  exact: boolean;
  unit: Unit;
  buckets: { from: string; count: number; above: number }[];
}

/** What is wrong with the timeline of these customers, if anything. */
export function timelineFault(
  matches: Row[],
  buckets: number,
  exactWanted: boolean,
  got: Timeline,
): string | undefined {
  const instants = matches.map((row) => row.created_at);
  const { unit, starts } = periods(instants, buckets);
  if (got.total !== matches.length) return `the total is not ${matches.length}`;
  if (instants.length > 0 && got.unit !== unit) return `the unit is not ${unit}`;
  const froms = starts.map((start) => new Date(start).toISOString());
  if (JSON.stringify(got.buckets.map(({ from }) => from)) !== JSON.stringify(froms)) {
    return `the periods are not ${froms.join(', ')}`;
  }
  let sum = 0;
  for (const { count, above } of got.buckets) {
    if (above !== sum || count < 0) return `the counts do not add up`;
    sum += count;
  }
  if (sum !== got.total) return 'the sum of counts is not the total';
  if (!got.exact && exactWanted && !starts.some(imprecise)) return 'it is not exact';
  if (!got.exact && !exactWanted) return undefined;
  // How many are in a period and in newer ones: at its end edge, a millisecond may be off before 1931.
  for (const [i, start] of starts.slice(0, -1).entries()) {
    const reached = got.buckets[i]!.above + got.buckets[i]!.count;
    const slack = imprecise(start) && !got.exact ? 1 : 0;
    const least = instants.filter((at) => at >= start + slack).length;
    const most = instants.filter((at) => at >= start - slack).length;
    if (reached < least || reached > most) {
      return `${froms[i]} and later have ${reached}, not ${least} to ${most}`;
    }
  }
  return undefined;
}

/** Edges outside of these years are precise to a millisecond. */
const imprecise = (start: number): boolean => start < Date.UTC(1931) || start >= Date.UTC(2069);

/** The newest first. */
function periods(instants: number[], buckets: number): { unit: Unit; starts: number[] } {
  if (instants.length === 0) return { unit: 'hour', starts: [] };
  const oldest = Math.min(...instants);
  const newest = Math.max(...instants);
  for (const unit of units) {
    const starts: number[] = [];
    for (let at = startOf(unit, newest); starts.length <= buckets; at = startOf(unit, at - 1)) {
      starts.push(at);
      if (at <= oldest) break;
    }
    if (starts.length <= buckets) return { unit, starts };
    if (unit === 'year') return { unit, starts: starts.slice(0, buckets) };
  }
  throw new Error('there is no unit');
}

function startOf(unit: Unit, instant: number): number {
  const date = new Date(instant);
  if (unit === 'hour') return date.setUTCMinutes(0, 0, 0);
  date.setUTCHours(0, 0, 0, 0);
  if (unit === 'day') return date.getTime();
  // Monday is the first day.
  if (unit === 'week') return date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  date.setUTCDate(1);
  if (unit === 'quarter') date.setUTCMonth(date.getUTCMonth() - (date.getUTCMonth() % 3));
  if (unit === 'year') date.setUTCMonth(0);
  return date.getTime();
}
