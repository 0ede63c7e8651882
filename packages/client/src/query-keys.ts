import type { WireCustomerDetail, WireCustomerList, WireSuggestions } from './wire.ts';

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
  list: (page = 1, search = '', perPage?: number) =>
    listKey<CustomerListKey & KeyOf<WireCustomerList>>(page, search, perPage),
  /** Pass `perPage` only if it differs from the service's setting, which the key omits. */
  infinite: (search = '', perPage?: number) =>
    listKey<CustomerInfiniteKey & KeyOf<InfinitePages>>('infinite', search, perPage),
  details: () => ['customers', 'detail'] as const,
  /** Identifiers are case-insensitive, so the key has them in lower case. */
  detail: (id: string) =>
    ['customers', 'detail', id.toLowerCase()] as unknown as CustomerDetailKey &
      KeyOf<WireCustomerDetail>,
  /** The suggestions for a search that matches nobody. */
  suggestions: (search: string) =>
    ['customers', 'suggestions', search.trim()] as unknown as SuggestionsKey &
      KeyOf<WireSuggestions>,
};

function listKey<Key>(page: Key[2 & keyof Key], search: string, perPage: number | undefined): Key {
  const key = ['customers', 'list', page, search.trim()];
  return (perPage === undefined ? key : [...key, perPage]) as Key;
}

/** The key of a page. Includes `perPage` only if it differs from the service's setting. */
export type CustomerListKey = readonly [
  resource: 'customers',
  kind: 'list',
  page: number,
  search: string,
  perPage?: number,
];

/** The key of an infinite list. Includes `perPage` like {@link CustomerListKey}. */
export type CustomerInfiniteKey = readonly [
  resource: 'customers',
  kind: 'list',
  page: 'infinite',
  search: string,
  perPage?: number,
];

/** The key of one customer. */
export type CustomerDetailKey = readonly [resource: 'customers', kind: 'detail', id: string];

/** The key of the suggestions for a search. */
export type SuggestionsKey = readonly [resource: 'customers', kind: 'suggestions', search: string];

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
