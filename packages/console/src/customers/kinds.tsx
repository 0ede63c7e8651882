/** How each kind of value is shown, wherever a column of columns.tsx has it. Its CSV is in csv.ts. */
import type { PointerEvent, ReactNode } from 'react';
import type { Text } from '../text/text.ts';
import { formatTime } from '../ui/format-time.tsx';
import { Icon } from '../ui/icon.tsx';

/** What customers have as each kind. */
export interface Values {
  text: string;
  phone: string;
  number: number;
  money: number;
  date: Date;
  flag: boolean;
}
export type Kind = keyof Values;

interface Look<V> {
  /** The least width of a column in pixels, with letters of the usual size. */
  width: number;
  /** Whether its columns share the room that the others leave. */
  isFlexible?: true;
  /** Marks the matches of a search. */
  cell: (value: V, text: Text, mark: (value: string) => ReactNode) => ReactNode;
  /** In the details, in comparisons and in what is copied. */
  words: (value: V, text: Text) => string;
}

export const kinds: { [K in Kind]: Look<Values[K]> } = {
  text: {
    width: 140,
    isFlexible: true,
    cell: (value, _, mark) => (
      <span dir="auto" onPointerEnter={showFullText}>
        {mark(value)}
      </span>
    ),
    words: String,
  },
  phone: { width: 160, cell: (value, _, mark) => mark(value), words: String },
  number: {
    width: 124,
    cell: (value, text) => text.number(value),
    words: (value, text) => text.number(value),
  },
  money: {
    width: 124,
    // The head of the column names the currency.
    cell: (value, text) => text.amount(value),
    words: (value, text) => text.money(value),
  },
  date: {
    width: 124,
    cell: (value, text) => formatTime(value, text),
    words: (value, text) => text.date(value),
  },
  flag: {
    width: 76,
    cell: (value, { t }) => (value ? check(t('value.yes')) : nothing(t('value.no'))),
    words: (value, { t }) => t(value ? 'value.yes' : 'value.no'),
  },
};

/** It may be too long for its column; hovering shows it in full. */
const showFullText = ({ currentTarget }: PointerEvent<HTMLElement>) =>
  (currentTarget.title = currentTarget.textContent ?? '');

export function check(label: string) {
  return (
    <span className="verified">
      <Icon name="check" label={label} />
    </span>
  );
}

export function nothing(label: string) {
  return (
    <span className="nothing" role="img" aria-label={label}>
      –
    </span>
  );
}
