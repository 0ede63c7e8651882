/** What the log says since a state. */
import {
  concerns,
  type Flags,
  foundBy,
  loggedPlace,
  type Shape,
  textColumns,
  type View,
} from '@clientele/directory';
import type { Change } from '../shape/page-map.ts';

/** As a statement reports it. */
export interface News {
  /** Entries that the state does not include, whether they match or not. */
  entries: number;
  /** How many of the state's `seen` transactions are visible. */
  seen: number;
  /** A transaction changed too much to list. */
  recount: boolean;
  /** How much the matches grew: all of them, and those before the start of the page. */
  total: number;
  before: number;
  /**
   * The places of new and former matches, as the bytes of float8, for a map with flags each followed by its flags as
   * those of int2. Left out while they are few.
   */
  added: Buffer | null;
  removed: Buffer | null;
}

const entryColumns: Record<View, string> = {
  full: 'e.*',
  masked: 'e.xid, e.old_place, e.old_name_text, e.new_place, e.new_name_text',
};

/** The log's columns of flags and of places in an order, where they are needed. */
const furtherColumns = ({ flags, order }: Shape): string =>
  [
    flags ? ', e.old_flags, e.new_flags' : '',
    order ? `, e.${loggedPlace(order, 'old')}, e.${loggedPlace(order, 'new')}` : '',
  ].join('');

/** Whether an entry has these flags, in a column of the log. */
function withFlags({ verified, hasOrders }: Flags = {}, column: string): string {
  const is = (bit: number, wanted: boolean): string =>
    ` and ${column} & ${bit} = ${wanted ? bit : 0}`;
  return [
    verified === undefined ? '' : is(1, verified),
    hasOrders === undefined ? '' : is(2, hasOrders),
  ].join('');
}

/** Entries from before the log had such a column, which no map that needs it should ever meet. */
const without = (column: (when: 'old' | 'new') => string): string => `
        or n.old_place is not null and n.${column('old')} is null
        or n.new_place is not null and n.${column('new')} is null`;

/**
 * The CTEs `news` and `delta`: what the log says since a state. $1 xmax, $2 xip, $3 seen; `isBefore` compares a
 * place with the start of the page; the values of the search start at $first.
 */
export function newsSince(search: Shape, first: number, isBefore: string): string {
  const { view, flags, order } = search;
  const columns = `${entryColumns[view]}${view === 'masked' ? furtherColumns(search) : ''}`;
  const [from, to] = [`n.${loggedPlace(order, 'old')}`, `n.${loggedPlace(order, 'new')}`];
  const incomplete = [
    flags ? without((when) => `${when}_flags`) : '',
    order ? without((when) => loggedPlace(order, when)) : '',
  ].join('');
  const { before, after } = textColumns[view];
  const was = foundBy(search, first, 'e', { text: before, place: 'old_place' });
  const is = foundBy(search, first, 'e', { text: after, place: 'new_place' });
  const [left, came] = [withFlags(flags, 'n.old_flags'), withFlags(flags, 'n.new_flags')];
  return `
  entries as materialized (
    select ${columns} from clientele.changes as e where e.xid >= $1::xid8 and ${concerns(order)}
    union all
    select ${columns} from clientele.changes as e where e.xid = any ($2::xid8[]) and ${concerns(order)}
  ),
  news as materialized (
    select e.old_place, e.new_place${furtherColumns(search)},
      e.old_place is not null and ${was} as was,
      e.new_place is not null and ${is} as is
    from entries as e
    where e.xid not in (select unnest($3::xid8[]))
  ),
  delta as materialized (
    select count(*)::int as entries,
      coalesce(bool_or(n.old_place is null and n.new_place is null${incomplete}), false) as recount,
      (count(*) filter (where n.is${came}) - count(*) filter (where n.was${left}))::int as total,
      (count(*) filter (where n.is and ${to} ${isBefore}${came})
        - count(*) filter (where n.was and ${from} ${isBefore}${left}))::int as before
    from news as n
  )`;
}

/**
 * The columns of News. `advance` says when the places of the matches are wanted. `is true` keeps `in` from becoming a
 * join: with a wrong estimate, each entry would be compared with each transaction.
 */
export function newsColumns({ flags, order }: Shape, advance: string): string {
  const places = (which: 'old' | 'new'): string => {
    const place = `float8send(n.${loggedPlace(order, which)})`;
    return flags ? `${place} || int2send(n.${which}_flags)` : place;
  };
  return `
  d.entries, d.recount, d.total, d.before,
  case when cardinality($3::xid8[]) = 0 then 0 else (
    select count(distinct e.xid)::int from entries as e where (e.xid in (select unnest($3::xid8[]))) is true
  ) end as seen,
  case when ${advance} then (
    select coalesce(string_agg(${places('new')}, ''), '') from news as n where n.is
  ) end as added,
  case when ${advance} then (
    select coalesce(string_agg(${places('old')}, ''), '') from news as n where n.was
  ) end as removed`;
}

/** The changes of a map in `added` (1) or `removed` (-1). */
export function changes(news: Buffer, sign: number, flagged: boolean): Change[] {
  const size = flagged ? 10 : 8;
  return Array.from({ length: news.length / size }, (_, i) => ({
    place: news.readDoubleBE(size * i),
    sign,
    ...(flagged && { flags: news.readInt16BE(size * i + 8) }),
  }));
}
