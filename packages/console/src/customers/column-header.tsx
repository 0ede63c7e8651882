import type { SortField } from '@clientele/client';
import type { ReactNode } from 'react';
import type { Filters } from '../filters.ts';
import { useAllowed } from '../session/allowed.ts';
import type { ColumnName } from '../settings.ts';
import { useText } from '../text/text.ts';
import { Icon } from '../ui/icon.tsx';
import { numericColumns } from './customer-row.tsx';
import { openFiltered } from './open-search.ts';
import { sortedBy } from './sorted-by.ts';

/** What a column shows. */
const fields: Partial<Record<ColumnName, SortField>> = {
  orders: 'total_orders',
  value: 'lifetime_value_cents',
  lastOrder: 'last_order_at',
  since: 'created_at',
};

interface Props {
  column: ColumnName;
  /** Those of the rows on screen. */
  shown: Filters;
  /** Those of the address. */
  filters: Filters;
  children: ReactNode;
}

/** The head of a column. A button sorts by it, if the server can. */
export function ColumnHeader({ column, shown, filters, children }: Props) {
  const { t } = useText();
  const { sort: sortable } = useAllowed();
  const field = fields[column];
  const { sort = '-created_at' } = shown;
  const isSorted = field !== undefined && sort.replace('-', '') === field;
  const direction = sort.startsWith('-') ? 'descending' : 'ascending';
  return (
    <th
      scope="col"
      data-column={column}
      data-numeric={numericColumns.has(column) || undefined}
      aria-sort={isSorted ? direction : undefined}
    >
      {field !== undefined && sortable.includes(field) ? (
        <button
          type="button"
          className="sort"
          title={t('sort.by', { column: t(`column.${column}`) })}
          onClick={() => openFiltered(sortedBy(filters, field))}
        >
          {children}
          <Icon name={isSorted ? (direction === 'descending' ? 'down' : 'up') : 'unsorted'} />
        </button>
      ) : (
        children
      )}
    </th>
  );
}
