/** The list: any page of any search, and the exact total, from one snapshot. */
import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../db/database.ts';
import type { RunStatement } from '../db/lane.ts';
import type { ListQuery } from './list-query.ts';
import { CustomerLookup } from './lookup.ts';
import { few } from './maps/count.ts';
import { MapKeeper } from './maps/map-keeper.ts';
import type { Start } from './maps/page-map.ts';
import { catchUp, type Moment, type SearchState } from './maps/search-state.ts';
import { pageStatement } from './maps/sql.ts';
import { commonSearches } from './maps/warm-up.ts';
import { PageCache, type KnownPage } from './page-cache.ts';
import { Rides } from './shared-work.ts';
import { everyone, SearchReader, type Terms } from './search.ts';

/** How often a page is asked for again because somebody wrote meanwhile, before time is made to stop. */
const hopefulTries = 4;

interface Page {
  /** The inside of a JSON array of customers. */
  customers: string;
  total: number;
  /** A name for all that was seen; null where there is none. */
  snapshot: string | null;
}

export class CustomerList {
  readonly #database: Database;
  readonly #searches: SearchReader;
  readonly #maps: MapKeeper;
  readonly #lookup: CustomerLookup;
  readonly #rides = new Rides<Buffer>();
  readonly #known = new PageCache();

  constructor(database: Database, mapBytes: number) {
    this.#database = database;
    this.#lookup = new CustomerLookup(database.lookups);
    this.#searches = new SearchReader(database.searches);
    this.#maps = new MapKeeper(database, mapBytes);
  }

  get held(): { searches: number; bytes: number } {
    return this.#maps.held;
  }

  /** Until the signal: counts what is slow to count before anybody asks, and keeps blocks even. */
  async upkeep(warmUp: boolean, signal: AbortSignal): Promise<void> {
    let warm = !warmUp;
    while (!signal.aborted) {
      try {
        if (warm) await this.#maps.recutIfUneven(signal);
        else await this.#warmUp(signal);
        warm = true;
      } catch {
        // The database is away or busy, which requests tell better: try later.
      }
      await pause(warm ? 60_000 : 2_000, signal);
      this.#known.clear();
    }
  }

  async #warmUp(signal: AbortSignal): Promise<void> {
    await this.#maps.recall(everyone, signal);
    const { customers } = await this.#maps.bounds();
    // Reading a small table is quick enough for whoever asks.
    if (customers < few.matches / few.share) return;
    const { searches } = this.#database;
    for (const text of await commonSearches(searches, customers, few.share, signal)) {
      const search = await this.#searches.read(text, signal);
      if (search.kind !== 'terms') continue;
      while (!(await this.#maps.prepare(search, signal))) await pause(1_000, signal);
    }
  }

  /** The body of the answer, in the bytes that all who asked at the same time are sent. */
  page(query: ListQuery, signal: AbortSignal): Promise<Buffer> {
    const { page, perPage, search } = query;
    const same = `${page} ${perPage} ${search}`;
    return this.#rides.join(same, signal, (wanted) => this.#answer(query, wanted));
  }

  async #answer(query: ListQuery, signal: AbortSignal): Promise<Buffer> {
    const { page, perPage } = query;
    const search = await this.#searches.read(query.search, signal);
    if (search.kind === 'customer') {
      const customer = await this.#lookup.find(search.uuid, signal);
      return write(query, page === 1 ? (customer ?? '') : '', customer ? 1 : 0);
    }
    const key = `${page} ${perPage} ${search.key}`;
    const known = this.#known.get(key);
    const { customers, total, snapshot } = await this.#matching(search, query, known, signal);
    if (known && snapshot === known.snapshot) return known.body;
    const body = write(query, customers, total);
    if (snapshot !== null) this.#known.set(key, { snapshot, body });
    return body;
  }

  /**
   * Finds the page by what is remembered of the search, and asks in the same statement for what was
   * written since. Where that moves the page, the next try knows it.
   */
  async #matching(
    search: Terms,
    query: ListQuery,
    known: KnownPage | undefined,
    signal: AbortSignal,
  ): Promise<Page> {
    const { lists } = this.#database;
    const run: RunStatement = (statement, values) => lists.query(statement, values, signal);
    for (let tries = 0; ; tries += 1) {
      const state = await this.#maps.recall(search, signal);
      const page =
        tries < hopefulTries
          ? (await this.#attempt(run, search, state, query, known)).page
          : await lists.snapshot((still) => this.#within(still, search, state, query), signal);
      if (page) return page;
    }
  }

  /** In one snapshot the second look sees what the first saw. Undefined when a count has to be made. */
  async #within(run: RunStatement, search: Terms, state: SearchState, query: ListQuery) {
    const first = await this.#attempt(run, search, state, query);
    if (first.page || !first.caughtUp) return first.page;
    return (await this.#attempt(run, search, first.caughtUp, query)).page;
  }

  /** For tests: a page as a snapshot of the caller's sees it. */
  async pageWithin(run: RunStatement, query: ListQuery, signal: AbortSignal) {
    const search = await this.#searches.read(query.search, signal);
    if (search.kind === 'customer') throw new Error('an identifier needs no map');
    const state = await this.#maps.recall(search, signal);
    return this.#within(run, search, state, query);
  }

  async #attempt(
    run: RunStatement,
    { key, count, patterns }: Terms,
    state: SearchState,
    { page, perPage }: ListQuery,
    known?: KnownPage,
  ): Promise<{ page?: Page; caughtUp?: SearchState }> {
    const startIn = ({ current }: SearchState): Start =>
      current.start((page - 1) * perPage, perPage) ?? nowhere;
    const start = startIn(state);
    const [statement, at] =
      'below' in start
        ? [pageStatement(count, 'below'), start.below]
        : [pageStatement(count, 'places'), start.places];
    const values = [state.since, perPage, start.skip, at, known?.snapshot ?? null, ...patterns];
    const [row] = await run<Moment & { page: string | null; snapshot: string | null }>(
      statement,
      values,
    );
    const now = catchUp(state, row!);
    if (!now) {
      this.#maps.lose(key, state);
      return {};
    }
    if (now !== state) this.#maps.remember(key, now);
    // Written meanwhile, but nothing that moves the page.
    const found = now.current === state.current || isDeepStrictEqual(startIn(now), start);
    if (!found) return { caughtUp: now };
    const { snapshot, page: customers } = row!;
    return { page: { customers: customers ?? '', total: now.current.total, snapshot } };
  }
}

function write({ page, perPage }: ListQuery, customers: string, total: number): Buffer {
  const pagination = JSON.stringify({ page, per_page: perPage, total });
  return Buffer.from(`{"data":[${customers}],"pagination":${pagination}}`);
}

/** Where a page past the end starts. */
const nowhere: Start = { below: -Infinity, skip: 0 };

/** Ends early with the signal, and keeps no process alive. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms).unref();
    signal.addEventListener('abort', end, { once: true });
  });
