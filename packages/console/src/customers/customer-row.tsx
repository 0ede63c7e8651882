import type { Customer } from '@clientele/client';
import { memo, type CSSProperties, type PointerEvent, type ReactNode } from 'react';
import type { Search } from '../search/matches.ts';
import type { ColumnName } from '../settings.ts';
import type { Text } from '../text/text.ts';
import { formatTime } from '../ui/format-time.tsx';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { hidden } from './hidden.tsx';
import { markMatches } from './mark-matches.tsx';
import { shareOf } from './value-scale.ts';

interface Props {
  customer: Customer;
  search: Search;
  isOpen: boolean;
  isSelected: boolean;
  /** Undefined if customers may not be opened. */
  href: string | undefined;
  open: (id: string) => void;
  columns: readonly ColumnName[];
  text: Text;
}

export const numericColumns: ReadonlySet<ColumnName> = new Set([
  'orders',
  'value',
  'lastOrder',
  'since',
]);

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
          key={column}
          data-column={column}
          data-numeric={numericColumns.has(column) || undefined}
        >
          {contentOf(column, props)}
        </td>
      ))}
    </tr>
  );
});

/** Cells are functions, not components: a page has hundreds, and none has state. */
function contentOf(column: ColumnName, { customer, search, text }: Props) {
  const { t } = text;
  switch (column) {
    case 'company':
      if (customer.company === null) return nothing(t('value.noCompany'));
      return truncated(markMatches(customer.company, 'name', search));
    case 'email':
      if (customer.hidden?.includes('email')) return hidden(text);
      return truncated(markMatches(customer.email, 'email', search));
    case 'phone':
      if (customer.hidden?.includes('phone')) return hidden(text);
      if (customer.phone === null) return nothing(t('value.noPhone'));
      return markMatches(customer.phone, 'phone', search);
    case 'verified':
      if (!customer.isVerified) return nothing(t('value.unverified'));
      return (
        <span className="verified">
          <Icon name="check" label={t('value.verified')} />
        </span>
      );
    case 'orders':
      return text.number(customer.totalOrders);
    case 'value':
      return valueWithBar(customer.lifetimeValue, text);
    case 'lastOrder':
      if (customer.lastOrderAt === null) return nothing(t('value.noOrder'));
      return formatTime(customer.lastOrderAt, text);
    default: // since
      return formatTime(customer.createdAt, text);
  }
}

/** The style sheet draws the bar. As elements, bars would be a fifth of the table. */
function valueWithBar(value: number, text: Text) {
  const share = { '--share': shareOf(value).toFixed(3) } as CSSProperties;
  return (
    <span className="value" style={share} data-negative={value < 0 || undefined}>
      {text.amount(value)}
    </span>
  );
}

/** Text that may be too long for its column; hovering shows it in full. */
function truncated(content: ReactNode) {
  return (
    <span dir="auto" onPointerEnter={showFullText}>
      {content}
    </span>
  );
}

const showFullText = ({ currentTarget }: PointerEvent<HTMLElement>) =>
  (currentTarget.title = currentTarget.textContent ?? '');

function nothing(label: string) {
  return (
    <span className="nothing" role="img" aria-label={label}>
      –
    </span>
  );
}
