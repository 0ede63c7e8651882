import type { Customer } from '@clientele/client';
import {
  memo,
  type CSSProperties,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
} from 'react';
import type { Search } from '../search/matches.ts';
import type { ColumnName, Settings } from '../settings.ts';
import type { Text } from '../text/text.ts';
import { formatTime } from '../ui/format-time.tsx';
import { Icon } from '../ui/icon.tsx';
import { Link, opensElsewhere } from '../ui/link.tsx';
import { markMatches } from './mark-matches.tsx';

interface Props {
  customer: Customer;
  search: Search;
  /** The largest lifetime value on the page, which has the longest bar. */
  largest: number;
  isOpen: boolean;
  href: string;
  open: (id: string) => void;
  settings: Settings;
  text: Text;
}

export const numericColumns: ReadonlySet<ColumnName> = new Set([
  'orders',
  'value',
  'lastOrder',
  'since',
]);

export const CustomerRow = memo(function CustomerRow(props: Props) {
  const { customer, search, isOpen, href, open, settings } = props;
  const email = markMatches(customer.email, search);
  const follow = () => open(customer.id);
  const click = (event: MouseEvent) => {
    // The link has followed its own clicks.
    if (event.defaultPrevented || opensElsewhere(event) || selectsText(event)) return;
    follow();
  };
  return (
    // The name is the link; the rest of the row only enlarges the target for pointers.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <tr aria-current={isOpen || undefined} onClick={click}>
      <th scope="row" data-column="name">
        <Link href={href} follow={follow} data-row dir="auto">
          {markMatches(customer.name, search)}
        </Link>
        <span className="beneath" aria-hidden="true" dir="auto">
          {email}
        </span>
      </th>
      {settings.columns.map((column) => (
        <td
          key={column}
          data-column={column}
          data-numeric={numericColumns.has(column) || undefined}
        >
          {column === 'email' ? truncated(email) : contentOf(column, props)}
        </td>
      ))}
    </tr>
  );
});

function selectsText({ currentTarget }: MouseEvent): boolean {
  const selection = getSelection();
  return selection?.type === 'Range' && selection.containsNode(currentTarget, true);
}

/** Cells are functions, not components: a page has hundreds, and none has state. */
function contentOf(
  column: Exclude<ColumnName, 'email'>,
  { customer, search, largest, text }: Props,
) {
  const { t } = text;
  switch (column) {
    case 'company':
      if (customer.company === null) return nothing(t('value.noCompany'));
      return truncated(markMatches(customer.company, search));
    case 'phone':
      if (customer.phone === null) return nothing(t('value.noPhone'));
      return markMatches(customer.phone, search, true);
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
      return (
        <span className="value" style={shareOf(customer.lifetimeValue, largest)}>
          {text.amount(customer.lifetimeValue)}
        </span>
      );
    case 'lastOrder':
      if (customer.lastOrderAt === null) return nothing(t('value.noOrder'));
      return formatTime(customer.lastOrderAt, text);
    default: // since
      return formatTime(customer.createdAt, text);
  }
}

/** The style sheet draws the bar. As elements, bars would be a fifth of the table. */
function shareOf(value: number, largest: number) {
  const share = largest > 0 ? Math.max(0, value / largest) : 0;
  return { '--share': share.toFixed(2) } as CSSProperties;
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
