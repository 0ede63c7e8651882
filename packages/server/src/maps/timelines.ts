/** The timelines of the searches of one database, each with the exact total of its snapshot. */
import {
  filtersKey,
  type Lane,
  LruMap,
  type RunStatement,
  type Terms,
  type TimelineOptions,
} from '@clientele/directory';
import { renew, renewWithEnds } from './state/adopt.ts';
import { endBlocks } from './shape/ends.ts';
import type { MapCache } from './map-cache.ts';
import type { PageMap } from './shape/page-map.ts';
import { lockCustomers, type SearchState } from './state/search-state.ts';
import { hasBlocks, isCounted, timelineFrom, timelineOf, type Timeline } from './timeline.ts';

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
      const found =
        (await this.findAtOnce(query, search, options, state)) ??
        (await this.#lists.snapshot(async (run) => {
          await run(lockCustomers[search.view], []);
          return this.countWithin(run, search, options, this.#cache.peek(search) ?? state);
        }, signal));
      if (found) return found;
      // The next attempt adopts it, or counts again.
      this.#cache.strand(search, this.#cache.peek(search) ?? state);
    }
    return this.#cache.countWithin(
      search,
      (state, run) => timelineOf(run, search, listed(search, state), options),
      signal,
    );
  }

  /** Few matches, in a short period, may be one person. */
  forget(): void {
    this.#known.clear();
  }

  /**
   * By the statement that brings the map up to date, or by a second one if a write has changed a known timeline.
   * Undefined when that is not enough.
   */
  async findAtOnce(
    run: RunStatement,
    search: Terms,
    options: TimelineOptions,
    state: SearchState,
  ): Promise<Timeline | undefined> {
    const wasKnown = this.#peek(search, options, state) !== undefined;
    const map = listed(search, state);
    if (!wasKnown && isCounted(map, options)) return undefined;
    const read =
      !wasKnown && hasBlocks(map)
        ? await renewWithEnds(run, search, state, endBlocks(map))
        : { now: await renew(run, search, state), ends: undefined };
    const now = this.#keep(search, state, read?.now);
    if (!now) return undefined;
    const known = this.#peek(search, options, now);
    if (known) return known;
    const timeline = timelineFrom(listed(search, now), options, read?.ends);
    if (timeline) return this.#remember(search, options, now, timeline);
    return wasKnown ? this.findAtOnce(run, search, options, now) : undefined;
  }

  /** In the caller's own snapshot. Undefined when the map cannot be brought to it. */
  async countWithin(
    run: RunStatement,
    search: Terms,
    options: TimelineOptions,
    state: SearchState,
  ): Promise<Timeline | undefined> {
    const now = this.#keep(search, state, await renew(run, search, state));
    if (!now) return undefined;
    const known = this.#peek(search, options, now);
    if (known) return known;
    const timeline = await timelineOf(run, search, listed(search, now), options);
    return this.#remember(search, options, now, timeline);
  }

  #keep(search: Terms, state: SearchState, now: SearchState | undefined): SearchState | undefined {
    if (now && this.#cache.peek(search) === state) this.#cache.set(search, now);
    return now;
  }

  #remember(
    search: Terms,
    options: TimelineOptions,
    { current }: SearchState,
    timeline: Timeline,
  ): Timeline {
    this.#known.set(keyOf(search, options), { map: new WeakRef(current), timeline });
    return timeline;
  }

  #peek(search: Terms, options: TimelineOptions, { current }: SearchState): Timeline | undefined {
    const known = this.#known.get(keyOf(search, options));
    return known?.map.deref() === current ? known.timeline : undefined;
  }
}

const listed = ({ flags }: Terms, { current }: SearchState): PageMap => current.only(flags);

const keyOf = ({ key, flags }: Terms, { buckets, exact, few }: TimelineOptions): string =>
  `${buckets} ${exact} ${few ?? ''} ${filtersKey(flags)} ${key}`;
