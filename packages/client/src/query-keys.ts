import {
  type CustomerFilters,
  filtersOf,
  type ListSelection,
  selectionOf,
  withoutUndefined,
} from './filters.ts';
import type {
  WireCustomerDetail,
  WireCustomerList,
  WireSuggestions,
  WireTimeline,
} from './wire.ts';

/**
 * The cache keys, from the most general to the most specific. Use them to read or invalidate queries.
 *
 * @example
 * await queryClient.invalidateQueries({ queryKey: customerKeys.lists() });
 */
export const customerKeys = {
  all: ['customers'] as const,
  /** All lists, including infinite ones. */
  lists: () => ['customers', 'list'] as const,
  /** Pass `perPage` only if it differs from the service's setting, which the key omits. */
  list: (page = 1, search = '', perPage?: number, selection?: ListSelection) =>
    listKey<CustomerListKey & KeyOf<WireCustomerList>>(page, search, perPage, selection),
  /** Pass `perPage` only if it differs from the service's setting, which the key omits. */
  infinite: (search = '', perPage?: number, selection?: ListSelection) =>
    listKey<CustomerInfiniteKey & KeyOf<InfinitePages>>('infinite', search, perPage, selection),
  details: () => ['customers', 'detail'] as const,
  /** Identifiers are case-insensitive, so the key has them in lower case. */
  detail: (id: string) =>
    ['customers', 'detail', id.toLowerCase()] as unknown as CustomerDetailKey &
      KeyOf<WireCustomerDetail>,
  /** The suggestions for a search that matches few customers or none. */
  suggestions: (search: string) =>
    ['customers', 'suggestions', search.trim()] as unknown as SuggestionsKey &
      KeyOf<WireSuggestions>,
  timelines: () => ['customers', 'timeline'] as const,
  timeline: (search = '', { exact = true, buckets, ...filters }: TimelineKeyParams = {}) =>
    [
      'customers',
      'timeline',
      exact,
      search.trim(),
      ...orNothing({ ...filtersOf(filters), buckets }),
    ] as unknown as CustomerTimelineKey & KeyOf<WireTimeline>,
};

function listKey<Key>(
  page: Key[2 & keyof Key],
  search: string,
  perPage: number | undefined,
  selection: ListSelection = {},
): Key {
  const size = perPage === undefined ? [] : [perPage];
  return [
    'customers',
    'list',
    page,
    search.trim(),
    ...size,
    ...orNothing(selectionOf(selection)),
  ] as Key;
}

/** Keys end with the parameters only if there are any. */
function orNothing(params: object): [params: object] | [] {
  const set = withoutUndefined<object>(params);
  return Object.keys(set).length > 0 ? [set] : [];
}

/**
 * The key of a page. Includes `perPage` only if it differs from the service's setting, and filters and
 * the order only if one of them is set.
 */
export type CustomerListKey = readonly [
  resource: 'customers',
  kind: 'list',
  page: number,
  search: string,
  ...end: [perPage?: number, selection?: ListSelection] | [selection: ListSelection],
];

/** The key of an infinite list. It ends like a {@link CustomerListKey}. */
export type CustomerInfiniteKey = readonly [
  resource: 'customers',
  kind: 'list',
  page: 'infinite',
  search: string,
  ...end: [perPage?: number, selection?: ListSelection] | [selection: ListSelection],
];

/** The key of one customer. */
export type CustomerDetailKey = readonly [resource: 'customers', kind: 'detail', id: string];

/** The key of the suggestions for a search. */
export type SuggestionsKey = readonly [resource: 'customers', kind: 'suggestions', search: string];

/** The key of a timeline. Includes the last element only if a filter or the number of periods is set. */
export type CustomerTimelineKey = readonly [
  resource: 'customers',
  kind: 'timeline',
  exact: boolean,
  search: string,
  params?: Omit<TimelineKeyParams, 'exact'>,
];

/** The parameters of a timeline's key, besides the search. */
export interface TimelineKeyParams extends CustomerFilters {
  exact?: boolean | undefined;
  buckets?: number | undefined;
}

/** The cached pages of an infinite list, in TanStack's form. */
export interface InfinitePages {
  pages: WireCustomerList[];
  pageParams: number[];
}

/**
 * Tags a key with the type of its cached data, so that `getQueryData(key)` is typed. It has no members
 * here: `@clientele/client/react` adds TanStack's tag, which this entry cannot import.
 */
// oxlint-disable-next-line typescript/no-empty-object-type, typescript/no-unused-vars -- see above
export interface KeyOf<Data> {}
