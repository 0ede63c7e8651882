/** Counts a search: where its matches are in the list, in one snapshot. */
import type { ReadLanes } from '../../db/database.ts';
import { UnloggedWritesError } from '../../db/errors.ts';
import type { Lane, RunStatement, Statement } from '../../db/lane.ts';
import { tracer } from '../../tracing/trace.ts';
import { matchCondition, perTermCount } from '../match-condition.ts';
import type { Terms } from '../search.ts';
import { textColumns, type View } from '../view.ts';
import type { Bounds } from './block-bounds.ts';
import { here } from './here.ts';
import { BlockMap, PlaceMap } from './page-map.ts';
import {
  lockCustomers,
  momentColumns,
  newState,
  type Moment,
  type Range,
  type SearchState,
} from './search-state.ts';

/** A search with at most this share of all customers, or this many matches, gets a map of places. */
export const placeMapThreshold = { share: 0.02, matches: 20_000 };

/**
 * The planner's estimate may be this many times too high and the index is still tried: it extrapolates
 * from about a hundred matching customers in its sample, three of which may stand for one in a hundred
 * customers or for nine.
 */
const estimateTolerance = 3;

/** With more requests than this per second, a scan gets no parallel worker. */
const busyRequestsPerSecond = 5;

export interface CountOptions {
  signal: AbortSignal;
  beforeScan?: (() => void) | undefined;
  /** Counts many matches faster than a scan of this node, if it can. */
  spread?: (search: Terms, bounds: Bounds, signal: AbortSignal) => Promise<SearchState | undefined>;
}

/**
 * Few matches are read by the trigram index, with the place of each; many are counted per block. Where the
 * planner's estimate is uncertain, places are tried first and given up after twice the threshold.
 */
export async function countSearch(
  database: ReadLanes,
  search: Terms,
  bounds: Bounds,
  { signal, beforeScan, spread }: CountOptions,
): Promise<SearchState> {
  const { searches } = database;
  const most = mostPlaces(bounds);
  if (await isWorthTryingPlaces(searches, search, most, signal)) {
    trying('places');
    // PostgreSQL locks the table before it takes the snapshot of a single statement.
    const run: RunStatement = (statement, values) => searches.query(statement, values, signal);
    const state = await countPlaces(run, search, 2 * most);
    if (state) return state;
  }
  beforeScan?.();
  trying('spread');
  const state = await spread?.(search, bounds, signal);
  if (state) return state;
  trying('scan');
  return scan(database, search, bounds, async (state) => state, signal);
}

/** Counts, and uses the state within the snapshot that it was counted in. */
export async function countWithin<T>(
  database: ReadLanes,
  search: Terms,
  bounds: Bounds,
  use: UseState<T>,
  signal: AbortSignal,
): Promise<T> {
  const { searches } = database;
  const most = mostPlaces(bounds);
  if (await isWorthTryingPlaces(searches, search, most, signal)) {
    trying('places');
    const counted = await searches.snapshot(async (run) => {
      await run(lockCustomers[search.view], []);
      const state = await countPlaces(run, search, 2 * most);
      return state && { used: await use(state, run) };
    }, signal);
    if (counted) return counted.used;
  }
  trying('scan');
  return scan(database, search, bounds, use, signal);
}

/** For traces: the last kind of count that was tried. */
function trying(kind: 'places' | 'spread' | 'scan'): void {
  tracer?.note({ 'clientele.count.kind': kind });
}

type UseState<T> = (state: SearchState, run: RunStatement) => Promise<T>;

/** The part of the map that lies in a range. */
export const countRange = (
  database: ReadLanes,
  search: Terms,
  bounds: Bounds,
  range: Range,
  signal: AbortSignal,
): Promise<SearchState> => scan(database, search, bounds, async (state) => state, signal, range);

function scan<T>(
  { scans, lookups, lists }: ReadLanes,
  search: Terms,
  bounds: Bounds,
  use: UseState<T>,
  signal: AbortSignal,
  range?: Range,
): Promise<T> {
  return scans.snapshot(async (run) => {
    await run(lockCustomers[search.view], []);
    // A second process halves the wait on an idle machine, and slows everybody down on a busy one.
    const idle = lookups.recent + lists.recent <= busyRequestsPerSecond;
    // The planner would rather read the whole table than a third of it by the index.
    await run(planFor, [idle ? '1' : '0', range ? 'off' : 'on']);
    return use(await countBlocks(run, search, bounds, range), run);
  }, signal);
}

const mostPlaces = ({ customers }: Bounds): number =>
  Math.max(placeMapThreshold.matches, Math.round(placeMapThreshold.share * customers));

async function isWorthTryingPlaces(lane: Lane, search: Terms, most: number, signal: AbortSignal) {
  if (search.count === 0) return false;
  return (await estimate(lane, search, signal)) <= estimateTolerance * most;
}

/** Until the end of the transaction. */
const planFor: Statement = {
  name: 'plan-for',
  text: `select set_config('max_parallel_workers_per_gather', $1, true),
    set_config('enable_seqscan', $2, true)`,
};

/** The planner's estimate, which also knows the size of a table that was never analysed. */
export async function estimate(
  lane: Pick<Lane, 'query'>,
  { view, count, patterns }: Terms,
  signal?: AbortSignal,
): Promise<number> {
  const [row] = await lane.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
    estimateStatement(count, view),
    patterns,
    signal,
  );
  return row!['QUERY PLAN'][0].Plan['Plan Rows'];
}

const estimateStatement = perTermCount((terms: number, view: View): Statement => {
  return {
    name: `estimate-${terms}`,
    text: `explain (format json)
      select from only public.customers as m where ${matchCondition('m', terms, 1, textColumns[view].now)}`,
  };
});

/** Undefined when there are more than `most` matches: the estimate was wrong. */
async function countPlaces(run: RunStatement, { view, count, patterns }: Terms, most: number) {
  const values = [most + 1, ...patterns];
  const [row] = await run<Moment & { places: Buffer | null }>(placesStatement(count, view), values);
  const bytes = row!.places ?? Buffer.alloc(0);
  const places = new Float64Array(bytes.length / 8);
  for (let i = 0; i < places.length; i += 1) places[i] = bytes.readDoubleBE(8 * i);
  return places.length > most ? undefined : countedState(row!, new PlaceMap(places));
}

function countedState(moment: Moment, map: PlaceMap | BlockMap): SearchState {
  // Every count would be outdated by the next write, and nobody would know.
  if (moment.identity === null) throw new UnloggedWritesError();
  return newState(moment, map);
}

/** The place of every match, newest first, as the bytes of float8; at most $1 of them. */
const placesStatement = perTermCount((terms: number, view: View): Statement => {
  const match = matchCondition('m', terms, 2, textColumns[view].now);
  return {
    name: `places-${terms}`,
    text: `
      with ${here(view)}
      select ${momentColumns()}, (
        select string_agg(float8send(p.place), '' order by p.place desc)
        from (
          select m.place from only public.customers as m where ${match} limit $1
        ) as p
      ) as places
      from here`,
  };
});

/** In a range only, if one is given. */
async function countBlocks(
  run: RunStatement,
  { view, count, patterns }: Terms,
  { places }: Bounds,
  range?: Range,
) {
  const statement = blocksStatement(count, view, range ? 'range' : 'all');
  const values = [[...places], ...(range ? [range.from, range.to] : []), ...patterns];
  const [row] = await run<Moment & { blocks: Buffer | null }>(statement, values);
  const bytes = row!.blocks ?? Buffer.alloc(0);
  const counts = new Int32Array(places.length + 1);
  for (let at = 0; at < bytes.length; at += 8) {
    counts[bytes.readInt32BE(at)] = bytes.readInt32BE(at + 4);
  }
  return countedState(row!, new BlockMap(places, counts));
}

type Part = 'all' | 'range';

/** How many matches are in each block between the bounds $1: pairs of int4, as bytes. $2 and $3: the range. */
const blocksStatement = perTermCount((terms: number, view: View, of: Part): Statement => {
  const column = textColumns[view].now;
  const match =
    of === 'all'
      ? matchCondition('m', terms, 2, column)
      : `m.place >= $2::float8 and m.place < $3::float8 and ${matchCondition('m', terms, 4, column)}`;
  return {
    name: `blocks-${of}-${terms}`,
    text: `
      with ${here(view)}
      select ${momentColumns()}, (
        select string_agg(int4send(b.block) || int4send(b.matches), '')
        from (
          select width_bucket(m.place, $1::float8[]) as block, count(*)::int as matches
          from only public.customers as m
          where ${match}
          group by 1
        ) as b
      ) as blocks
      from here`,
  };
});
