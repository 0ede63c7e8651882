import { byPriority, columns, type Column } from './columns.tsx';

/** The name, the boxes that select rows, and the edges. */
const alwaysTaken = columns.find(({ name }) => name === 'name')!.width + 34 + 48;

/** Below this width a row is a card of several lines (styles/cards.css). */
const cardsBelow = 740;

/** Which of the chosen columns the list has room for. */
export function fittingColumns(chosen: readonly Column[], room: number): Column[] {
  if (room < cardsBelow) return chosen.filter(({ card }) => card !== undefined);
  let left = room - alwaysTaken;
  const wanted = byPriority.filter((column) => chosen.includes(column));
  const end = wanted.findIndex(({ width }) => (left -= width) < 0);
  const fitting = end === -1 ? wanted : wanted.slice(0, end);
  return chosen.filter((column) => fitting.includes(column));
}
