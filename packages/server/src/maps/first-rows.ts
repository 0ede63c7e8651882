/**
 * The first rows of a search, without its map: among the first customers of the list, or, where too few of those
 * match, by the trigram index. Nothing depends on the planner's estimate: docs/decisions/rows-first.md.
 */
import {
  isListed,
  orderBy,
  perShape,
  placeIn,
  rangeParameters,
  rowColumns,
  type RunStatement,
  type Shape,
  type Statement,
  type Terms,
  textColumns,
  valuesOf,
  wireColumns,
} from '@clientele/directory';
import { nobody, type PageRange } from '../responses/list-body.ts';
import { here } from './state/here.ts';
import { PlaceMap } from './shape/page-map.ts';
import {
  momentColumns,
  newState,
  pointOf,
  type Moment,
  type Point,
  type SearchState,
} from './state/search-state.ts';

/** How many customers are looked at, one after the other. In another order, each is a row of two tables. */
const walked = { list: 20_000, order: 5_000 };

export interface FirstRows {
  /** The inside of a JSON array of customers. */
  customers: string;
  /** The bytes of their identifiers. */
  shown: Buffer;
  /** The snapshot that they were read in. */
  at: Point;
  /** Where they are the last ones. */
  total?: number;
  /** Where they are all, and a map can be made of them. */
  state?: SearchState;
}

/** Undefined if they cannot be found quickly. */
export async function readFirstRows(
  run: RunStatement,
  search: Terms,
  range: PageRange,
): Promise<FirstRows | undefined> {
  const { offset, limit } = range;
  const read = async (statement: typeof walk) => {
    const values = [limit, offset, ...valuesOf(search)];
    const direction = search.ascending ? 'up' : 'down';
    const [row] = await run<ReadRows>(statement(search, direction), values);
    return row!.identity === null ? undefined : row!;
  };
  const walking = await read(walk);
  if (walking?.found === limit) return rowsOf(walking);
  // Everybody is in no index but that of the list.
  const all = search.count > 0 ? await read(byIndex) : undefined;
  if (!all) return undefined;
  if (all.found === limit || (all.found === 0 && offset > 0)) return rowsOf(all);
  // A map with flags would need those who have others, too.
  const isEverybody = offset === 0 && !search.flags;
  return {
    ...rowsOf(all),
    total: offset + all.found,
    ...(isEverybody && { state: newState(all, new PlaceMap(placesIn(all.places))) }),
  };
}

/** Greatest first. */
function placesIn(bytes: Buffer | null): Float64Array {
  const places = new Float64Array((bytes?.length ?? 0) / 8);
  for (const i of places.keys()) places[i] = bytes!.readDoubleBE(8 * i);
  return places.toSorted((a, b) => b - a);
}

interface ReadRows extends Moment {
  customers: string | null;
  shown: Buffer | null;
  found: number;
  /** As the bytes of float8, in any order. */
  places: Buffer | null;
}

const rowsOf = (read: ReadRows): FirstRows => ({
  customers: read.customers ?? '',
  shown: read.shown ?? nobody,
  at: pointOf(read),
});

type Direction = 'down' | 'up';

/** $1 limit, $2 offset, then the values of the search. */
const first = 3;

/** Nothing stands between the ordered rows and the aggregates: they keep their order. */
const statementOf = (search: Shape, name: string, rows: string): Statement => ({
  name: `${name}-${search.count}`,
  text: `
    with ${here(search)}
    select ${momentColumns(search, 'true')}, r.customers, r.shown, r.found, r.places
    from here, (
      select string_agg(row_to_json(w)::text, ',') as customers,
        string_agg(uuid_send(c.uuid), '') as shown, count(*)::int as found,
        string_agg(float8send(c.place_here), '') as places
      from (${rows}) as c, lateral (select ${wireColumns[search.view]}) as w
    ) as r`,
});

const named = (name: string, direction: Direction): string =>
  direction === 'up' ? `${name}-up` : name;

const walk = perShape((search, direction: Direction): Statement => {
  const { view, range, order } = search;
  const ascending = direction === 'up';
  const way = ascending ? 'asc' : 'desc';
  const text = view === 'masked' ? `, m.place, m.${textColumns.masked.now}` : '';
  const place = order ? `s.by_${order}` : 'm.place';
  const [from, to] = rangeParameters(search, first);
  // Of the inner rows, those that the outer condition turns away are counted too: that bounds the walk.
  const rows = `
    select ${rowColumns[view]}${view === 'masked' ? ', m.place_here' : ''}
    from (
      select ${rowColumns[view]}${text}, ${place} as place_here
      from only public.customers as m
      ${order ? 'join clientele.sorted_customers as s on s.uuid = m.uuid' : ''}
      ${range && !order ? `where m.place >= ${from}::float8 and m.place < ${to}::float8` : ''}
      order by ${order ? `${place} ${way}, ` : ''}${orderBy('m', order, ascending)}
      limit ${order ? walked.order : walked.list}
    ) as m
    where ${isListed(search, first)}
    order by ${order ? `m.place_here ${way}, ` : ''}${orderBy('m', order, ascending)}
    limit $1 offset $2`;
  return statementOf(search, named('walk', direction), rows);
});

/** All matches are read and the first of them kept. The sum is in no index, which would be walked to its end. */
const byIndex = perShape((search, direction: Direction): Statement => {
  const { view, order } = search;
  const ordered = orderBy('m', order, direction === 'up').replace(/^m\.place\b/, '(m.place + 0)');
  const rows = `
    select ${rowColumns[view]}, ${placeIn(order, 'm')} as place_here
    from only public.customers as m
    where ${isListed(search, first)} order by ${ordered} limit $1 offset $2`;
  return statementOf(search, named('rows-by-index', direction), rows);
});
