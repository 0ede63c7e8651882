/**
 * The page maps of one database, by search. A search is counted once at a time, however many requests
 * need it, and the count is cancelled when the last of them leaves. Memory is bounded: the least
 * recently used maps are evicted.
 */
import { timeouts } from '../../config.ts';
import type { Database } from '../../db/database.ts';
import { QueryTimeoutError } from '../../db/errors.ts';
import { LruMap } from '../../lru-map.ts';
import { everyone, type Terms } from '../search.ts';
import { SharedWork } from '../shared-work.ts';
import { chooseBounds, countSearch, type Bounds } from './count.ts';
import { BlockMap } from './page-map.ts';
import type { SearchState } from './search-state.ts';

/** An entry's memory in addition to its map. */
const entryBytes = 1_000;
/** The memory of a change that later snapshots may not see. */
const changeBytes = 64;
/** How many counts may continue at a time after every request for them has timed out. */
const mostOrphans = 2;

export class MapCache {
  readonly #database: Database;
  readonly #states: LruMap<string, SearchState>;
  /** Counts under way. */
  readonly #counts = new Map<string, SharedWork<SearchState>>();
  #orphans = 0;
  /** The count that was started ahead of any request. */
  #ahead: { key: string; yieldToRequests: AbortController } | undefined;
  #bounds: Promise<Bounds> | undefined;
  /** The bounds that new maps are counted by. */
  #currentBounds: Float64Array | undefined;

  constructor(database: Database, maxBytes: number) {
    this.#database = database;
    this.#states = new LruMap(maxBytes, bytesOf);
  }

  /** How many searches are cached, and the bytes of their maps. */
  get held(): { searches: number; bytes: number } {
    return { searches: this.#states.size, bytes: this.#states.used };
  }

  /** The state of a search; counted now if it is not cached. */
  get(search: Terms, signal: AbortSignal): Promise<SearchState> {
    const state = this.#states.get(search.key);
    if (state) return Promise.resolve(state);
    const count = this.#counting(search);
    signal.addEventListener('abort', () => this.#keepCounting(count, signal.reason), {
      once: true,
    });
    return count.join(signal);
  }

  /** Counts a search ahead of any request. False when it was interrupted in favour of a request. */
  async prepare(search: Terms, signal: AbortSignal): Promise<boolean> {
    const yieldToRequests = new AbortController();
    this.#ahead = { key: search.key, yieldToRequests };
    try {
      await this.get(search, AbortSignal.any([signal, yieldToRequests.signal]));
      return true;
    } catch (error) {
      if (yieldToRequests.signal.aborted) return false;
      throw error;
    } finally {
      this.#ahead = undefined;
    }
  }

  set(key: string, state: SearchState): void {
    this.#states.set(key, state);
  }

  /**
   * Drops a state that the log can no longer bring up to date. So much has changed that the blocks are
   * cut again too: once, not for each search that was counted by them, as maps share their bounds.
   */
  drop(key: string, state: SearchState): void {
    if (this.#states.peek(key) !== state) return;
    this.#states.delete(key);
    const { current } = state;
    if (!(current instanceof BlockMap) || current.bounds !== this.#currentBounds) return;
    this.#bounds = undefined;
    this.#currentBounds = undefined;
  }

  /** Cuts the blocks again when some have grown too full, and counts everyone by the new ones. */
  async recutIfUneven(signal: AbortSignal): Promise<void> {
    const map = this.#states.peek(everyone.key)?.current;
    if (!(map instanceof BlockMap) || !map.uneven) return;
    this.#bounds = undefined;
    const state = await this.#count(everyone, signal);
    for (const [key, old] of [...this.#states]) {
      if (old.current instanceof BlockMap) this.#states.delete(key);
    }
    this.set(everyone.key, state);
  }

  /** How the list is cut into blocks; the same for all maps until much has changed. */
  bounds(): Promise<Bounds> {
    this.#bounds ??= chooseBounds(this.#database.searches).then(
      (bounds) => {
        this.#currentBounds = bounds.places;
        return bounds;
      },
      (error: unknown) => {
        this.#bounds = undefined;
        throw error;
      },
    );
    return this.#bounds;
  }

  #counting(search: Terms): SharedWork<SearchState> {
    const { key } = search;
    const underWay = this.#counts.get(key);
    if (underWay && !underWay.abandoned) return underWay;
    const count = new SharedWork((signal) => this.#count(search, signal));
    this.#counts.set(key, count);
    const done = (state?: SearchState): void => {
      if (this.#counts.get(key) === count) this.#counts.delete(key);
      if (state) this.set(key, state);
    };
    count.result.then(done, () => done());
    return count;
  }

  async #count(search: Terms, signal: AbortSignal): Promise<SearchState> {
    return countSearch(this.#database, search, await this.bounds(), signal, () => {
      if (this.#ahead && this.#ahead.key !== search.key) this.#ahead.yieldToRequests.abort();
    });
  }

  /** A caller whose request timed out will retry: the count continues, so that the retry finds it. */
  #keepCounting(count: SharedWork<SearchState>, reason: unknown): void {
    if (!(reason instanceof QueryTimeoutError) || this.#orphans >= mostOrphans) return;
    this.#orphans += 1;
    const done = (): void => void (this.#orphans -= 1);
    count.join(AbortSignal.timeout(timeouts.scan)).then(done, done);
  }
}

/** Bounds are shared by all maps and not counted. */
const bytesOf = ({ current, pending }: SearchState): number =>
  entryBytes + current.bytes + changeBytes * pending.length;
