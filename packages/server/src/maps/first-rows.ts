/**
 * The first rows of a search, without its map: among the first customers of the list, or, where too few of those
 * match, by the trigram index. Nothing depends on the planner's estimate: docs/decisions/rows-first.md.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isListed,
  orderBy,
  perShape,
  placeIn,
  rangeParameters,
  rowColumns,
  type Shape,
  type Statement,
  type Terms,
  textColumns,
  UnloggedWritesError,
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

/** How many customers are looked at first, one after the other: enough to see whether many match. */
const glance = 2_000;
/** Where one customer in a glance matches, walking through this part of all customers takes as long as the index. */
const near = 1 / 200;
/** The part to walk through where the index is slow, because words of the search are common. */
const far = 1 / 10;
/** How long the index has before that walk begins, in milliseconds. It does not begin while others wait for a connection. */
const headStart = 100;
/** In another order, each customer is a row of two tables. */
const slowerInOrder = 4;

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

/** What this file needs of the lane for rows. */
interface RowsLane {
  /** Cancels the statement when the signal fires. */
  query<Row extends object>(
    statement: Statement,
    values: unknown[],
    signal: AbortSignal,
  ): Promise<Row[]>;
  slots: { waiting: number };
}

/** Undefined if they cannot be found quickly. */
export async function readFirstRows(
  lane: RowsLane,
  search: Terms,
  range: PageRange,
  signal: AbortSignal,
): Promise<FirstRows | undefined> {
  const { offset, limit } = range;
  const enough = new AbortController();
  const wanted = AbortSignal.any([signal, enough.signal]);
  const read = async (statement: typeof walk, customers?: number) => {
    const walked = customers && Math.ceil(customers / (search.order ? slowerInOrder : 1));
    const values = [limit, offset, ...(walked ? [walked] : []), ...valuesOf(search)];
    const direction = search.ascending ? 'up' : 'down';
    const [row] = await lane.query<ReadRows>(statement(search, direction), values, wanted);
    if (row!.identity === null) throw new UnloggedWritesError();
    return row!;
  };
  const isFull = ({ found }: ReadRows): boolean => found === limit;
  const glanced = await read(walk, glance);
  if (isFull(glanced)) return rowsOf(glanced);
  /** Undefined where too few match, or the glance has seen as many customers. */
  const walkThrough = async (part: number): Promise<ReadRows | undefined> => {
    const customers = part * glanced.everybody;
    if (customers <= glance) return undefined;
    const walked = await read(walk, customers);
    return isFull(walked) ? walked : undefined;
  };
  // Everybody is in no index but that of the list.
  if (search.count === 0) {
    const walked = await walkThrough(far);
    return walked && rowsOf(walked);
  }
  if (glanced.found > 0 || offset > 0) {
    const walked = await walkThrough(near);
    if (walked) return rowsOf(walked);
  }
  const indexed = read(byIndex);
  const walked = sleep(headStart, undefined, { signal: wanted })
    .then(() => (lane.slots.waiting > 0 ? undefined : walkThrough(far)))
    .then((rows) => rows ?? indexed);
  try {
    const all = await Promise.race([indexed, walked.catch(() => indexed)]);
    if (isFull(all) || (all.found === 0 && offset > 0)) return rowsOf(all);
    // A map with flags would need those who have others, too.
    const isEverybody = offset === 0 && !search.flags;
    return {
      ...rowsOf(all),
      total: offset + all.found,
      ...(isEverybody && { state: newState(all, new PlaceMap(placesIn(all.places))) }),
    };
  } finally {
    enough.abort();
  }
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
  /** About how many customers there are; -1 before PostgreSQL has first analyzed the table. */
  everybody: number;
  /** As the bytes of float8, in any order. */
  places: Buffer | null;
}

const rowsOf = (read: ReadRows): FirstRows => ({
  customers: read.customers ?? '',
  shown: read.shown ?? nobody,
  at: pointOf(read),
});

type Direction = 'down' | 'up';

/** Nothing stands between the ordered rows and the aggregates: they keep their order. */
const statementOf = (search: Shape, name: string, rows: string): Statement => ({
  name: `${name}-${search.count}`,
  text: `
    with ${here(search)}
    select ${momentColumns(search, 'true')}, r.customers, r.shown, r.found, r.places,
      (select c.reltuples::float8 from pg_class as c where c.oid = 'public.customers'::regclass) as everybody
    from here, (
      select string_agg(row_to_json(w)::text, ',') as customers,
        string_agg(uuid_send(c.uuid), '') as shown, count(*)::int as found,
        string_agg(float8send(c.place_here), '') as places
      from (${rows}) as c, lateral (select ${wireColumns[search.view]}) as w
    ) as r`,
});

const named = (name: string, direction: Direction): string =>
  direction === 'up' ? `${name}-up` : name;

/** $1 limit, $2 offset, $3 how many customers are looked at, then the values of the search. */
const walk = perShape((search, direction: Direction): Statement => {
  const { view, range, order } = search;
  const first = 4;
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
      limit $3
    ) as m
    where ${isListed(search, first)}
    order by ${order ? `m.place_here ${way}, ` : ''}${orderBy('m', order, ascending)}
    limit $1 offset $2`;
  return statementOf(search, named('walk', direction), rows);
});

/**
 * $1 limit, $2 offset, then the values of the search. All matches are read and the first of them kept. The sum is in no
 * index, which would be walked to its end.
 */
const byIndex = perShape((search, direction: Direction): Statement => {
  const { view, order } = search;
  const first = 3;
  const ordered = orderBy('m', order, direction === 'up').replace(/^m\.place\b/, '(m.place + 0)');
  const rows = `
    select ${rowColumns[view]}, ${placeIn(order, 'm')} as place_here
    from only public.customers as m
    where ${isListed(search, first)} order by ${ordered} limit $1 offset $2`;
  return statementOf(search, named('rows-by-index', direction), rows);
});
