/** The map of a search in a range of the list, cut out of the map of the same search in the whole list. */
import { type Lane, type Terms, withoutRange } from '@clientele/directory';
import { renew } from '../state/adopt.ts';
import { customersIn, type Bounds } from '../shape/bounds.ts';
import { countEdge } from './count-map.ts';
import type { PageMap } from '../shape/page-map.ts';
import { lockCustomers, type FoundState, type SearchState } from '../state/search-state.ts';

/** How often a map is tried to be cut before the range is counted. */
const mostAttempts = 3;
/** So many customers are counted at once, whatever is searched for. */
const fewCustomers = 20_000;

/** Where the maps of whole lists are. */
interface WholeMaps {
  bounds(): Promise<Bounds>;
  peek(search: Terms): SearchState | undefined;
  find(search: Terms, signal: AbortSignal): Promise<FoundState>;
  set(search: Terms, state: SearchState): void;
  strand(search: Terms, state: SearchState): void;
}

/** Undefined if it cannot be done, or if the whole list would have to be counted for a few customers. */
export async function slice(
  cache: WholeMaps,
  lists: Lane,
  search: Terms,
  signal: AbortSignal,
): Promise<FoundState | undefined> {
  const whole = withoutRange(search);
  if (!cache.peek(whole) && customersIn(await cache.bounds(), search.range!) <= fewCustomers) {
    return undefined;
  }
  for (let attempts = 0; attempts < mostAttempts; attempts += 1) {
    const { state, source } = await cache.find(whole, signal);
    const cut = await sliceNow(lists, search, state, signal);
    if (cut) {
      if (cache.peek(whole) === state) cache.set(whole, cut.whole);
      return { state: cut.part, source };
    }
    // The next attempt adopts it, or counts again.
    cache.strand(whole, state);
  }
  return undefined;
}

/** Both as of now, in one snapshot. Undefined if the state cannot be brought there. */
function sliceNow(
  lists: Lane,
  search: Terms,
  state: SearchState,
  signal: AbortSignal,
): Promise<{ whole: SearchState; part: SearchState } | undefined> {
  const range = search.range!;
  return lists.snapshot(async (run) => {
    await run(lockCustomers[search.view], []);
    const whole = await renew(run, withoutRange(search), state);
    if (!whole) return undefined;
    const edges: PageMap[] = [];
    for (const edge of whole.current.edges(range)) edges.push(await countEdge(run, search, edge));
    return { whole, part: { ...whole, current: whole.current.slice(range, edges) } };
  }, signal);
}
