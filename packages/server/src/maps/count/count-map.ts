/** The statements that count a search, and the maps that are made of what they return. */
import {
  anyFlags,
  isListed,
  OrderOffError,
  perShape,
  placeIn,
  type Range,
  type RunStatement,
  type Statement,
  type Terms,
  UnloggedWritesError,
  valuesOf,
  withoutRange,
} from '@clientele/directory';
import type { Bounds } from '../shape/bounds.ts';
import { BlockMap } from '../shape/block-map.ts';
import { FlaggedMap } from '../shape/flagged-map.ts';
import { here } from '../state/here.ts';
import { PlaceMap, type PageMap } from '../shape/page-map.ts';
import { momentColumns, newState, type Moment, type SearchState } from '../state/search-state.ts';

/** Undefined when there are more than `most` matches: the estimate was wrong. */
export async function countPlaces(run: RunStatement, search: Terms, most: number) {
  const values = [most + 1, ...valuesOf(search)];
  const [row] = await run<Moment & { places: Buffer | null }>(
    placesStatement(anyFlags(search)),
    values,
  );
  const bytes = row!.places ?? Buffer.alloc(0);
  const size = search.flags ? 10 : 8;
  const matches = bytes.length / size;
  if (matches > most) return undefined;
  const mapOf = (isPart: (flags: number) => boolean): PlaceMap => {
    const places = new Float64Array(matches);
    let filled = 0;
    for (let at = 0; at < bytes.length; at += size) {
      if (isPart(search.flags ? bytes.readInt16BE(at + 8) : 0)) {
        places[filled++] = bytes.readDoubleBE(at);
      }
    }
    return new PlaceMap(filled === matches ? places : places.slice(0, filled));
  };
  return countedState(
    search,
    row!,
    search.flags ? flagged((i) => mapOf((flags) => flags === i)) : mapOf(() => true),
  );
}

const flagged = (part: (flags: number) => PageMap): FlaggedMap =>
  new FlaggedMap([part(0), part(1), part(2), part(3)]);

function countedState({ order }: Terms, moment: Moment, map: PageMap): SearchState {
  // Every count would be outdated by the next write, and nobody would know.
  if (moment.identity === null) throw order ? new OrderOffError() : new UnloggedWritesError();
  return newState(moment, map);
}

/** 1 if verified, plus 2 if there are orders. */
const flagsColumn = '(m.is_verified::int + 2 * (m.total_orders > 0)::int)::int2';

/** The place of every match, greatest first, as the bytes of float8, with flags as those of int2; at most $1 of them. */
const placesStatement = perShape((search): Statement => {
  const { flags } = search;
  const bytes = `float8send(p.place)${flags ? ' || int2send(p.flags)' : ''}`;
  return {
    name: `places-${search.count}`,
    text: `
      with ${here(search)}
      select ${momentColumns(search)}, (
        select string_agg(${bytes}, '' order by p.place desc)
        from (
          select ${placeIn(search.order, 'm')} as place${flags ? `, ${flagsColumn} as flags` : ''}
          from only public.customers as m where ${isListed(search, 2)} limit $1
        ) as p
      ) as places
      from here`,
  };
});

/** In a range only, if one is given. */
export async function countBlocks(
  run: RunStatement,
  search: Terms,
  { places }: Pick<Bounds, 'places'>,
  range = search.range,
) {
  const whole = anyFlags(withoutRange(search));
  const statement = blocksStatement(whole, range ? 'range' : 'all');
  const values = [[...places], ...(range ? [range.from, range.to] : []), ...whole.patterns];
  const [row] = await run<Moment & { blocks: Buffer | null }>(statement, values);
  const bytes = row!.blocks ?? Buffer.alloc(0);
  const size = search.flags ? 20 : 8;
  const mapOf = (countAt: (at: number) => number): BlockMap => {
    const counts = new Int32Array(places.length + 1);
    for (let at = 0; at < bytes.length; at += size) counts[bytes.readInt32BE(at)] = countAt(at + 4);
    return new BlockMap(places, counts);
  };
  const count = (at: number): number => bytes.readInt32BE(at);
  return countedState(
    search,
    row!,
    search.flags ? flagged((i) => mapOf((at) => count(at + 4 * i))) : mapOf(count),
  );
}

/** The matches at the edge of a range, in the snapshot of the transaction. */
export async function countEdge(run: RunStatement, search: Terms, edge: Range): Promise<PageMap> {
  return (await countBlocks(run, search, { places: Float64Array.of(0) }, edge)).current;
}

type Part = 'all' | 'range';

/** By flags: four numbers from three conditions that are each looked at once. */
const countsByFlags = `count(*)::int as matches,
            (count(*) filter (where m.is_verified))::int as verified,
            (count(*) filter (where m.total_orders > 0))::int as orders,
            (count(*) filter (where m.is_verified and m.total_orders > 0))::int as "both"`;

/**
 * How many matches are in each block between the bounds $1: its number and how many, as the bytes of int4; with flags,
 * how many of each. $2 and $3: the range.
 */
const blocksStatement = perShape((search, of: Part): Statement => {
  const match =
    of === 'all'
      ? isListed(search, 2)
      : `m.place >= $2::float8 and m.place < $3::float8 and ${isListed(search, 4)}`;
  const numbers = search.flags
    ? [
        'b.matches - b.verified - b.orders + b."both"',
        'b.verified - b."both"',
        'b.orders - b."both"',
        'b."both"',
      ]
    : ['b.matches'];
  return {
    name: `blocks-${of}-${search.count}`,
    text: `
      with ${here(search)}
      select ${momentColumns(search)}, (
        select string_agg(${['b.block', ...numbers].map((number) => `int4send(${number})`).join(' || ')}, '')
        from (
          select width_bucket(${placeIn(search.order, 'm')}, $1::float8[]) as block, ${search.flags ? countsByFlags : 'count(*)::int as matches'}
          from only public.customers as m
          where ${match}
          group by 1
        ) as b
      ) as blocks
      from here`,
  };
});
