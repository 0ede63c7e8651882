/**
 * Everything that the console shows of a customer, declared once. The list and its menu, the cards on phones, the
 * details, comparisons, what is copied, the search in the palette and the CSV follow from it. A label is the message
 * `column.NAME`.
 */
import type { Customer, SortField } from '@clientele/client';
import type { CSSProperties, ReactNode } from 'react';
import type { FieldKind, Search, Searchable } from '../search/matches.ts';
import type { MessageName } from '../text/messages.ts';
import type { Text } from '../text/text.ts';
import { hidden } from './hidden.tsx';
import { check, kinds, nothing, type Kind, type Values } from './kinds.tsx';
import { markMatches } from './mark-matches.tsx';
import { shareOf } from './value-scale.ts';

interface Entry<K extends Kind> {
  kind: K;
  /** What it shows, if not the field of its name. */
  of?: (customer: Customer) => Values[K] | null;
  /** False if the list has no column for it that could be chosen. */
  list?: false;
  /** Who gets room in the list first: what support needs most. Without it, the last. */
  priority?: number;
  /** Its least width in the list, if not that of its kind. */
  width?: number;
  /** Its width in a wide list. */
  wide?: string;
  /** Its place on a card (styles/cards.css), if it has one. */
  card?: 'side' | 'line' | 'start' | 'end';
  /** How a search matches it. */
  search?: FieldKind;
  sort?: SortField;
  /** Hidden from callers who may not see contact details. */
  isContact?: true;
  /** Said where there is nothing. Without it, the details leave it out. */
  none?: MessageName;
  /** How the list shows it, if not as its kind. */
  cell?: (customer: Customer, text: Text) => ReactNode;
  /** Its place in the details, which show all others as small figures. */
  details?: 'top' | 'contact' | 'large';
  /** Its name in raw CSV, if not its own in snake case. */
  csv?: string | false;
}

type Field = Exclude<keyof Customer, 'hidden'>;
type KindOf<V> = { [K in Kind]: V extends Values[K] ? K : never }[Kind];
type Fields = { [F in Field]: Entry<KindOf<NonNullable<Customer[F]>>> };

/** In the order of the list. */
const table = {
  name: { kind: 'text', search: 'name', list: false, width: 180, details: 'top' },
  company: {
    kind: 'text',
    search: 'name',
    priority: 3,
    wide: '13%',
    card: 'start',
    none: 'value.noCompany',
    details: 'top',
  },
  email: {
    kind: 'text',
    search: 'email',
    priority: 1,
    width: 200,
    card: 'line',
    isContact: true,
    details: 'contact',
  },
  phone: {
    kind: 'phone',
    search: 'phone',
    priority: 2,
    card: 'end',
    isContact: true,
    none: 'value.noPhone',
    details: 'contact',
  },
  id: { kind: 'text', list: false, details: 'contact' },
  isVerified: { kind: 'flag', priority: 6, cell: verified, details: 'top', csv: 'verified' },
  totalOrders: {
    kind: 'number',
    priority: 7,
    width: 76,
    sort: 'total_orders',
    details: 'large',
    csv: 'orders',
  },
  lifetimeValue: {
    kind: 'money',
    priority: 5,
    width: 196,
    card: 'side',
    sort: 'lifetime_value_cents',
    cell: valueWithBar,
    details: 'large',
  },
  averageOrder: {
    kind: 'money',
    of: ({ lifetimeValue, totalOrders }) => (totalOrders > 0 ? lifetimeValue / totalOrders : null),
    list: false,
    csv: false,
  },
  lastOrderAt: { kind: 'date', priority: 4, sort: 'last_order_at', none: 'value.noOrder' },
  createdAt: { kind: 'date', priority: 8, sort: 'created_at' },
} satisfies Fields & { averageOrder: Entry<'money'> };

export type ColumnName = keyof typeof table;

export interface Column<K extends Kind = Kind> extends Entry<K> {
  name: ColumnName;
  label: MessageName;
  of: (customer: Customer) => Values[K] | null;
  width: number;
}

const names = Object.keys(table) as ColumnName[];
export const columns: readonly Column[] = names.map((name) => {
  const entry: Entry<Kind> = table[name];
  return {
    name,
    label: `column.${name}`,
    of: (customer) => customer[name as Field],
    width: kinds[entry.kind].width,
    ...entry,
  };
});

/** Those that the list can show next to the name. */
export const listColumns = columns.filter(({ list }) => list !== false);

/** Those that the reader chose; null stands for all. */
export const chosenColumns = (chosen: readonly string[] | null): Column[] =>
  listColumns.filter(({ name }) => chosen?.includes(name) ?? true);

/** What support needs most comes first. */
export const byPriority = columns.toSorted(
  ({ priority: one = columns.length }, { priority: other = columns.length }) => one - other,
);

export const isHidden = ({ name }: Column, { hidden: fields }: Customer): boolean =>
  fields?.some((field) => field === name) ?? false;

/** Cells are functions, not components: a page has hundreds, and none has state. */
export function cellOf<K extends Kind>(
  column: Column<K>,
  customer: Customer,
  search: Search,
  text: Text,
): ReactNode {
  const { kind, search: rule, none = 'value.none' } = column;
  if (isHidden(column, customer)) return hidden(text);
  if (column.cell) return column.cell(customer, text);
  const value = column.of(customer);
  if (value === null) return nothing(text.t(none));
  return kinds[kind].cell(value, text, (words) =>
    rule ? markMatches(words, rule, search) : words,
  );
}

/** As plain text; null where there is nothing. */
export function wordsOf<K extends Kind>(
  column: Column<K>,
  customer: Customer,
  text: Text,
): string | null {
  if (isHidden(column, customer)) return text.t('value.hidden');
  const value = column.of(customer);
  return value === null ? null : kinds[column.kind].words(value, text);
}

/** What searches look in. */
export const searchableOf = (customer: Customer): Searchable => ({
  id: customer.id,
  texts: columns.flatMap(({ search, of }) =>
    search ? [[String(of(customer) ?? ''), search] as const] : [],
  ),
});

function verified({ isVerified }: Customer, { t }: Text) {
  return isVerified ? check(t('value.verified')) : nothing(t('value.unverified'));
}

/** The style sheet draws the bar. As elements, bars would be a fifth of the table. */
function valueWithBar({ lifetimeValue: value }: Customer, text: Text) {
  const share = { '--share': shareOf(value).toFixed(3) } as CSSProperties;
  return (
    <span className="value" style={share} data-negative={value < 0 || undefined}>
      {text.amount(value)}
    </span>
  );
}
