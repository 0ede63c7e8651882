/** Lists and lookups as docs/api.md describes them, of rows in memory. */
import { hidden, onTheWire, type Row } from './customer.ts';
import { matcherOf } from './search.ts';

export const sortable = [
  'created_at',
  'lifetime_value_cents',
  'total_orders',
  'last_order_at',
] as const;
export type Sortable = (typeof sortable)[number];

export interface Selection {
  masked: boolean;
  search?: string | undefined;
  verified?: boolean | undefined;
  hasOrders?: boolean | undefined;
  /** Milliseconds. */
  joinedFrom?: number | undefined;
  joinedTo?: number | undefined;
}

export interface ListRequest extends Selection {
  page: number;
  perPage: number;
  sort: { by: Sortable; descending: boolean };
}

/** Every set of customers that the documentation allows as the matches. */
export function selections(rows: Row[], selection: Selection): Row[][] {
  const { masked, search, verified, hasOrders, joinedFrom, joinedTo } = selection;
  const matches = search === undefined ? () => true : matcherOf(search);
  const others = rows.filter(
    (row) =>
      (verified === undefined || row.is_verified === verified) &&
      (hasOrders === undefined || row.total_orders > 0 === hasOrders) &&
      matches(row, masked),
  );
  const inside = ({ created_at: at }: Row) =>
    (joinedFrom === undefined || at >= joinedFrom) && (joinedTo === undefined || at < joinedTo);
  const uncertain = others.filter(({ created_at: at }) =>
    [joinedFrom, joinedTo].some((bound) => bound !== undefined && imprecise(bound, at)),
  );
  const certain = others.filter((row) => inside(row) && !uncertain.includes(row));
  return subsets(uncertain).map((some) => [...certain, ...some]);
}

/** Before 1931 and after 2068, a bound may be off by a millisecond. */
const imprecise = (bound: number, at: number): boolean =>
  (bound < Date.UTC(1931) || bound >= Date.UTC(2069)) && Math.abs(at - bound) <= 1;

/** All of them, unless they are too many to try; then those of one side of a bound, which cuts the list somewhere. */
function subsets(rows: Row[]): Row[][] {
  if (rows.length > 6) {
    const listed = ordered(rows, { by: 'created_at', descending: true });
    return [...listed, undefined].flatMap((_, i) => [listed.slice(0, i), listed.slice(i)]);
  }
  const [first, ...others] = rows;
  if (!first) return [[]];
  return subsets(others).flatMap((some) => [some, [first, ...some]]);
}

export function expectedLists(rows: Row[], request: ListRequest): unknown[] {
  const { page, perPage, masked } = request;
  return selections(rows, request).map((matches) => ({
    data: ordered(matches, request.sort)
      .slice((page - 1) * perPage, page * perPage)
      .map((row) => onTheWire(row, masked)),
    pagination: { page, per_page: perPage, total: matches.length },
    ...(masked ? { hidden } : {}),
  }));
}

function ordered(rows: Row[], { by, descending }: ListRequest['sort']): Row[] {
  // Null is less than any other.
  const value = (row: Row) => row[by] ?? -Infinity;
  const compare = (a: number | string, b: number | string) => (a < b ? -1 : a > b ? 1 : 0);
  const rising = rows.toSorted(
    (a, b) =>
      compare(value(a), value(b)) || compare(a.created_at, b.created_at) || compare(a.uuid, b.uuid),
  );
  return descending ? rising.toReversed() : rising;
}

export function expectedCustomer(rows: Row[], id: string, masked: boolean): unknown {
  const row = rows.find(({ uuid }) => uuid === id.toLowerCase());
  return row && { data: onTheWire(row, masked), ...(masked ? { hidden } : {}) };
}
