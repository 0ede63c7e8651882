/**
 * The door to the page maps of one database: finds any page of any search with its exact total, in one
 * snapshot. Upkeep, which requests do not wait for, has a door of its own: ./upkeep.ts.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ReadLanes } from '../../db/database.ts';
import { DatabaseMismatchError, OrderOffError } from '../../db/errors.ts';
import type { RunStatement } from '../../db/lane.ts';
import type { Terms } from '../search.ts';
import type { View } from '../view.ts';
import {
  readPage,
  type Answer,
  type FoundPage,
  type PageRange,
  type ReadPage,
} from './find-page.ts';
import { KnownPages } from './known-pages.ts';
import { listBody } from './list-body.ts';
import { MapCache } from './map-cache.ts';
import { AuditedAge, SnapshotAge, type PageAge } from './page-age.ts';
import { MapMismatchError, type PageMap, type Start } from './page-map.ts';
import {
  advance,
  isUsable,
  lockCustomers,
  momentStatement,
  placeOf,
  seesAll,
  type Moment,
  type SearchState,
} from './search-state.ts';
import type { SharedMaps } from './shared-maps.ts';
import type { Held, Source } from './tally.ts';
import type { Timeline, TimelineOptions } from './timeline.ts';
import { Timelines } from './timelines.ts';

/** How often a page is read again because a write moved it, before it is read within one snapshot. */
const optimisticAttempts = 2;
/** How often a count may be outdated at once before the page is read in the snapshot of the next count. */
const mostOutdated = 2;
/** How long an instance is not ready after its connections reached different databases. */
const mismatchShownMs = 10_000;

/** `moved`: by a write, and the state knows it now. `older`: the snapshot is older than the state. */
type Attempt =
  | { page: FoundPage }
  | { moved: SearchState }
  | { older: true }
  /** The log cannot bring the state up to date, or only by adopting it; `here`: where the page was read. */
  | { outdated: true; here: Moment };

export class PageMaps {
  readonly database: ReadLanes;
  readonly view: View;
  readonly cache: MapCache;
  readonly timelines: Timelines;
  readonly #pages: KnownPages;
  readonly #age: PageAge;
  #mismatchedAt = -Infinity;
  /** Whether the latest statement found nothing new in the log: for lists newest first, and in another order. */
  readonly #quiet = { unsorted: true, sorted: true };

  constructor(database: ReadLanes, maxBytes: number, shared?: SharedMaps, view: View = 'full') {
    this.database = database;
    this.view = view;
    const { lists } = database;
    this.#age = shared?.audited ? new AuditedAge(lists, view) : new SnapshotAge(lists, view);
    this.#pages = new KnownPages(maxBytes);
    this.cache = new MapCache(database, maxBytes - this.#pages.maxBytes, shared);
    this.timelines = new Timelines(lists, this.cache);
  }

  set maxBytes(bytes: number) {
    this.#pages.shareOf(bytes);
    this.cache.maxBytes = bytes - this.#pages.maxBytes;
  }

  async findPage(search: Terms, range: PageRange, signal: AbortSignal): Promise<Answer> {
    const known = this.#pages.get(search, range, (point) => this.#age.mayBeNow(point));
    if (known && (await this.#age.isNow(known.point, signal))) {
      return { ...known.page, source: 'cached_page' };
    }
    return this.#readPage(search, range, signal);
  }

  /**
   * Finds the page by the cached map and reads, in the same statement, what was written since. If that
   * moves the page, the next attempt starts from the updated map.
   */
  async #readPage(search: Terms, range: PageRange, signal: AbortSignal): Promise<Answer> {
    const { lists } = this.database;
    const run: RunStatement = (statement, values) => lists.query(statement, values, signal);
    let outdated = 0;
    let source: Source | undefined;
    for (let attempts = 1; ; attempts += 1) {
      const { state, source: from } = await this.cache.find(search, signal);
      source ??= from;
      const result =
        attempts <= optimisticAttempts
          ? await this.#attempt(run, search, state, range)
          : await lists.snapshot(async (same) => {
              await same(lockCustomers[this.view], []);
              return this.attemptWithin(same, search, state, range);
            }, signal);
      if ('page' in result) return { ...result.page, source };
      if (!('outdated' in result)) continue;
      if (placeOf(result.here) !== placeOf(state)) await this.#expectOneDatabase(signal);
      outdated += 1;
      source = undefined;
      if (outdated >= mostOutdated) return this.#countAndFind(search, range, signal);
    }
  }

  /** Whether the connections have just been found to reach different databases. */
  get mismatched(): boolean {
    return performance.now() < this.#mismatchedAt + mismatchShownMs;
  }

  /** A restart or a rewritten table never comes back in later statements; of two databases, each does. */
  async #expectOneDatabase(signal: AbortSignal): Promise<void> {
    const { lists, searches } = this.database;
    const left = new Set<string>();
    let last: string | undefined;
    for (const lane of [lists, searches, lists, searches]) {
      const [moment] = await lane.query<Moment>(momentStatement[this.view], [], signal);
      const place = placeOf(moment!);
      if (left.has(place)) {
        this.#mismatchedAt = performance.now();
        throw new DatabaseMismatchError();
      }
      if (last !== undefined && last !== place) left.add(last);
      last = place;
    }
  }

  /** Everything in one snapshot: what bulk changes cost while they outdate every count. */
  #countAndFind(search: Terms, range: PageRange, signal: AbortSignal): Promise<Answer> {
    return this.cache.countWithin(
      search,
      async (state, run) => {
        const result = await this.#attempt(run, search, state, range);
        if (!('page' in result)) throw new DatabaseMismatchError();
        return { ...result.page, source: 'cold_count' };
      },
      signal,
    );
  }

  /** When the customers of a search joined. */
  timeline(search: Terms, options: TimelineOptions, signal: AbortSignal): Promise<Timeline> {
    return this.timelines.find(search, options, signal);
  }

  get held(): Held {
    return this.cache.held;
  }

  /** Whether a request for the search has to wait for a count that is not known to be outdated at once. */
  isCold(search: Terms): boolean {
    return this.cache.isCold(search);
  }

  /** Whether the search was counted, so that it can be counted again in a moment. */
  isCounted(search: Terms): boolean {
    return this.cache.peek(search) !== undefined;
  }

  /** Drops pages, and searches that may be about one person. */
  forget(): void {
    this.cache.forget();
    this.#pages.clear();
    this.timelines.forget();
  }

  /** Called by upkeep: erased customers must not stay in memory for want of requests. */
  forgetPages(): void {
    this.#pages.clear();
  }

  /** Within one snapshot, the second attempt sees what the first one saw, so nothing moves. */
  async attemptWithin(
    run: RunStatement,
    search: Terms,
    state: SearchState,
    range: PageRange,
  ): Promise<Attempt> {
    const first = await this.#attempt(run, search, state, range);
    return 'moved' in first ? this.#attempt(run, search, first.moved, range) : first;
  }

  async #attempt(
    run: RunStatement,
    search: Terms,
    state: SearchState,
    range: PageRange,
  ): Promise<Attempt> {
    const { offset, limit } = range;
    const listed = ({ current }: SearchState): PageMap => current.only(search.flags);
    const pastTheEnd = search.ascending ? pastTheGreatest : pastTheLeast;
    const startIn = (at: SearchState): Start =>
      listed(at).start(offset, limit, search.ascending) ?? pastTheEnd;
    const start = startIn(state);
    const begun = this.#age.begin();
    const log = search.order ? 'sorted' : 'unsorted';
    const read = await readPage(run, { search, state, start, limit, quiet: this.#quiet[log] });
    this.#quiet[log] = read.entries === 0;
    if (search.order && read.identity === null) {
      this.cache.drop(search, state);
      throw new OrderOffError();
    }
    if (!isUsable(state, read, read)) {
      if (state.run === read.run) this.cache.drop(search, state);
      else this.cache.strand(search, state);
      return { outdated: true, here: read };
    }
    if (!seesAll(state, read, read)) return { older: true };
    const now = this.#advanced(search, state, read);
    if (!now) return { outdated: true, here: read };
    const moved =
      'places' in start
        ? now !== state && !isDeepStrictEqual(startIn(now), start)
        : read.before > start.skip;
    if (moved) return { moved: now };
    const content = { customers: read.customers ?? '', total: listed(state).total + read.total };
    const page = { body: listBody(range, content, this.view), total: content.total };
    this.#pages.set(search, range, { point: this.#age.readAt(read.name, begun), page });
    return { page };
  }

  /** Undefined when the news do not fit the map, which then has to be counted again. */
  #advanced(search: Terms, state: SearchState, read: ReadPage): SearchState | undefined {
    if (read.added === null) return state;
    try {
      const now = advance(state, read, read);
      this.cache.set(search, now);
      return now;
    } catch (error) {
      // A write bypassed the log. Noticing it here is luck, so the only safe answer is a new count.
      if (!(error instanceof MapMismatchError)) throw error;
      this.cache.drop(search, state);
      return undefined;
    }
  }
}

const pastTheLeast: Start = { below: -Infinity, skip: 0 };
const pastTheGreatest: Start = { from: Infinity, skip: 0 };
