/** The statement that reads a page, and what happened since the search was counted. */
import {
  concerns,
  isListed,
  orderBy,
  perShape,
  type ReadLanes,
  rowColumns,
  type RunStatement,
  type Shape,
  type Statement,
  type Terms,
  valuesOf,
  type View,
  wireColumns,
} from '@clientele/directory';
import type { Content, PageRange } from '../responses/list-body.ts';
import type { Source } from '../responses/tally.ts';
import { here } from './state/here.ts';
import type { MapCache } from './map-cache.ts';
import { newsColumns, newsSince, type News } from './state/news.ts';
import type { Start } from './shape/page-map.ts';
import {
  momentColumns,
  snapshotName,
  type Moment,
  type SearchState,
} from './state/search-state.ts';

export interface FoundPage extends Content {
  total: number;
}

/** A page, and what it was found by. */
export interface Answer extends FoundPage {
  source: Source;
}

/** What finds pages, for what is built on it. */
export interface PageFinder {
  readonly database: ReadLanes;
  readonly view: View;
  readonly cache: MapCache;
  /** Any page of a search, with its exact total. */
  findPage(search: Terms, range: PageRange, signal: AbortSignal): Promise<Answer>;
  /** Drops the pages that were read lately. */
  forgetPages(): void;
}

export interface ReadPage extends Moment, News {
  /** The name of the snapshot; null on a standby. */
  name: string | null;
  /** The inside of a JSON array of customers; null when the page is empty. */
  customers: string | null;
  /** The bytes of their identifiers. */
  shown: Buffer | null;
}

/** The log is read again by every request until it has more than this many entries since the state. */
const fewEntries = 64;

export interface PageRequest {
  search: Terms;
  state: SearchState;
  start: Start;
  limit: number;
  /** Whether nothing was logged lately. A statement that only checks that costs a third less. */
  quiet: boolean;
}

/**
 * Reads the page and what the log says since the state, in one snapshot. New matches above the start are
 * skipped as well, so that writes do not move the page.
 */
export async function readPage(run: RunStatement, request: PageRequest): Promise<ReadPage> {
  const { search, state, start, limit, quiet } = request;
  const { snapshot, seen } = state;
  const [kind, at] = Object.entries(start).find(([name]) => name !== 'skip') as [Kind, unknown];
  const direction = search.ascending ? 'up' : 'down';
  const { xmax, xip } = snapshot;
  const values = [xmax, xip, seen, at, start.skip, limit, ...valuesOf(search)];
  if (quiet && seen.length === 0) {
    const statement = quietPage(search, kind, direction);
    const [row] = await run<ReadPage & { quiet: boolean }>(statement, values);
    if (row!.quiet) return { ...row!, ...noNews };
  }
  const [row] = await run<ReadPage>(page(search, kind, direction), values);
  return row!;
}

/** Below a place, from a place on, or at exactly some places. */
type Kind = 'below' | 'from' | 'places';
/** Down: the greatest place first. */
type Direction = 'down' | 'up';

/** How a place is compared with $4, where the page starts. */
const comparison: Record<Kind, string> = {
  below: '< $4::float8',
  from: '>= $4::float8',
  places: '= any ($4::float8[])',
};
/** Whether a place is before that of the page. */
const isBefore: Record<Kind, string> = {
  below: '>= $4::float8',
  from: '< $4::float8',
  places: `>= '-infinity'`,
};

/** From the n-th customer on, below a place or above it. The ones before it are skipped in the index alone. */
function everyoneFrom({ view }: Shape, kind: Kind, direction: Direction, skip: string): string {
  const ordered = (row: string): string =>
    `order by ${orderBy(row, undefined, direction === 'up')}`;
  return `
  select ${rowColumns[view]}
  from only public.customers as m
  where (m.place, m.created_at, m.uuid) ${direction === 'up' ? '>=' : '<='} (
    select k.place, k.created_at, k.uuid
    from only public.customers as k
    where k.place ${comparison[kind]}
    ${ordered('k')}
    limit 1 offset ${skip}
  )
  ${ordered('m')}
  limit $6`;
}

/** In another order than that of creation, by its index. Among equal places, the columns decide that they were made of. */
function matchesFrom(search: Shape, kind: Kind, direction: Direction, skip: string): string {
  const { view, order } = search;
  const place = order ? `s.by_${order}` : 'm.place';
  const byPlace = order ? `${place} ${direction === 'up' ? 'asc' : 'desc'}, ` : '';
  return `
  select ${rowColumns[view]}
  from only public.customers as m
  ${order ? 'join clientele.sorted_customers as s on s.uuid = m.uuid' : ''}
  where ${place} ${comparison[kind]} and ${isListed(search, 7)}
  order by ${byPlace}${orderBy('m', order, direction === 'up')}
  limit $6 offset ${skip}`;
}

function rowsOf(search: Shape, kind: Kind, direction: Direction, skip: string): string {
  const { count, range, flags, order } = search;
  const isEverybody = count === 0 && !range && !flags && !order;
  const rows = isEverybody && kind !== 'places' ? everyoneFrom : matchesFrom;
  return rows(search, kind, direction, skip);
}

/** The page as JSON text. Nothing stands between the ordered rows and the aggregates: they keep their order. */
const customersOf = ({ view }: Shape, rows: string): string => `
  (
    select string_agg(row_to_json(w)::text, ',') as customers, string_agg(uuid_send(w.uuid), '') as shown
    from (select ${wireColumns[view]} from (${rows}) as c) as w
  ) as p`;

const nameOf = (search: Shape, kind: Kind, direction: Direction): string =>
  `page-${kind}-${search.count}${direction === 'up' ? '-up' : ''}`;

/** $1 to $3 the state's snapshot, $4 where the page starts, $5 skip, $6 limit, then the values of the search. */
const page = perShape((search, kind: Kind, direction: Direction): Statement => {
  const skips = kind !== 'places';
  const skip = skips ? 'greatest($5::int - (select d.before from delta as d), 0)' : '$5';
  const wanted = skips ? `(d.entries > ${fewEntries} or d.before > $5::int)` : '(d.entries > 0)';
  return {
    name: nameOf(search, kind, direction),
    text: `
      with ${here(search)}, ${newsSince(search, 7, isBefore[kind])}
      select ${momentColumns(search, wanted)}, ${newsColumns(search, wanted)}, ${snapshotName} as name,
        p.customers, p.shown
      from here, delta as d, ${customersOf(search, rowsOf(search, kind, direction, skip))}`,
  };
});

/** The same where the log has nothing new, and `quiet` says whether it has. */
const quietPage = perShape((search, kind: Kind, direction: Direction): Statement => {
  const concerned = `select from clientele.changes as e where ${concerns(search.order)} and`;
  return {
    name: `quiet-${nameOf(search, kind, direction)}`,
    text: `
      with ${here(search)}
      select ${momentColumns(search, 'false')}, ${snapshotName} as name, p.customers, p.shown,
        cardinality($3::xid8[]) = 0
        and not exists (${concerned} e.xid >= $1::xid8)
        and not exists (${concerned} e.xid = any ($2::xid8[])) as quiet
      from here, ${customersOf(search, rowsOf(search, kind, direction, '$5'))}`,
  };
});

const noNews: News = {
  entries: 0,
  seen: 0,
  recount: false,
  total: 0,
  before: 0,
  added: null,
  removed: null,
};
