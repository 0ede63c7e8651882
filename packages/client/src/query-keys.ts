/**
 * The cache keys, from the widest to the narrowest, to invalidate or read by.
 *
 * @example
 * await queryClient.invalidateQueries({ queryKey: customerKeys.lists() });
 */
export const customerKeys = {
  all: ['customers'] as const,
  lists: () => ['customers', 'list'] as const,
  /** `perPage` only where it is not the service's own setting, which the key leaves out. */
  list: (page = 1, search = '', perPage?: number): CustomerListKey =>
    perPage === undefined
      ? ['customers', 'list', page, search.trim()]
      : ['customers', 'list', page, search.trim(), perPage],
  details: () => ['customers', 'detail'] as const,
  /** Identifiers differ by case only in spelling, so the key has them in lower case. */
  detail: (id: string): CustomerDetailKey => ['customers', 'detail', id.toLowerCase()],
};

/** The key of a page; `perPage` only where it is not the service's own setting. */
export type CustomerListKey = readonly [
  resource: 'customers',
  kind: 'list',
  page: number,
  search: string,
  perPage?: number,
];

/** The key of one customer. */
export type CustomerDetailKey = readonly [resource: 'customers', kind: 'detail', id: string];
