import type { Text } from '../text/text.ts';

/**
 * A date, with the exact instant on hover. A function, not a component: a table has too many. The
 * instant is formatted on hover, because formatting fifty takes longer than drawing the rows.
 */
export function formatTime(at: Date, text: Text, label = text.date(at)) {
  return (
    <time
      dateTime={at.toISOString()}
      onPointerEnter={({ currentTarget }) => (currentTarget.title = text.instant(at))}
    >
      {label}
    </time>
  );
}
