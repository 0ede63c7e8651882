import type { Customer } from '@clientele/client';
import {
  memo,
  useEffect,
  useState,
  type CSSProperties,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
} from 'react';
import { hrefOf, type Address } from '../address.ts';
import { markPlaces } from '../search/mark-places.tsx';
import type { Search } from '../search/matches.ts';
import { useSettings, type ColumnName, type Settings } from '../settings.ts';
import { useText, type Text } from '../text/text.ts';
import { Icon } from '../ui/icon.tsx';
import type { ShownList } from './use-shown-list.ts';

interface Props {
  shown: ShownList;
  isOutdated: boolean;
  address: Address;
  open: (id: string) => void;
}

const numeric = new Set<ColumnName>(['orders', 'value', 'lastOrder', 'since']);

export function CustomerTable({ shown, isOutdated, address, open }: Props) {
  const text = useText();
  const settings = useSettings();
  const { t } = text;
  const isDim = useIsSo(isOutdated, 100);
  const list = { search: shown.searchText, page: shown.page };
  const largest = Math.max(...shown.items.map((customer) => customer.lifetimeValue));
  return (
    <div className="scroll">
      <table
        id="customers"
        className="customers"
        data-density={settings.density}
        aria-busy={isOutdated}
        data-dim={isDim || undefined}
      >
        <caption className="hidden">{t('customers')}</caption>
        <thead>
          <tr>
            <th scope="col" data-column="name">
              {t('column.name')}
            </th>
            {settings.columns.map((column) => (
              <th
                key={column}
                scope="col"
                data-column={column}
                data-numeric={numeric.has(column) || undefined}
              >
                {t(`column.${column}`)}
                {column === 'value' && <small> {text.currency}</small>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {/* By place, not by customer: new rows reuse what is on the screen, the focus included. */}
          {shown.items.map((customer, place) => (
            <CustomerRow
              // oxlint-disable-next-line react/no-array-index-key -- a row has no state to mix up
              key={place}
              customer={customer}
              search={shown.search}
              largest={largest}
              isOpen={customer.id === address.customer}
              href={hrefOf({ ...list, customer: customer.id, alone: true })}
              open={open}
              settings={settings}
              text={text}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Only after a while: a quick answer comes before the rows would begin to fade. */
function useIsSo(condition: boolean, afterMs: number): boolean {
  const [isSo, setIsSo] = useState(false);
  useEffect(() => {
    if (!condition) return undefined;
    const timer = setTimeout(setIsSo, afterMs, true);
    return () => {
      clearTimeout(timer);
      setIsSo(false);
    };
  }, [condition, afterMs]);
  return isSo;
}

interface RowProps {
  customer: Customer;
  search: Search;
  largest: number;
  isOpen: boolean;
  href: string;
  open: (id: string) => void;
  settings: Settings;
  text: Text;
}

const CustomerRow = memo(function CustomerRow(props: RowProps) {
  const { customer, search, isOpen, href, open, settings } = props;
  const email = markPlaces(customer.email, search);
  const show = (event: MouseEvent) => {
    // With a modifier the link is a link, to a tab of its own; and text may be selected.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    const selection = getSelection();
    if (selection?.type === 'Range' && selection.containsNode(event.currentTarget, true)) return;
    event.preventDefault();
    open(customer.id);
  };
  return (
    // The name is the link; that all of the row opens it is for the pointer's convenience.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <tr aria-current={isOpen || undefined} onClick={show}>
      <th scope="row" data-column="name">
        <a href={href} data-row dir="auto">
          {markPlaces(customer.name, search)}
        </a>
        <span className="beneath" aria-hidden="true" dir="auto">
          {email}
        </span>
      </th>
      {settings.columns.map((column) => (
        <td key={column} data-column={column} data-numeric={numeric.has(column) || undefined}>
          {column === 'email' ? cut(email) : contentOf(column, props)}
        </td>
      ))}
    </tr>
  );
});

/** Plain functions from here on: a page has hundreds of cells, and none has a state of its own. */
function contentOf(
  column: Exclude<ColumnName, 'email'>,
  { customer, search, largest, text }: RowProps,
) {
  const { t } = text;
  switch (column) {
    case 'company':
      if (customer.company === null) return nothing(t('value.noCompany'));
      return cut(markPlaces(customer.company, search));
    case 'phone':
      if (customer.phone === null) return nothing(t('value.noPhone'));
      return markPlaces(customer.phone, search, true);
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
      return moment(customer.lastOrderAt, text);
    default: // since
      return moment(customer.createdAt, text);
  }
}

/** The style sheet draws the bar: as elements, bars alone would be a fifth of the table. */
function shareOf(value: number, largest: number) {
  const share = largest > 0 ? Math.max(0, value / largest) : 0;
  return { '--share': share.toFixed(2) } as CSSProperties;
}

/** A text that may be too long for its column; the whole of it is on hover. */
function cut(content: ReactNode) {
  return (
    <span dir="auto" onPointerEnter={tellWhole}>
      {content}
    </span>
  );
}

const tellWhole = ({ currentTarget }: PointerEvent<HTMLElement>) =>
  (currentTarget.title = currentTarget.textContent ?? '');

function nothing(label: string) {
  return (
    <span className="nothing" role="img" aria-label={label}>
      –
    </span>
  );
}

export function moment(at: Date, text: Text) {
  return (
    <time
      dateTime={at.toISOString()}
      // Only when it is looked at: to write out fifty instants takes longer than to draw the rows.
      onPointerEnter={({ currentTarget }) => (currentTarget.title = text.instant(at))}
    >
      {text.date(at)}
    </time>
  );
}
