/** Counts a search: where its matches are in the list, in one snapshot. */
import {
  estimate,
  type Lane,
  QueryTimeoutError,
  type ReadLanes,
  type RunStatement,
  type Statement,
  type Terms,
  tracer,
} from '@clientele/directory';
import type { Bounds } from '../shape/bounds.ts';
import { countBlocks, countPlaces } from './count-map.ts';
import { lockCustomers, type SearchState } from '../state/search-state.ts';

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
}

/**
 * Few matches are read by the trigram index, with the place of each; many are counted per block. Where the
 * planner's estimate is uncertain, places are tried first and given up after twice the threshold.
 */
export async function countSearch(
  database: ReadLanes,
  search: Terms,
  bounds: Bounds,
  { signal, beforeScan }: CountOptions,
): Promise<SearchState> {
  const { searches } = database;
  const most = mostPlaces(bounds);
  const expected = await expectedPlaces(searches, search, signal);
  if (expected <= estimateTolerance * most) {
    trying('places');
    const places = (run: RunStatement) => countPlaces(run, search, 2 * most);
    // PostgreSQL locks the table before it takes the snapshot of a single statement.
    let state = await unlessTooSlow(
      places((statement, values) => searches.query(statement, values, signal)),
    );
    if (state === 'too slow') {
      beforeScan?.();
      // With more time. Pages of few matches are found faster by places than by blocks.
      state = expected <= most ? await scan(database, search, places, signal) : undefined;
    }
    if (state) return state;
  }
  beforeScan?.();
  trying('scan');
  return scan(database, search, (run) => countBlocks(run, search, bounds), signal);
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
  if ((await expectedPlaces(searches, search, signal)) <= estimateTolerance * most) {
    trying('places');
    const counting = searches.snapshot(async (run) => {
      await run(lockCustomers[search.view], []);
      const state = await countPlaces(run, search, 2 * most);
      return state && { used: await use(state, run) };
    }, signal);
    const counted = await unlessTooSlow(counting);
    if (counted && counted !== 'too slow') return counted.used;
  }
  trying('scan');
  const count = async (run: RunStatement) => use(await countBlocks(run, search, bounds), run);
  return scan(database, search, count, signal);
}

/** Statements of the lane for searches have a time limit. A search that exceeds it would never be answered. */
async function unlessTooSlow<T>(count: Promise<T>): Promise<T | 'too slow'> {
  try {
    return await count;
  } catch (error) {
    if (error instanceof QueryTimeoutError) return 'too slow';
    throw error;
  }
}

/** For traces: the last kind of count that was tried. */
function trying(kind: 'places' | 'scan'): void {
  tracer?.note({ 'clientele.count.kind': kind });
}

type UseState<T> = (state: SearchState, run: RunStatement) => Promise<T>;

/** Counts with as much time as it needs, and continues after the request for it has timed out. */
function scan<T>(
  { scans, lookups, lists, rows }: ReadLanes,
  search: Terms,
  count: (run: RunStatement) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  return scans.snapshot(async (run) => {
    await run(lockCustomers[search.view], []);
    // A second process halves the wait on an idle machine, and slows everybody down on a busy one.
    const idle = lookups.recent + lists.recent + rows.recent <= busyRequestsPerSecond;
    await run(workersFor, [idle ? '1' : '0']);
    return count(run);
  }, signal);
}

const mostPlaces = ({ customers }: Bounds): number =>
  Math.max(placeMapThreshold.matches, Math.round(placeMapThreshold.share * customers));

/** About how many places there are; infinitely many where places are never tried. */
async function expectedPlaces(lane: Lane, search: Terms, signal: AbortSignal): Promise<number> {
  // In a range, the matches are counted by the index of the list. In another order, few of them are not in few blocks.
  const never = search.order
    ? search.count === 0 && !search.range
    : search.count === 0 || search.range;
  return never ? Infinity : estimate(lane, search, signal);
}

/** Until the end of the transaction. */
const workersFor: Statement = {
  name: 'workers-for',
  text: `select set_config('max_parallel_workers_per_gather', $1, true)`,
};
