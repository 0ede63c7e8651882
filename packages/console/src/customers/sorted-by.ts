import type { SortField } from '@clientele/client';
import type { Filters } from '../filters.ts';

/** The list sorted by this field: the greatest first, and the other way round if it is already. */
export function sortedBy({ sort = '-created_at', ...others }: Filters, field: SortField): Filters {
  const next = sort === `-${field}` ? field : (`-${field}` as const);
  return next === '-created_at' ? others : { ...others, sort: next };
}
