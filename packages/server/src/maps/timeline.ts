/** When the matches of a search joined, from its map: places follow the time of creation. */
import { isDeepStrictEqual } from 'node:util';
import type { WireTimeline } from '@clientele/contract';
import {
  calendar,
  isListed,
  perShape,
  placeEpoch,
  type RunStatement,
  type Statement,
  type Terms,
  type TimelineOptions,
  valuesOf,
} from '@clientele/directory';
import { BlockMap } from './shape/block-map.ts';
import {
  endBlocks,
  endsColumns,
  endsValues,
  rangeOfBlock,
  type Ends,
  type EndsWithin,
} from './shape/ends.ts';
import { PlaceMap, type PageMap } from './shape/page-map.ts';
import { periodsBetween, type Periods } from './shape/periods.ts';

export type Timeline = WireTimeline['data'];

/** So few are always counted: a block may stand for months of a small directory. */
const fewMatches = 20_000;
/** Beyond, a place may be rounded to the next millisecond: clientele.place(). */
const coarsePlaces = 2 ** 41;
/** Of customers who were created at these instants, the newest first. */
export function timelineOfInstants(instants: number[], options: TimelineOptions): Timeline {
  return ofPlaces(new PlaceMap(Float64Array.from(instants, (at) => at - placeEpoch)), options);
}

/** In the snapshot of the map, in which `run` runs statements. */
export async function timelineOf(
  run: RunStatement,
  search: Terms,
  map: PageMap,
  options: TimelineOptions,
): Promise<Timeline> {
  if (!hasBlocks(map)) return ofPlaces(map as PlaceMap, options);
  const values = [...endsValues(endBlocks(map)), ...valuesOf(search)];
  const [ends] = await run<Ends>(endsStatement(search), values);
  if (!isCounted(map, options)) return estimate(map, ends!, options);
  const periods = periodsOf(ends!, options.buckets);
  const above = await countAbove(run, search, map, periods.edges);
  return assemble(map.total, periods, above, true);
}

/** Without a statement. Undefined if one is needed. `ends`: what is known of them. */
export function timelineFrom(
  map: PageMap,
  options: TimelineOptions,
  ends?: EndsWithin,
): Timeline | undefined {
  if (!hasBlocks(map)) return ofPlaces(map as PlaceMap, options);
  if (isCounted(map, options) || !ends) return undefined;
  const { oldest, newest, within } = ends;
  // The first or the last match may have come to another block, or have left it.
  const moved = oldest === null || newest === null || !isDeepStrictEqual(within, endBlocks(map));
  return moved ? undefined : estimate(map, { oldest, newest }, options);
}

/** Whether matches have to be counted where a period starts within a block. */
export const isCounted = (map: PageMap, { exact, few = fewMatches }: TimelineOptions): boolean =>
  hasBlocks(map) && (exact || map.total <= few);

/** An empty map is alike for both kinds. */
export const hasBlocks = (map: PageMap): map is BlockMap =>
  map instanceof BlockMap && map.total > 0;

function estimate(map: BlockMap, ends: Ends, { buckets }: TimelineOptions): Timeline {
  const periods = periodsOf(ends, buckets);
  const above = estimateAbove(map, ends, periods.edges);
  return assemble(map.total, periods, above, periods.edges.length === 0);
}

function ofPlaces(map: PlaceMap, { buckets }: TimelineOptions): Timeline {
  if (map.total === 0) return { total: 0, exact: true, unit: 'hour', buckets: [] };
  const periods = periodsOf({ newest: map.places[0]!, oldest: map.places.at(-1)! }, buckets);
  const above = periods.edges.map((edge) => aboveIn(map, edge));
  return assemble(map.total, periods, above, true);
}

interface PeriodsOfPlaces extends Periods {
  /** The places at which all but the oldest one start. */
  edges: number[];
}

function periodsOf({ oldest, newest }: Ends, most: number): PeriodsOfPlaces {
  const periods = periodsBetween(instantOf(oldest), instantOf(newest), most);
  return { ...periods, edges: periods.starts.slice(1).map((start) => start - placeEpoch) };
}

/** `above`: how many matches there are at each edge and above. */
function assemble(
  total: number,
  { unit, starts, edges }: PeriodsOfPlaces,
  above: number[],
  exact: boolean,
): Timeline {
  // The oldest period has all that is left.
  const all = [total, ...above, 0];
  return {
    total,
    exact: exact && edges.every((edge) => Math.abs(edge) < coarsePlaces),
    unit,
    buckets: starts
      .map((start, i) => ({
        from: new Date(start).toISOString(),
        count: all[i]! - all[i + 1]!,
        above: all[i + 1]!,
      }))
      .toReversed(),
  };
}

const instantOf = (place: number): number =>
  Math.min(calendar.last, Math.max(calendar.first, Math.floor(place) + placeEpoch));

/** The number of places at or above this one. They descend. */
function aboveIn({ places }: PlaceMap, edge: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle]! >= edge) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function countAbove(run: RunStatement, search: Terms, map: BlockMap, edges: number[]) {
  const blocks = edges.map((edge) => map.blockOf(edge));
  const tops = blocks.map((block) => rangeOfBlock(map, block).to);
  const values = [edges, tops, ...valuesOf(search)];
  const [row] = await run<{ matches: number[] }>(edgesStatement(search), values);
  return row!.matches.map((matches, i) => map.above[blocks[i]!]! + matches);
}

/**
 * As if the matches of a block were spread evenly over it, between the oldest and the newest match of all. A block may
 * stand for many periods, so some of them may have nobody.
 */
function estimateAbove(map: BlockMap, { oldest, newest }: Ends, edges: number[]): number[] {
  return edges.map((edge) => {
    const block = map.blockOf(edge);
    const { from, to } = rangeOfBlock(map, block);
    const [start, end] = [Math.max(from, oldest), Math.min(to, newest + 1)];
    const matches = (block === 0 ? map.total : map.above[block - 1]!) - map.above[block]!;
    const share = Math.min(1, Math.max(0, (end - edge) / (end - start)));
    return map.above[block]! + Math.round(matches * share);
  });
}

const endsStatement = perShape((search): Statement => ({
  name: `ends-${search.count}`,
  text: `select ${endsColumns(search, 1)}`,
}));

/** How many matches there are from each place of $1 up to, but not including, that of $2. */
const edgesStatement = perShape((search): Statement => {
  return {
    name: `edges-${search.count}`,
    text: `
      select array(
        select (
          select count(*)::int from only public.customers as m
          where m.place >= e.edge and m.place < e.top and ${isListed(search, 3)}
        )
        from unnest($1::float8[], $2::float8[]) with ordinality as e(edge, top, number)
        order by e.number
      ) as matches`,
  };
});
