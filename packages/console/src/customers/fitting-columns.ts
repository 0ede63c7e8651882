import type { ColumnName } from '../settings.ts';

/** The least width of each column in pixels. Support needs the first ones most. */
const leastWidths: [ColumnName, number][] = [
  ['email', 200],
  ['phone', 160],
  ['company', 140],
  ['lastOrder', 124],
  ['value', 196],
  ['verified', 76],
  ['orders', 76],
  ['since', 124],
];
const nameAndEdges = 180 + 34 + 48;

/** Below this width a row is a card of several lines (styles/cards.css). */
const cardsBelow = 740;
const onCards = new Set<ColumnName>(['company', 'email', 'phone', 'value']);

/** Which of the chosen columns the list has room for. */
export function fittingColumns(chosen: readonly ColumnName[], room: number): ColumnName[] {
  if (room < cardsBelow) return chosen.filter((column) => onCards.has(column));
  let left = room - nameAndEdges;
  const wanted = leastWidths.filter(([column]) => chosen.includes(column));
  const end = wanted.findIndex(([, width]) => (left -= width) < 0);
  const fitting = new Set((end === -1 ? wanted : wanted.slice(0, end)).map(([column]) => column));
  return chosen.filter((column) => fitting.has(column));
}
