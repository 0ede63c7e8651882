import type { Sort, SortField } from '@clientele/client';

/** The filters of the list and its order, as the address and the service have them. */
export interface Filters {
  verified?: boolean;
  hasOrders?: boolean;
  /** Who joined then or later: a date, which is its start in UTC, or an instant. */
  joinedFrom?: string;
  /** Who joined before. */
  joinedTo?: string;
  /** Undefined for newest first. */
  sort?: Sort;
}

export const noFilters: Filters = {};

const names = ['verified', 'hasOrders', 'joinedFrom', 'joinedTo', 'sort'] as const;
const day = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?$/;

/** The fields that lists can be sorted by; without a choice, by the first. */
export const sortFields = [
  'created_at',
  'last_order_at',
  'lifetime_value_cents',
  'total_orders',
] as const satisfies readonly SortField[];
const sortShape = new RegExp(`^-?(${sortFields.join('|')})$`);

/** Invalid filters are left out, and two times with nothing between them. */
export function readFilters(values: URLSearchParams): Filters {
  const flag = (name: 'verified' | 'hasOrders') => {
    const value = values.get(name);
    return value === 'true' || value === 'false' ? { [name]: value === 'true' } : {};
  };
  const time = (name: 'joinedFrom' | 'joinedTo') => {
    const value = values.get(name) ?? '';
    return isTime(value) ? { [name]: value } : {};
  };
  const times: Filters = { ...time('joinedFrom'), ...time('joinedTo') };
  const { joinedFrom, joinedTo } = times;
  const isEmpty = joinedFrom && joinedTo && new Date(joinedFrom) >= new Date(joinedTo);
  return {
    ...flag('verified'),
    ...flag('hasOrders'),
    ...(isEmpty ? {} : times),
    ...readSort(values.get('sort') ?? ''),
  };
}

const readSort = (value: string): Pick<Filters, 'sort'> =>
  sortShape.test(value) && value !== '-created_at' ? { sort: value as Sort } : {};

function isTime(value: string): boolean {
  const at = new Date(value);
  // `Date` reads 30 February as 1 March.
  return (
    day.test(value) &&
    !Number.isNaN(at.getTime()) &&
    at.toISOString().startsWith(value.slice(0, 10))
  );
}

export function filterEntries(filters: Filters): [name: string, value: string][] {
  return names.flatMap((name) =>
    filters[name] === undefined ? [] : [[name, String(filters[name])]],
  );
}

export const hasFilters = (filters: Filters): boolean =>
  filterEntries(withoutSort(filters)).length > 0;

export const withoutSort = ({ sort: _, ...filters }: Filters): Filters => filters;

/** No filters, in the same order. */
export const onlySort = ({ sort }: Filters): Filters => (sort ? { sort } : noFilters);

/** The same for all pages of a search with the same filters and order, and for nothing else. */
export function listKey({ search, filters }: { search: string; filters: Filters }): string {
  return String(new URLSearchParams([['search', search], ...filterEntries(filters)]));
}

/** As an address and the service write it: a date, if it is the start of one. */
export function timeOf(at: Date): string {
  return at
    .toISOString()
    .replace(/\.000Z$/, 'Z')
    .replace('T00:00:00Z', '');
}

const dayMs = 86_400_000;

/** The day before an exclusive end, and the end after a last day: people think in inclusive days. */
export const lastDayOf = (joinedTo: string): string =>
  timeOf(new Date(new Date(joinedTo).getTime() - 1)).slice(0, 10);
export const endAfter = (lastDay: string): string =>
  timeOf(new Date(new Date(lastDay).getTime() + dayMs));

export const isWholeDay = (time: string): boolean => !time.includes('T');

/** Periods that people ask for by name. Days are those of UTC, as everywhere in the filters. */
export const spans = ['last7Days', 'last30Days', 'lastMonth', 'thisYear'] as const;

/** The first day, and the end after the last one. */
export function daysOf(span: (typeof spans)[number], now: Date): [from: string, to: string] {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const today = timeOf(now).slice(0, 10);
  const daysAgo = (days: number) => timeOf(new Date(new Date(today).getTime() - days * dayMs));
  const firstOf = (each: number) => timeOf(new Date(Date.UTC(year, each)));
  if (span === 'lastMonth') return [firstOf(month - 1), firstOf(month)];
  if (span === 'thisYear') return [firstOf(0), endAfter(today)];
  return [daysAgo(span === 'last7Days' ? 6 : 29), endAfter(today)];
}
