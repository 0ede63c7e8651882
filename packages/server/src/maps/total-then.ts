/** The total of a search in an earlier snapshot: that of a later one, without what the log says since. */
import {
  DatabaseMismatchError,
  type Lane,
  perShape,
  RowsOutdatedError,
  type RunStatement,
  type Statement,
  type Terms,
  valuesOf,
} from '@clientele/directory';
import { renew } from './state/adopt.ts';
import { here } from './state/here.ts';
import type { MapCache } from './map-cache.ts';
import { newsColumns, newsSince, type News } from './state/news.ts';
import {
  isUsable,
  lockCustomers,
  momentColumns,
  seesAll,
  type Moment,
  type Point,
  type SearchState,
} from './state/search-state.ts';

/** How often the search is counted again because the log could not bring its map up to date. */
const mostAttempts = 3;

/** Counted now if the map of the search is not cached. */
export async function totalThen(
  cache: MapCache,
  lists: Lane,
  search: Terms,
  then: Point,
  signal: AbortSignal,
): Promise<number> {
  for (let attempts = 0; attempts < mostAttempts; attempts += 1) {
    const { state } = await cache.find(search, signal);
    const found = await lists.snapshot((run) => subtract(run, search, state, then), signal);
    if (found) {
      if (cache.peek(search) === state) cache.set(search, found.now);
      return found.total;
    }
    // The next attempt adopts it, or counts again.
    cache.strand(search, state);
  }
  throw new DatabaseMismatchError();
}

/** Undefined if the state cannot be used. */
async function subtract(
  run: RunStatement,
  search: Terms,
  state: SearchState,
  then: Point,
): Promise<{ now: SearchState; total: number } | undefined> {
  await run(lockCustomers[search.view], []);
  const { xmax, xip } = then.snapshot;
  const values = [xmax, xip, then.seen, ...valuesOf(search)];
  const [since] = await run<Moment & News>(sinceStatement(search), values);
  if (!isUsable(then, since!, since!) || !seesAll(then, since!, since!)) {
    throw new RowsOutdatedError();
  }
  const now = await renew(run, search, state);
  return now && { now, total: now.current.only(search.flags).total - since!.total };
}

/** $1 to $3: the snapshot. */
const sinceStatement = perShape((search): Statement => ({
  name: `since-rows-${search.count}`,
  text: `
    with ${here(search)}, ${newsSince(search, 4, `>= '-infinity'`)}
    select ${momentColumns(search, 'false')}, ${newsColumns(search, 'false')}
    from here, delta as d`,
}));
