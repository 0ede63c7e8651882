/** The only file here that others import: finds any page of any search, with its exact total, in one snapshot. */
import { isDeepStrictEqual } from 'node:util';
import {
  DatabaseMismatchError,
  OrderOffError,
  type ReadLanes,
  type RunStatement,
  type Terms,
  type TimelineOptions,
  type View,
} from '@clientele/directory';
import { listBody, nobody, type PageRange, type RowsFirst } from '../responses/list-body.ts';
import type { Held, MapTally, Source } from '../responses/tally.ts';
import { readPage, type Answer, type FoundPage, type ReadPage } from './find-page.ts';
import { KnownPages } from './known-pages.ts';
import { MapCache } from './map-cache.ts';
import { OneDatabase } from './one-database.ts';
import { AuditedAge, SnapshotAge, type PageAge } from './page-age.ts';
import { MapMismatchError, startOf } from './shape/page-map.ts';
import { findRowsFirst } from './rows-first.ts';
import {
  advance,
  isUsable,
  lockCustomers,
  placeOf,
  seesAll,
  type Moment,
  type SearchState,
} from './state/search-state.ts';
import { SharedMaps } from './count/shared-maps.ts';
import { timelineOfInstants, type Timeline } from './timeline.ts';
import { Timelines } from './timelines.ts';
import { catchUp, keepMapsReady, type UpkeepOptions } from './upkeep.ts';

/** How often a page is read again because a write moved it, before it is read within one snapshot. */
const optimisticAttempts = 2;
/** How often a count may be outdated at once before the page is read in the snapshot of the next count. */
const mostOutdated = 2;

/** `moved`: by a write, and the state knows it now. `older`: the snapshot is older than the state. */
type Attempt =
  | { page: FoundPage }
  | { moved: SearchState }
  | { older: true }
  /** The log cannot bring the state up to date, or only by adopting it; `here`: where the page was read. */
  | { outdated: true; here: Moment };

export interface PageMapsOptions {
  view?: View;
  /** The maps of another node of the same cluster: each search is counted once for both. */
  beside?: PageMaps | undefined;
  tally?: MapTally;
  /** Whether every read is followed by a commit of the audit. */
  audited?: boolean;
}

export class PageMaps {
  readonly database: ReadLanes;
  readonly view: View;
  readonly cache: MapCache;
  readonly timelines: Timelines;
  readonly #shared: SharedMaps;
  readonly #pages: KnownPages;
  readonly #age: PageAge;
  readonly #one: OneDatabase;
  /** Whether the latest statement found nothing new in the log: for lists newest first, and in another order. */
  readonly #quiet = { unsorted: true, sorted: true };

  constructor(database: ReadLanes, maxBytes: number, options: PageMapsOptions = {}) {
    const { view = 'full', beside, tally, audited = false } = options;
    const { lists } = database;
    this.database = database;
    this.view = view;
    this.#shared = beside ? beside.#shared : new SharedMaps(tally);
    this.#age = audited ? new AuditedAge(lists, view) : new SnapshotAge(lists, view);
    this.#one = new OneDatabase(database, view);
    this.#pages = new KnownPages(maxBytes);
    this.cache = new MapCache(database, maxBytes - this.#pages.maxBytes, this.#shared);
    this.timelines = new Timelines(lists, this.cache);
  }

  set maxBytes(bytes: number) {
    this.#pages.shareOf(bytes);
    this.cache.maxBytes = bytes - this.#pages.maxBytes;
  }

  get held(): Held {
    return this.cache.held;
  }

  /** Whether the connections have just been found to reach different databases. */
  get mismatched(): boolean {
    return this.#one.mismatched;
  }

  async findPage(search: Terms, range: PageRange, signal: AbortSignal): Promise<Answer> {
    const known = this.#pages.get(search, range, (point) => this.#age.mayBeNow(point));
    if (known && (await this.#age.isNow(known.point, signal))) {
      return { ...known.page, source: 'cached_page' };
    }
    return this.#readPage(search, range, signal);
  }

  /** The same in two pieces where the search has to be counted first, and that takes longer than reading the rows. */
  findRowsFirst(search: Terms, range: PageRange, signal: AbortSignal): Promise<Answer | RowsFirst> {
    return findRowsFirst(this, search, range, signal);
  }

  /** When the customers of a search joined. */
  timeline(search: Terms, options: TimelineOptions, signal: AbortSignal): Promise<Timeline> {
    return this.timelines.find(search, options, signal);
  }

  /** The same of customers who were created at these instants. */
  timelineOfInstants(instants: number[], options: TimelineOptions): Timeline {
    return timelineOfInstants(instants, options);
  }

  /** Whether the search was counted, so that it can be counted again in a moment. */
  isCounted(search: Terms): boolean {
    return this.cache.peek(search) !== undefined;
  }

  /** Keeps the maps ready until the signal fires. */
  upkeep(options: UpkeepOptions): Promise<void> {
    return keepMapsReady(this, options);
  }

  /** Brings the maps past all entries of the log. */
  catchUp(signal: AbortSignal): Promise<void> {
    return catchUp(this, signal);
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
      if (placeOf(result.here) !== placeOf(state)) await this.#one.expect(signal);
      outdated += 1;
      source = undefined;
      if (outdated >= mostOutdated) return this.#countAndFind(search, range, signal);
    }
  }

  /** Everything in one snapshot: what bulk changes cost while they outdate every count. */
  #countAndFind(search: Terms, range: PageRange, signal: AbortSignal): Promise<Answer> {
    const find = async (state: SearchState, run: RunStatement): Promise<Answer> => {
      const result = await this.#attempt(run, search, state, range);
      if (!('page' in result)) throw new DatabaseMismatchError();
      return { ...result.page, source: 'cold_count' };
    };
    return this.cache.countWithin(search, find, signal);
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
    const start = startOf(state.current, search, range);
    const begun = this.#age.begin();
    const log = search.order ? 'sorted' : 'unsorted';
    const read = await readPage(run, {
      search,
      state,
      start,
      limit: range.limit,
      quiet: this.#quiet[log],
    });
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
        ? now !== state && !isDeepStrictEqual(startOf(now.current, search, range), start)
        : read.before > start.skip;
    if (moved) return { moved: now };
    const total = state.current.only(search.flags).total + read.total;
    const body = listBody(range, read.customers ?? '', total, this.view);
    const page = { body, total, shown: read.shown ?? nobody };
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
