/** The timelines of the searches of one database, each with the exact total of its snapshot. */
import type { Lane, RunStatement } from '../../db/lane.ts';
import { LruMap } from '../../lru-map.ts';
import { filtersKey } from '../filters.ts';
import type { Terms } from '../search.ts';
import { renew } from './adopt.ts';
import type { MapCache } from './map-cache.ts';
import type { PageMap } from './page-map.ts';
import { lockCustomers, type SearchState } from './search-state.ts';
import { timelineOf, type Timeline, type TimelineOptions } from './timeline.ts';

/** How often a map is brought up to date before it is counted within the snapshot of the timeline. */
const mostAttempts = 3;
/** How many timelines are kept. */
const mostKnown = 100;

/** As long as a map stays the same, so do the places of its matches, and its timeline. */
interface Known {
  map: WeakRef<PageMap>;
  timeline: Timeline;
}

export class Timelines {
  readonly #lists: Lane;
  readonly #cache: MapCache;
  readonly #known = new LruMap<string, Known>(mostKnown);

  constructor(lists: Lane, cache: MapCache) {
    this.#lists = lists;
    this.#cache = cache;
  }

  async find(search: Terms, options: TimelineOptions, signal: AbortSignal): Promise<Timeline> {
    const query: RunStatement = (statement, values) => this.#lists.query(statement, values, signal);
    for (let attempts = 0; attempts < mostAttempts; attempts += 1) {
      const { state } = await this.#cache.find(search, signal);
      const known =
        this.#peek(search, options, state) && (await this.#renewed(query, search, state));
      const timeline = known && this.#peek(search, options, known);
      if (timeline) return timeline;
      const found = await this.#lists.snapshot(async (run) => {
        await run(lockCustomers[search.view], []);
        return this.findWithin(run, search, options, known ?? state);
      }, signal);
      if (found) return found;
      // The next attempt adopts it, or counts again.
      this.#cache.strand(search, this.#cache.peek(search) ?? state);
    }
    return this.#cache.countWithin(
      search,
      (state, run) => timelineOf(run, search, state.current.only(search.flags), options),
      signal,
    );
  }

  /** Few matches, in a short period, may be one person. */
  forget(): void {
    this.#known.clear();
  }

  /** In the caller's own snapshot. Undefined when the map cannot be brought to it. */
  async findWithin(
    run: RunStatement,
    search: Terms,
    options: TimelineOptions,
    state: SearchState,
  ): Promise<Timeline | undefined> {
    const now = await this.#renewed(run, search, state);
    if (!now) return undefined;
    const known = this.#peek(search, options, now);
    if (known) return known;
    const timeline = await timelineOf(run, search, now.current.only(search.flags), options);
    const map = new WeakRef(now.current);
    this.#known.set(keyOf(search, options), { map, timeline });
    return timeline;
  }

  async #renewed(run: RunStatement, search: Terms, state: SearchState) {
    const now = await renew(run, search, state);
    if (now && this.#cache.peek(search) === state) this.#cache.set(search, now);
    return now;
  }

  #peek(search: Terms, options: TimelineOptions, { current }: SearchState): Timeline | undefined {
    const known = this.#known.get(keyOf(search, options));
    return known?.map.deref() === current ? known.timeline : undefined;
  }
}

const keyOf = ({ key, flags }: Terms, { buckets, exact }: TimelineOptions): string =>
  `${buckets} ${exact} ${filtersKey(flags)} ${key}`;
