/** The statement that reads a page, and what happened since the search was counted. */
import type { RunStatement, Statement } from '../../db/lane.ts';
import { isListed, perShape, valuesOf, type Shape } from '../match-condition.ts';
import type { Terms } from '../search.ts';
import { rowColumns, wireColumns } from '../to-wire.ts';
import type { View } from '../view.ts';
import { here } from './here.ts';
import { newsColumns, newsSince, type News } from './news.ts';
import type { Start } from './page-map.ts';
import { momentColumns, snapshotName, type Moment, type SearchState } from './search-state.ts';
import type { Source } from './tally.ts';

export interface PageRange {
  offset: number;
  limit: number;
}

export interface FoundPage {
  /** The response: the same object while the page is known, however often it is sent. */
  body: Buffer;
  total: number;
}

/** A page, and what it was found by. */
export interface Answer extends FoundPage {
  source: Source;
}

export interface ReadPage extends Moment, News {
  /** The name of the snapshot; null on a standby. */
  name: string | null;
  /** The inside of a JSON array of customers; null when the page is empty. */
  customers: string | null;
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
  const at = 'below' in start ? start.below : start.places;
  const kind = 'below' in start ? 'below' : 'places';
  const { xmax, xip } = snapshot;
  const values = [xmax, xip, seen, at, start.skip, limit, ...valuesOf(search)];
  if (quiet && seen.length === 0) {
    const [row] = await run<ReadPage & { quiet: boolean }>(quietPage(search, kind), values);
    if (row!.quiet) return { ...row!, ...noNews };
  }
  const [row] = await run<ReadPage>(page(search, kind), values);
  return row!;
}

/** Below a place, or at exactly some places. */
type Kind = 'below' | 'places';

const newestFirst = (row: string): string =>
  `order by ${row}.place desc, ${row}.created_at desc, ${row}.uuid desc`;

/** From the n-th customer below a place on. The ones before it are skipped in the index alone. */
const everyoneBelow = (view: View, skip: string): string => `
  select ${rowColumns[view]}
  from only public.customers as m
  where (m.place, m.created_at, m.uuid) <= (
    select k.place, k.created_at, k.uuid
    from only public.customers as k
    where k.place < $4::float8
    ${newestFirst('k')}
    limit 1 offset ${skip}
  )
  ${newestFirst('m')}
  limit $6`;

const matchesFrom = (search: Shape, start: string, skip: string): string => `
  select ${rowColumns[search.view]}
  from only public.customers as m
  where ${start} and ${isListed(search, 7)}
  ${newestFirst('m')}
  limit $6 offset ${skip}`;

function rowsOf(search: Shape, kind: Kind, skip: string): string {
  if (kind === 'places') return matchesFrom(search, 'm.place = any ($4::float8[])', skip);
  const { view, count, range, flags } = search;
  return count === 0 && !range && !flags
    ? everyoneBelow(view, skip)
    : matchesFrom(search, 'm.place < $4::float8', skip);
}

/** The page as JSON text. Nothing stands between the ordered rows and the aggregate: they keep their order. */
const customersOf = (view: View, rows: string): string => `
  (
    select string_agg(row_to_json(w)::text, ',')
    from (select ${wireColumns[view]} from (${rows}) as c) as w
  ) as customers`;

/** $1 to $3 the state's snapshot, $4 where the page starts, $5 skip, $6 limit, then the values of the search. */
const page = perShape((search, kind: Kind): Statement => {
  const below = kind === 'below';
  const skip = below ? 'greatest($5::int - (select d.above from delta as d), 0)' : '$5';
  const wanted = below ? `(d.entries > ${fewEntries} or d.above > $5::int)` : '(d.entries > 0)';
  return {
    name: `page-${kind}-${search.count}`,
    text: `
      with ${here(search.view)}, ${newsSince(search, 7, below ? '$4::float8' : `'-infinity'`)}
      select ${momentColumns(wanted)}, ${newsColumns(search, wanted)}, ${snapshotName} as name,
        ${customersOf(search.view, rowsOf(search, kind, skip))}
      from here, delta as d`,
  };
});

/** The same where the log has nothing new, and `quiet` says whether it has. */
const quietPage = perShape((search, kind: Kind): Statement => ({
  name: `quiet-page-${kind}-${search.count}`,
  text: `
    with ${here(search.view)}
    select ${momentColumns('false')}, ${snapshotName} as name,
      ${customersOf(search.view, rowsOf(search, kind, '$5'))},
      cardinality($3::xid8[]) = 0
      and not exists (select from clientele.changes as e where e.xid >= $1::xid8)
      and not exists (select from clientele.changes as e where e.xid = any ($2::xid8[])) as quiet
    from here`,
}));

const noNews: News = {
  entries: 0,
  seen: 0,
  recount: false,
  total: 0,
  above: 0,
  added: null,
  removed: null,
};
