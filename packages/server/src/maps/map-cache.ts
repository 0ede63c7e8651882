/**
 * The page maps of one database, by search. A search is counted once at a time, however many requests
 * need it, and the count is cancelled when the last of them leaves. Memory is bounded: the least
 * recently used maps are evicted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  LruMap,
  QueryTimeoutError,
  type ReadLanes,
  type RunStatement,
  type Terms,
} from '@clientele/directory';
import { SharedWork } from '../responses/shared-work.ts';
import type { Held, Source } from '../responses/tally.ts';
import type { Bounds } from './shape/bounds.ts';
import { BlockMap } from './shape/block-map.ts';
import { bytesOf, isPersonal, type MapEntry } from './map-entry.ts';
import type { FoundState, SearchState } from './state/search-state.ts';
import { SharedMaps } from './count/shared-maps.ts';
import { slice } from './count/slice.ts';
import { StateMaker } from './count/state-maker.ts';
import type { IsGoodWitness } from './state/witness.ts';

/** How many counts may continue at a time after every request for them has timed out. */
const mostOrphans = 2;
/** Of how many searches to remember that their state was outdated. */
const mostOutdated = 1_000;
/** How long a count waits for restored states, in milliseconds. */
const longestRestore = 2_000;

export class MapCache {
  readonly #maker: StateMaker;
  readonly #entries: LruMap<string, MapEntry>;
  /** Counts under way. */
  readonly #counts = new Map<string, SharedWork<FoundState>>();
  /** Searches whose state could not be brought up to date, and has not been counted again. */
  readonly #outdated = new LruMap<string, true>(mostOutdated);
  readonly #orphans = new Set<SharedWork<FoundState>>();
  /** Until then, nothing is counted. */
  #restored: Promise<unknown> = Promise.resolve();
  /** The count that was started ahead of any request. */
  #ahead: { key: string; yieldToRequests: AbortController } | undefined;
  readonly #shared: SharedMaps;

  constructor(database: ReadLanes, maxBytes: number, shared = new SharedMaps()) {
    this.#maker = new StateMaker(database, shared);
    this.#entries = new LruMap(maxBytes, bytesOf);
    this.#shared = shared;
    shared.add(this);
  }

  set maxBytes(bytes: number) {
    this.#entries.max = bytes;
  }

  get held(): Held {
    const { size, used, max, evictions } = this.#entries;
    return { searches: size, bytes: used, limitBytes: max, evictions };
  }

  /** How many states were counted here, and how many adopted instead. */
  get made(): StateMaker['made'] {
    return this.#maker.made;
  }

  /** The state of a search; counted now if it is not cached. */
  async get(search: Terms, signal: AbortSignal): Promise<SearchState> {
    return (await this.find(search, signal)).state;
  }

  find(search: Terms, signal: AbortSignal): Promise<FoundState> {
    const entry = this.#entries.get(search.key);
    if (entry && !entry.stranded) {
      return Promise.resolve({ state: entry.state, source: 'warm_map' });
    }
    const count = this.#counting(search);
    const keep = (): void => this.#keepCounting(count, signal.reason);
    // Before the count's own listener, which abandons it. Upkeep's signal lasts: it would keep every map in memory.
    signal.addEventListener('abort', keep, { once: true });
    return count.join(signal).finally(() => signal.removeEventListener('abort', keep));
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

  /** `counted`: when its count began, if that was elsewhere. */
  set(search: Terms, state: SearchState, counted?: number): void {
    if (counted !== undefined) this.#maker.counted(state, 'miss', counted);
    this.#entries.set(search.key, { search, state });
  }

  /** Whether a request for the search has to wait for a count that is not known to be outdated at once. */
  isCold({ key }: Terms): boolean {
    return !this.#entries.peek(key) && !this.#outdated.peek(key);
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
    const adopted = await this.#maker.adopt(search, state, 'stored', signal);
    if (adopted) this.set(search, adopted);
    return adopted !== undefined;
  }

  /** Keeps a state of an earlier run of the server until the next request tries to adopt it. */
  strand(search: Terms, state: SearchState): void {
    if (this.peek(search) !== state) return;
    this.#entries.set(search.key, { search, state, stranded: true });
  }

  /** Brings a state up to date, unless its witness is good enough. */
  async renew(search: Terms, isGood: IsGoodWitness, signal: AbortSignal): Promise<void> {
    const state = this.peek(search);
    if (!state || (state.portable && isGood(state.portable.witness))) return;
    const now = await this.#maker.renew(search, state, signal);
    if (now && this.peek(search) === state) this.set(search, now);
  }

  /** Forgets the searches that may be about one person. */
  forget(): void {
    for (const [key, entry] of [...this.#entries]) if (isPersonal(entry)) this.#entries.delete(key);
  }

  /** The most recently used searches, the latest last. */
  recent(most: number): Terms[] {
    return Array.from(this.#entries, ([, { search }]) => search).slice(-most);
  }

  /** Counts without the cache, and uses the state within the snapshot that it was counted in. */
  countWithin<T>(
    search: Terms,
    use: (state: SearchState, run: RunStatement) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    return this.#maker.countWithin(search, use, signal);
  }

  /**
   * Drops a state that the log can no longer bring up to date. So much has changed that the blocks are
   * cut again too: once, not for each search that was counted by them, as maps share their bounds.
   */
  drop({ key, order }: Terms, state: SearchState): void {
    if (this.#entries.peek(key)?.state !== state) return;
    this.#entries.delete(key);
    this.#outdated.set(key, true);
    if (state.current.bounds) this.#shared.bounds(order).drop(state.current.bounds);
  }

  /** Cuts the blocks of everyone's order again when some have grown too full, and counts everyone by the new ones. */
  async recutIfUneven(everyone: Terms, signal: AbortSignal): Promise<void> {
    const map = this.peek(everyone)?.current;
    if (!(map instanceof BlockMap) || !map.uneven) return;
    this.#shared.bounds(everyone.order).drop(map.bounds);
    const state = await this.#maker.count(everyone, 'recut', signal);
    for (const [key, { search, state: old }] of [...this.#entries]) {
      if (search.order === everyone.order && old.current.bounds) this.#entries.delete(key);
    }
    this.set(everyone, state);
  }

  /** Those of the order of creation. */
  bounds(): Promise<Bounds> {
    return this.#maker.bounds();
  }

  #counting(search: Terms): SharedWork<FoundState> {
    const { key } = search;
    const underWay = this.#counts.get(key);
    if (underWay && !underWay.abandoned) return underWay;
    const count = new SharedWork((signal) => this.#adoptOrCount(search, signal));
    this.#counts.set(key, count);
    const done = (found?: FoundState): void => {
      if (this.#counts.get(key) === count) this.#counts.delete(key);
      if (found) this.set(search, found.state);
    };
    count.result.then(done, () => done());
    return count;
  }

  /** A state of an earlier run of this server, or of another node, saves a count. */
  async #adoptOrCount(search: Terms, signal: AbortSignal): Promise<FoundState> {
    await this.#restored;
    const entry = this.#entries.peek(search.key);
    if (entry && !entry.stranded) return { state: entry.state, source: 'adopted_map' };
    const own = entry?.state;
    for (const state of [own ?? [], this.#shared.offers(search, this)].flat()) {
      const from = state === own ? 'restart' : 'node';
      const adopted = await this.#maker.adopt(search, state, from, signal);
      if (adopted) return { state: adopted, source: 'adopted_map' };
    }
    if (own) this.drop(search, own);
    const part =
      search.range && !search.order && (await slice(this, this.#maker.lists, search, signal));
    if (part) return part;
    let source: Source = 'adopted_map';
    const count = (): Promise<SearchState> => {
      source = 'cold_count';
      return this.#count(search, signal);
    };
    const state = await this.#shared.countOnce(search, count, (counted) =>
      this.#maker.adopt(search, counted, 'node', signal),
    );
    return { state, source };
  }

  async #count(search: Terms, signal: AbortSignal): Promise<SearchState> {
    const { key } = search;
    const cause = this.#outdated.peek(key) ? 'outdated' : 'miss';
    const why = this.#ahead?.key === key ? 'ahead' : cause;
    const state = await this.#maker.count(search, why, signal, () => {
      if (this.#ahead && this.#ahead.key !== key) this.#ahead.yieldToRequests.abort();
    });
    this.#outdated.delete(key);
    return state;
  }

  /** A caller whose request timed out will retry: the count continues, so that the retry finds it. */
  #keepCounting(count: SharedWork<FoundState>, reason: unknown): void {
    if (!(reason instanceof QueryTimeoutError)) return;
    if (this.#orphans.has(count) || this.#orphans.size >= mostOrphans) return;
    this.#orphans.add(count);
    const done = (): void => void this.#orphans.delete(count);
    count.join(AbortSignal.timeout(this.#maker.longestCount)).then(done, done);
  }
}
