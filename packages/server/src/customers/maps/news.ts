/** What the log says since a state. */
import { foundBy, type Shape } from '../match-condition.ts';
import { textColumns, type View } from '../view.ts';
import type { Change, Flags } from './page-map.ts';

/** As a statement reports it. */
export interface News {
  /** Entries that the state does not include, whether they match or not. */
  entries: number;
  /** How many of the state's `seen` transactions are visible. */
  seen: number;
  /** A transaction changed too much to list. */
  recount: boolean;
  /** How much the matches grew: all of them, and those at or above the start of the page. */
  total: number;
  above: number;
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

/** The log's columns of flags, where they are needed. */
const flagColumns = ({ flags }: Shape): string => (flags ? ', e.old_flags, e.new_flags' : '');

/** Whether an entry has these flags, in a column of the log. */
function withFlags({ verified, hasOrders }: Flags = {}, column: string): string {
  const is = (bit: number, wanted: boolean): string =>
    ` and ${column} & ${bit} = ${wanted ? bit : 0}`;
  return [
    verified === undefined ? '' : is(1, verified),
    hasOrders === undefined ? '' : is(2, hasOrders),
  ].join('');
}

/** Entries from before the log had flags, which no map with flags should ever meet. */
const flagless = `
        or n.old_place is not null and n.old_flags is null
        or n.new_place is not null and n.new_flags is null`;

/**
 * The CTEs `news` and `delta`: what the log says since a state. $1 xmax, $2 xip, $3 seen; `below` is the
 * place that the page starts below; the values of the search start at $first.
 */
export function newsSince(search: Shape, first: number, below: string): string {
  const { view, flags } = search;
  const columns = `${entryColumns[view]}${view === 'masked' ? flagColumns(search) : ''}`;
  const { before, after } = textColumns[view];
  const was = foundBy(search, first, 'e', { text: before, place: 'old_place' });
  const is = foundBy(search, first, 'e', { text: after, place: 'new_place' });
  const [left, came] = [withFlags(flags, 'n.old_flags'), withFlags(flags, 'n.new_flags')];
  return `
  entries as materialized (
    select ${columns} from clientele.changes as e where e.xid >= $1::xid8
    union all
    select ${columns} from clientele.changes as e where e.xid = any ($2::xid8[])
  ),
  news as materialized (
    select e.old_place, e.new_place${flagColumns(search)},
      e.old_place is not null and ${was} as was,
      e.new_place is not null and ${is} as is
    from entries as e
    where e.xid not in (select unnest($3::xid8[]))
  ),
  delta as materialized (
    select count(*)::int as entries,
      coalesce(bool_or(n.old_place is null and n.new_place is null${flags ? flagless : ''}), false) as recount,
      (count(*) filter (where n.is${came}) - count(*) filter (where n.was${left}))::int as total,
      (count(*) filter (where n.is and n.new_place >= ${below}${came})
        - count(*) filter (where n.was and n.old_place >= ${below}${left}))::int as above
    from news as n
  )`;
}

/** The columns of News. `advance` says when the places of the matches are wanted. */
export function newsColumns({ flags }: Shape, advance: string): string {
  const places = (which: 'old' | 'new'): string => {
    const place = `float8send(n.${which}_place)`;
    return flags ? `${place} || int2send(n.${which}_flags)` : place;
  };
  return `
  d.entries, d.recount, d.total, d.above,
  case when cardinality($3::xid8[]) = 0 then 0 else (
    select count(distinct e.xid)::int from entries as e where e.xid in (select unnest($3::xid8[]))
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
