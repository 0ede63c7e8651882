import type { CSSProperties } from 'react';
import type { Filters } from '../filters.ts';
import { useAllowed } from '../session/allowed.ts';
import { useText } from '../text/text.ts';
import { Icon } from '../ui/icon.tsx';
import type { Column } from './columns.tsx';
import { kinds } from './kinds.tsx';
import { openFiltered } from './open-search.ts';
import { sortedBy } from './sorted-by.ts';

interface Props {
  column: Column;
  /** Those of the rows on screen. */
  shown: Filters;
  /** Those of the address. */
  filters: Filters;
}

/** The head of a column. A button sorts by it, if the server can. */
export function ColumnHeader({ column, shown, filters }: Props) {
  const { t, currency } = useText();
  const { sort: sortable } = useAllowed();
  const { sort: field, kind } = column;
  const { sort = '-created_at' } = shown;
  const isSorted = field !== undefined && sort.replace('-', '') === field;
  const direction = sort.startsWith('-') ? 'descending' : 'ascending';
  const label = t(column.label);
  const content = (
    <>
      {label}
      {kind === 'money' && <small> {currency}</small>}
    </>
  );
  return (
    <th
      scope="col"
      data-column={column.name}
      data-kind={kind}
      data-card={column.card}
      style={widthOf(column)}
      aria-sort={isSorted ? direction : undefined}
    >
      {field !== undefined && sortable.includes(field) ? (
        <button
          type="button"
          className="sort"
          title={t('sort.by', { column: label })}
          onClick={() => openFiltered(sortedBy(filters, field))}
        >
          {content}
          <Icon name={isSorted ? (direction === 'descending' ? 'down' : 'up') : 'unsorted'} />
        </button>
      ) : (
        content
      )}
    </th>
  );
}

/** In letters of the usual size, which have 15 pixels. */
const widthOf = ({ kind, width, wide }: Column) =>
  ({
    '--width': kinds[kind].isFlexible ? undefined : `${width / 15}rem`,
    '--wide': wide,
  }) as CSSProperties;
