import type { Customer } from '@clientele/client';
import { memo } from 'react';
import type { Search } from '../search/matches.ts';
import type { Text } from '../text/text.ts';
import { Link } from '../ui/link.tsx';
import { cellOf, type Column } from './columns.tsx';
import { markMatches } from './mark-matches.tsx';

interface Props {
  customer: Customer;
  search: Search;
  isOpen: boolean;
  isSelected: boolean;
  /** Undefined if customers may not be opened. */
  href: string | undefined;
  open: (id: string) => void;
  columns: readonly Column[];
  text: Text;
}

/** Clicks outside the link, and keys, are handled for all rows at once: see row-actions.ts. */
export const CustomerRow = memo(function CustomerRow(props: Props) {
  const { customer, search, isOpen, isSelected, href, open, columns, text } = props;
  return (
    <tr aria-current={isOpen || undefined} data-selected={isSelected || undefined}>
      <td data-column="select">
        {/* Not a tab stop: Space selects the focused row. */}
        <input
          type="checkbox"
          tabIndex={-1}
          readOnly
          checked={isSelected}
          aria-label={text.t('select.row', { name: customer.name })}
        />
      </td>
      <th scope="row" data-column="name">
        {href === undefined ? (
          // A row is selected by the keyboard, too.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- like the link in its place
          <span tabIndex={-1} data-row dir="auto">
            {markMatches(customer.name, 'name', search)}
          </span>
        ) : (
          <Link href={href} follow={() => open(customer.id)} tabIndex={-1} data-row dir="auto">
            {markMatches(customer.name, 'name', search)}
          </Link>
        )}
      </th>
      {columns.map((column) => (
        <td
          key={column.name}
          data-column={column.name}
          data-kind={column.kind}
          data-card={column.card}
        >
          {cellOf(column, customer, search, text)}
        </td>
      ))}
    </tr>
  );
});
