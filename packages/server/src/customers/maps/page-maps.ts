/**
 * The door to the page maps of one database: finds any page of any search with its exact total, in one
 * snapshot. Upkeep, which requests do not wait for, has a door of its own: ./upkeep.ts.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../db/database.ts';
import type { RunStatement } from '../../db/lane.ts';
import { LruMap } from '../../lru-map.ts';
import type { Terms } from '../search.ts';
import { readPage, type PageRange } from './find-page.ts';
import { MapCache } from './map-cache.ts';
import type { Start } from './page-map.ts';
import { catchUp, type SearchState } from './search-state.ts';

/** How often a page is read again because a write moved it, before it is read within one snapshot. */
const optimisticAttempts = 4;
/** What a directory without writes gains: docs/decisions/page-maps.md. */
const pageCacheBytes = 4_000_000;

export interface FoundPage {
  /** The inside of a JSON array of customers. */
  customers: string;
  total: number;
}

interface KnownPage {
  /** PostgreSQL shows the same to every statement in this snapshot; any commit makes another one. */
  snapshot: string;
  page: FoundPage;
}

export class PageMaps {
  readonly database: Database;
  readonly cache: MapCache;
  readonly #pages = new LruMap<string, KnownPage>(
    pageCacheBytes,
    ({ page }) => 2 * page.customers.length,
  );

  constructor(database: Database, maxBytes: number) {
    this.database = database;
    this.cache = new MapCache(database, maxBytes);
  }

  /**
   * Finds the page by the cached map and reads, in the same statement, what was written since. If that
   * moves the page, the next attempt starts from the updated map.
   */
  async findPage(search: Terms, range: PageRange, signal: AbortSignal): Promise<FoundPage> {
    const { lists } = this.database;
    const run: RunStatement = (statement, values) => lists.query(statement, values, signal);
    for (let attempt = 1; ; attempt += 1) {
      const state = await this.cache.get(search, signal);
      const page =
        attempt <= optimisticAttempts
          ? (await this.#attempt(run, search, state, range)).page
          : await lists.snapshot((same) => this.#attemptTwice(same, search, state, range), signal);
      if (page) return page;
    }
  }

  /** Called by upkeep: erased customers must not stay in memory for want of requests. */
  forgetPages(): void {
    this.#pages.clear();
  }

  /** For tests: the page as the caller's own snapshot sees it. Undefined when it has to be counted. */
  async findPageWithin(
    run: RunStatement,
    search: Terms,
    range: PageRange,
    signal: AbortSignal,
  ): Promise<FoundPage | undefined> {
    return this.#attemptTwice(run, search, await this.cache.get(search, signal), range);
  }

  /** Within one snapshot, the second attempt sees what the first one saw, so it succeeds. */
  async #attemptTwice(run: RunStatement, search: Terms, state: SearchState, range: PageRange) {
    const first = await this.#attempt(run, search, state, range);
    if (first.page || !first.caughtUp) return first.page;
    return (await this.#attempt(run, search, first.caughtUp, range)).page;
  }

  async #attempt(
    run: RunStatement,
    search: Terms,
    state: SearchState,
    { offset, limit }: PageRange,
  ): Promise<{ page?: FoundPage; caughtUp?: SearchState }> {
    const startIn = ({ current }: SearchState): Start => current.start(offset, limit) ?? pastTheEnd;
    const start = startIn(state);
    const pageKey = `${offset} ${limit} ${search.key}`;
    const known = this.#pages.get(pageKey);
    const knownIn = known?.snapshot ?? null;
    const { customers, snapshot, ...moment } = await readPage(
      ...([run, search, state.since, limit, start, knownIn] as const),
    );
    const now = catchUp(state, moment);
    if (!now) {
      this.cache.drop(search.key, state);
      return {};
    }
    if (now !== state) this.cache.set(search.key, now);
    const moved = now.current !== state.current && !isDeepStrictEqual(startIn(now), start);
    if (moved) return { caughtUp: now };
    if (known && snapshot === known.snapshot) return { page: known.page };
    const page = { customers: customers ?? '', total: now.current.total };
    if (snapshot !== null) this.#pages.set(pageKey, { snapshot, page });
    return { page };
  }
}

const pastTheEnd: Start = { below: -Infinity, skip: 0 };
