/** Counts a search: where its matches are in the list, in one snapshot. */
import type { Database } from '../../db/database.ts';
import { UnloggedWritesError } from '../../db/errors.ts';
import type { Lane, RunStatement, Statement } from '../../db/lane.ts';
import { matchCondition, perTermCount } from '../match-condition.ts';
import { everyone, type Terms } from '../search.ts';
import { BlockMap, PlaceMap } from './page-map.ts';
import {
  here,
  lockCustomers,
  momentColumns,
  newState,
  type Moment,
  type SearchState,
} from './search-state.ts';

/** The places that cut the list into blocks of about equal size. */
export interface Bounds {
  places: Float64Array;
  customers: number;
}

/** Customers per block. More blocks make pages faster to reach and maps larger. */
const blockSize = 256;
const blockCount = { min: 8_192, max: 131_072 };
/** Customers sampled for each bound. */
const sampledPerBound = 18;

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

export async function chooseBounds(lane: Lane): Promise<Bounds> {
  const customers = await estimate(lane, everyone);
  const wanted = Math.max(blockCount.min, customers / blockSize);
  const count = Math.round(Math.min(blockCount.max, wanted));
  const percent = Math.min(100, (100 * sampledPerBound * count) / Math.max(1, customers));
  const [row] = await lane.query<{ bounds: number[] }>(boundsStatement, [percent, count - 1]);
  return { places: Float64Array.from(row!.bounds), customers };
}

/** $2 places that cut a sample of $1 per cent of the list into equal parts, ascending. */
const boundsStatement: Statement = {
  name: 'bounds',
  text: `
    select array(
      select distinct unnest(percentile_disc(
        array(select i / ($2::float8 + 1) from generate_series(1, $2::int) as i)
      ) within group (order by s.place)) as bound
      from only public.customers as s tablesample system ($1::float8)
      order by bound
    ) as bounds`,
};

export interface CountOptions {
  signal: AbortSignal;
  beforeScan?: () => void;
}

/**
 * Few matches are read by the trigram index, with the place of each; many are counted per block. Where the
 * planner's estimate is uncertain, places are tried first and given up after twice the threshold.
 */
export async function countSearch(
  database: Database,
  search: Terms,
  bounds: Bounds,
  { signal, beforeScan }: CountOptions,
): Promise<SearchState> {
  const { searches } = database;
  const most = mostPlaces(bounds);
  if (await isWorthTryingPlaces(searches, search, most, signal)) {
    // PostgreSQL locks the table before it takes the snapshot of a single statement.
    const run: RunStatement = (statement, values) => searches.query(statement, values, signal);
    const state = await countPlaces(run, search, 2 * most);
    if (state) return state;
  }
  beforeScan?.();
  return scan(database, search, bounds, async (state) => state, signal);
}

/** Counts, and uses the state within the snapshot that it was counted in. */
export async function countWithin<T>(
  database: Database,
  search: Terms,
  bounds: Bounds,
  use: UseState<T>,
  signal: AbortSignal,
): Promise<T> {
  const { searches } = database;
  const most = mostPlaces(bounds);
  if (await isWorthTryingPlaces(searches, search, most, signal)) {
    const counted = await searches.snapshot(async (run) => {
      await run(lockCustomers, []);
      const state = await countPlaces(run, search, 2 * most);
      return state && { used: await use(state, run) };
    }, signal);
    if (counted) return counted.used;
  }
  return scan(database, search, bounds, use, signal);
}

type UseState<T> = (state: SearchState, run: RunStatement) => Promise<T>;

function scan<T>(
  { scans, lookups, lists }: Database,
  search: Terms,
  bounds: Bounds,
  use: UseState<T>,
  signal: AbortSignal,
): Promise<T> {
  return scans.snapshot(async (run) => {
    await run(lockCustomers, []);
    // A second process halves the wait on an idle machine, and slows everybody down on a busy one.
    const idle = lookups.recent + lists.recent <= busyRequestsPerSecond;
    await run(setWorkers, [idle ? '1' : '0']);
    return use(await countBlocks(run, search, bounds), run);
  }, signal);
}

const mostPlaces = ({ customers }: Bounds): number =>
  Math.max(placeMapThreshold.matches, Math.round(placeMapThreshold.share * customers));

async function isWorthTryingPlaces(lane: Lane, search: Terms, most: number, signal: AbortSignal) {
  if (search.count === 0) return false;
  return (await estimate(lane, search, signal)) <= estimateTolerance * most;
}

/** Until the end of the transaction. */
const setWorkers: Statement = {
  name: 'workers',
  text: `select set_config('max_parallel_workers_per_gather', $1, true)`,
};

/** The planner's estimate, which also knows the size of a table that was never analysed. */
async function estimate(
  lane: Lane,
  { count, patterns }: Terms,
  signal?: AbortSignal,
): Promise<number> {
  const [row] = await lane.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
    estimateStatement(count),
    patterns,
    signal,
  );
  return row!['QUERY PLAN'][0].Plan['Plan Rows'];
}

const estimateStatement = perTermCount((terms: number): Statement => {
  return {
    name: `estimate-${terms}`,
    text: `explain (format json)
      select from only public.customers as m where ${matchCondition('m', terms, 1)}`,
  };
});

/** Undefined when there are more than `most` matches: the estimate was wrong. */
async function countPlaces(run: RunStatement, { count, patterns }: Terms, most: number) {
  const values = [most + 1, ...patterns];
  const [row] = await run<Moment & { places: Buffer | null }>(placesStatement(count), values);
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
const placesStatement = perTermCount((terms: number): Statement => {
  return {
    name: `places-${terms}`,
    text: `
      with ${here}
      select ${momentColumns()}, (
        select string_agg(float8send(p.place), '' order by p.place desc)
        from (
          select m.place from only public.customers as m where ${matchCondition('m', terms, 2)} limit $1
        ) as p
      ) as places
      from here`,
  };
});

async function countBlocks(run: RunStatement, { count, patterns }: Terms, { places }: Bounds) {
  const values = [[...places], ...patterns];
  const [row] = await run<Moment & { blocks: Buffer | null }>(blocksStatement(count), values);
  const bytes = row!.blocks ?? Buffer.alloc(0);
  const counts = new Int32Array(places.length + 1);
  for (let at = 0; at < bytes.length; at += 8) {
    counts[bytes.readInt32BE(at)] = bytes.readInt32BE(at + 4);
  }
  return countedState(row!, new BlockMap(places, counts));
}

/** How many matches are in each block between the bounds $1: pairs of int4, as bytes. */
const blocksStatement = perTermCount((terms: number): Statement => {
  return {
    name: `blocks-${terms}`,
    text: `
      with ${here}
      select ${momentColumns()}, (
        select string_agg(int4send(b.block) || int4send(b.matches), '')
        from (
          select width_bucket(m.place, $1::float8[]) as block, count(*)::int as matches
          from only public.customers as m
          where ${matchCondition('m', terms, 2)}
          group by 1
        ) as b
      ) as blocks
      from here`,
  };
});
