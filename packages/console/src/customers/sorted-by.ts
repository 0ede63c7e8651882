import type { Sort, SortField } from '@clientele/client';
import type { Filters } from '../filters.ts';

/** The list in this order; undefined for newest first. */
export function withOrder({ sort: _, ...others }: Filters, order: Sort | undefined): Filters {
  return order === undefined || order === '-created_at' ? others : { ...others, sort: order };
}

/** The list sorted by this field: the greatest first, then the least, then newest first again. */
export function sortedBy(filters: Filters, field: SortField): Filters {
  const { sort = '-created_at' } = filters;
  if (sort === `-${field}`) return withOrder(filters, field);
  return withOrder(filters, sort === field ? undefined : `-${field}`);
}
