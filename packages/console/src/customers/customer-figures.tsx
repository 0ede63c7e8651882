import type { Customer } from '@clientele/client';
import { useText, type Text } from '../text/text.ts';
import { formatTime } from '../ui/format-time.tsx';
import { useNow } from '../ui/use-now.ts';
import { byPriority, isHidden, wordsOf, type Column } from './columns.tsx';
import { hidden } from './hidden.tsx';

const figures = [
  ...byPriority.filter(({ details }) => details === 'large'),
  ...byPriority.filter(({ details }) => details === undefined),
];

/** What has no place of its own in the details, such as orders and dates. */
export function CustomerFigures({ customer }: { customer: Customer }) {
  const text = useText();
  const now = useNow();
  const shown = figures.filter(({ none, of }) => none !== undefined || of(customer) !== null);
  return (
    <dl className="figures">
      {shown.map((column) => (
        <div key={column.name}>
          <dt>{text.t(column.label)}</dt>
          <dd className={column.details}>{figureOf(column, customer, text, now)}</dd>
        </div>
      ))}
    </dl>
  );
}

function figureOf(column: Column, customer: Customer, text: Text, now: number) {
  if (isHidden(column, customer)) return hidden(text);
  const value = column.of(customer);
  if (value === null) return <span className="nothing">{text.t(column.none!)}</span>;
  if (!(value instanceof Date)) return <span dir="auto">{wordsOf(column, customer, text)}</span>;
  return (
    <>
      {formatTime(value, text)}
      <small>{text.age(value, now)}</small>
    </>
  );
}
