/**
 * The page maps of one database, by search. A search is counted once at a time, however many requests
 * need it, and the count is cancelled when the last of them leaves. Memory is bounded: the least
 * recently used maps are evicted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { timeouts } from '../../config.ts';
import type { Database } from '../../db/database.ts';
import { QueryTimeoutError } from '../../db/errors.ts';
import type { RunStatement } from '../../db/lane.ts';
import { LruMap } from '../../lru-map.ts';
import { everyone, type Terms } from '../search.ts';
import { SharedWork } from '../shared-work.ts';
import { adopt, renew } from './adopt.ts';
import type { Bounds } from './block-bounds.ts';
import { countSearch, countWithin } from './count.ts';
import { BlockMap } from './page-map.ts';
import type { SearchState } from './search-state.ts';
import { SharedMaps } from './shared-maps.ts';
import { spreadCount } from './spread-count.ts';

/** An entry's memory in addition to its map. */
const entryBytes = 1_000;
/** The memory of a transaction id. */
const xidBytes = 40;
/** How many counts may continue at a time after every request for them has timed out. */
const mostOrphans = 2;
/** How long a count waits for states that are being restored, in milliseconds. */
const longestRestore = 2_000;

interface Entry {
  search: Terms;
  state: SearchState;
  /** The server has restarted since. The next request finds out whether the state can still be used. */
  stranded?: boolean;
}

export class MapCache {
  readonly #database: Database;
  readonly #entries: LruMap<string, Entry>;
  /** Counts under way. */
  readonly #counts = new Map<string, SharedWork<SearchState>>();
  #orphans = 0;
  /** Until then, nothing is counted. */
  #restored: Promise<unknown> = Promise.resolve();
  /** The count that was started ahead of any request. */
  #ahead: { key: string; yieldToRequests: AbortController } | undefined;
  readonly #shared: SharedMaps;
  /** How many states were counted here, and how many adopted instead. */
  readonly made = { counted: 0, adopted: 0 };

  constructor(database: Database, maxBytes: number, shared = new SharedMaps()) {
    this.#database = database;
    this.#entries = new LruMap(maxBytes, bytesOf);
    this.#shared = shared;
    shared.add(this);
  }

  /** How many searches are cached, and the bytes of their maps. */
  get held(): { searches: number; bytes: number } {
    return { searches: this.#entries.size, bytes: this.#entries.used };
  }

  /** The state of a search; counted now if it is not cached. */
  get(search: Terms, signal: AbortSignal): Promise<SearchState> {
    const entry = this.#entries.get(search.key);
    if (entry && !entry.stranded) return Promise.resolve(entry.state);
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

  set(search: Terms, state: SearchState): void {
    this.#entries.set(search.key, { search, state });
  }

  /** The state of a search if it is cached, for another node to borrow. */
  peek({ key }: Terms): SearchState | undefined {
    return this.#entries.peek(key)?.state;
  }

  /** Requests for searches that are not cached wait a moment for states that are being restored. */
  waitFor(restored: Promise<unknown>): void {
    const longEnough = sleep(longestRestore, undefined, { ref: false });
    this.#restored = Promise.race([restored, longEnough]).catch(() => undefined);
  }

  /** Adopts a state of another instance. False when it cannot be used. */
  async offer(search: Terms, state: SearchState, signal: AbortSignal): Promise<boolean> {
    if (this.peek(search)) return true;
    const adopted = await this.#adopt(search, state, signal);
    if (adopted) this.set(search, adopted);
    return adopted !== undefined;
  }

  /** Keeps a state of an earlier run of the server until the next request tries to adopt it. */
  strand(search: Terms, state: SearchState): void {
    if (this.peek(search) !== state) return;
    this.#entries.set(search.key, { search, state, stranded: true });
  }

  /** Gives a state another witness if its own may have been trimmed. */
  async renew(search: Terms, horizon: bigint, signal: AbortSignal): Promise<void> {
    const state = this.peek(search);
    if (!state || (state.portable && state.portable.witness.xid >= horizon)) return;
    const now = await renew(this.#running(signal), search, state);
    if (now && this.peek(search) === state) this.set(search, now);
  }

  /** The most recently used searches, the latest last. */
  recent(most: number): Terms[] {
    return Array.from(this.#entries, ([, { search }]) => search).slice(-most);
  }

  /** Counts without the cache, and uses the state within the snapshot that it was counted in. */
  async countWithin<T>(
    search: Terms,
    use: (state: SearchState, run: RunStatement) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    return countWithin(this.#database, search, await this.bounds(), use, signal);
  }

  /**
   * Drops a state that the log can no longer bring up to date. So much has changed that the blocks are
   * cut again too: once, not for each search that was counted by them, as maps share their bounds.
   */
  drop({ key }: Terms, state: SearchState): void {
    if (this.#entries.peek(key)?.state !== state) return;
    this.#entries.delete(key);
    if (state.current instanceof BlockMap) this.#shared.bounds.drop(state.current.bounds);
  }

  /** Cuts the blocks again when some have grown too full, and counts everyone by the new ones. */
  async recutIfUneven(signal: AbortSignal): Promise<void> {
    const map = this.#entries.peek(everyone.key)?.state.current;
    if (!(map instanceof BlockMap) || !map.uneven) return;
    this.#shared.bounds.drop(map.bounds);
    const state = await this.#count(everyone, signal);
    for (const [key, old] of [...this.#entries]) {
      if (old.state.current instanceof BlockMap) this.#entries.delete(key);
    }
    this.set(everyone, state);
  }

  bounds(): Promise<Bounds> {
    return this.#shared.bounds.get(this.#database.searches);
  }

  #counting(search: Terms): SharedWork<SearchState> {
    const { key } = search;
    const underWay = this.#counts.get(key);
    if (underWay && !underWay.abandoned) return underWay;
    const count = new SharedWork((signal) => this.#adoptOrCount(search, signal));
    this.#counts.set(key, count);
    const done = (state?: SearchState): void => {
      if (this.#counts.get(key) === count) this.#counts.delete(key);
      if (state) this.set(search, state);
    };
    count.result.then(done, () => done());
    return count;
  }

  #running(signal: AbortSignal): RunStatement {
    return (statement, values) => this.#database.lists.query(statement, values, signal);
  }

  /** A state of an earlier run of this server, or of another node, saves a count. */
  async #adoptOrCount(search: Terms, signal: AbortSignal): Promise<SearchState> {
    await this.#restored;
    const tryToAdopt = (state: SearchState) => this.#adopt(search, state, signal);
    const entry = this.#entries.peek(search.key);
    if (entry && !entry.stranded) return entry.state;
    const own = entry?.state;
    for (const state of [own ?? [], this.#shared.offers(search, this)].flat()) {
      const adopted = await tryToAdopt(state);
      if (adopted) return adopted;
    }
    if (own) this.drop(search, own);
    return this.#shared.countOnce(search, () => this.#count(search, signal), tryToAdopt);
  }

  async #adopt(search: Terms, state: SearchState, signal: AbortSignal) {
    const adopted = await adopt(this.#running(signal), search, state);
    if (adopted) this.made.adopted += 1;
    return adopted;
  }

  async #count(search: Terms, signal: AbortSignal): Promise<SearchState> {
    this.made.counted += 1;
    return countSearch(this.#database, search, await this.bounds(), {
      signal,
      spread: (...count) =>
        spreadCount([this.#database, ...this.#shared.helpers(this.#database)], ...count),
      beforeScan: () => {
        if (this.#ahead && this.#ahead.key !== search.key) this.#ahead.yieldToRequests.abort();
      },
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
const bytesOf = ({ state: { current, seen, snapshot, portable } }: Entry): number =>
  entryBytes +
  current.bytes +
  xidBytes * (seen.length + snapshot.xip.length + (portable?.seen.length ?? 0));
