/**
 * The cache keys, from the most general to the most specific. Use them to read or invalidate queries.
 *
 * @example
 * await queryClient.invalidateQueries({ queryKey: customerKeys.lists() });
 */
export const customerKeys = {
  all: ['customers'] as const,
  lists: () => ['customers', 'list'] as const,
  /** Pass `perPage` only if it differs from the service's setting, which the key omits. */
  list: (page = 1, search = '', perPage?: number): CustomerListKey =>
    perPage === undefined
      ? ['customers', 'list', page, search.trim()]
      : ['customers', 'list', page, search.trim(), perPage],
  details: () => ['customers', 'detail'] as const,
  /** Identifiers are case-insensitive, so the key has them in lower case. */
  detail: (id: string): CustomerDetailKey => ['customers', 'detail', id.toLowerCase()],
};

/** The key of a page. Includes `perPage` only if it differs from the service's setting. */
export type CustomerListKey = readonly [
  resource: 'customers',
  kind: 'list',
  page: number,
  search: string,
  perPage?: number,
];

/** The key of one customer. */
export type CustomerDetailKey = readonly [resource: 'customers', kind: 'detail', id: string];
