/** A search as SQL. Its patterns are parameters: see ./search.ts. */
import type { Statement } from '../db/statement.ts';
import { orders } from '../db/orders.ts';
import { LruMap } from '../memory/lru-map.ts';
import type { Flags } from './filters.ts';
import type { Terms } from './search.ts';
import { textColumns } from './view.ts';

/**
 * Whether the row `row` matches the patterns of `terms` terms, given as parameters from $first on. With
 * a custom plan, a pattern that is null disappears and every other one becomes a scan of the trigram
 * index. `like any (array)` would make a scan of every combination of alternatives instead.
 */
export function matchCondition(row: string, terms: number, first: number, column: string): string {
  if (terms === 0) return 'true';
  const like = (parameter: number): string => `${row}.${column} like $${first + parameter}`;
  const each = Array.from(
    { length: terms },
    (_, i) => `(${like(1 + 2 * i)} or ${like(2 + 2 * i)})`,
  );
  return `(${like(0)} or ${each.join(' and ')})`;
}

/** The part of a search that the text of a statement depends on. */
export type Shape = Pick<Terms, 'view' | 'count' | 'range' | 'flags' | 'order'>;

/** The parameters of a search, which a statement takes from $first on. */
export const valuesOf = ({ patterns, range }: Terms): unknown[] =>
  range ? [...patterns, range.from, range.to] : patterns;

/** Whether a customer was found by this text, at this place: columns of `row`. Flags are not looked at. */
export function foundBy(
  { count, range }: Shape,
  first: number,
  row: string,
  column: { text: string; place: string },
): string {
  const match = matchCondition(row, count, first, column.text);
  if (!range) return match;
  const [from, to] = rangeParameters({ count }, first);
  const place = `${row}.${column.place}`;
  return `${match} and ${place} >= ${from}::float8 and ${place} < ${to}::float8`;
}

/** Those of the range of a search whose values start at $first. */
export function rangeParameters({ count }: Pick<Shape, 'count'>, first: number): [string, string] {
  const next = first + (count === 0 ? 0 : 1 + 2 * count);
  return [`$${next}`, `$${next + 1}`];
}

/** Whether the customer in the row `m` belongs to the list. */
export function isListed(search: Shape, first: number): string {
  const column = { text: textColumns[search.view].now, place: 'place' };
  return [foundBy(search, first, 'm', column), ...flagConditions(search.flags)].join(' and ');
}

/** For the planner, in terms of columns that it has statistics of. */
export function flagConditions({ verified, hasOrders }: Flags = {}, row = 'm'): string[] {
  return [
    verified === undefined ? [] : `${verified ? '' : 'not '}${row}.is_verified`,
    hasOrders === undefined ? [] : `${row}.total_orders ${hasOrders ? '>' : '='} 0`,
  ].flat();
}

/** Of how many shapes a statement is kept; its text has up to 5 kB. */
const mostShapes = 100;

/** Makes a statement once for each shape of a search, and each value of the other arguments. */
export function perShape<Rest extends string[]>(
  make: (search: Shape, ...rest: Rest) => Statement,
): (search: Shape, ...rest: Rest) => Statement {
  const made = new LruMap<string, Statement>(mostShapes);
  return (search, ...rest) => {
    const key = [search.count, search.view, narrowing(search), ...rest].join(' ');
    let statement = made.get(key);
    if (!statement) {
      const { name, text } = make(search, ...rest);
      made.set(key, (statement = { name: `${name}${narrowing(search)}`, text }));
    }
    return statement;
  };
}

/**
 * What is added to the name of a statement: nothing without a filter and an order. With what the connection adds, a name is
 * at most 63 bytes long.
 */
function narrowing({ range, flags, order }: Shape): string {
  const joined = `${order ? `-by-${orders.indexOf(order)}` : ''}${range ? '-joined' : ''}`;
  if (!flags) return joined;
  const one = (flag: boolean | undefined, yes: string, no: string): string =>
    flag === undefined ? '' : flag ? yes : no;
  const verified = one(flags.verified, '-verified', '-unverified');
  const asked = `${verified}${one(flags.hasOrders, '-orders', '-no-orders')}`;
  return joined + (asked || '-flags');
}
