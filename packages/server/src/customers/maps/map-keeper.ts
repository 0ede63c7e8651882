/**
 * The searches that this instance remembers. A search is counted once at a time, whoever asks for it,
 * and the count is given up when nobody waits any more. Memory is bounded: what was unused longest
 * goes first.
 */
import { timeouts } from '../../config.ts';
import type { Database } from '../../db/database.ts';
import { QueryTimeoutError } from '../../db/errors.ts';
import { everyone, type Terms } from '../search.ts';
import { SharedWork } from '../shared-work.ts';
import { chooseBounds, countSearch, type Bounds } from './count.ts';
import { BlockMap } from './page-map.ts';
import type { SearchState } from './search-state.ts';

/** What an entry takes beside its map. */
const entryBytes = 1_000;
/** What a change takes that later snapshots may not see. */
const changeBytes = 64;
/** Counts at a time that go on although nobody waits. */
const mostAdopted = 2;

export class MapKeeper {
  readonly #database: Database;
  readonly #maxBytes: number;
  /** Least recently used first. */
  readonly #states = new Map<string, SearchState>();
  /** Counts under way. */
  readonly #counts = new Map<string, SharedWork<SearchState>>();
  #bytes = 0;
  #adopted = 0;
  /** What is being counted before anybody asks. */
  #unasked: { key: string; makeWay: AbortController } | undefined;
  #bounds: Promise<Bounds> | undefined;
  /** The bounds that were chosen last, until they are lost. */
  #cut: Float64Array | undefined;

  constructor(database: Database, maxBytes: number) {
    this.#database = database;
    this.#maxBytes = maxBytes;
  }

  /** What is remembered: searches, and the bytes of their maps. */
  get held(): { searches: number; bytes: number } {
    return { searches: this.#states.size, bytes: this.#bytes };
  }

  /** The state of a search; counted now if it is not remembered. */
  recall(search: Terms, signal: AbortSignal): Promise<SearchState> {
    const { key } = search;
    const state = this.#states.get(key);
    if (!state) {
      const count = this.#counting(search);
      signal.addEventListener('abort', () => this.#adopt(count, signal.reason), { once: true });
      return count.join(signal);
    }
    this.#states.delete(key);
    this.#states.set(key, state);
    return Promise.resolve(state);
  }

  /** Counts a search that nobody has asked for yet. False when it made way for one that somebody did. */
  async prepare(search: Terms, signal: AbortSignal): Promise<boolean> {
    const makeWay = new AbortController();
    this.#unasked = { key: search.key, makeWay };
    try {
      await this.recall(search, AbortSignal.any([signal, makeWay.signal]));
      return true;
    } catch (error) {
      if (makeWay.signal.aborted) return false;
      throw error;
    } finally {
      this.#unasked = undefined;
    }
  }

  /** Who has waited as long as one may will ask again: the count goes on, for them to find it done. */
  #adopt(count: SharedWork<SearchState>, reason: unknown): void {
    if (!(reason instanceof QueryTimeoutError) || this.#adopted >= mostAdopted) return;
    this.#adopted += 1;
    const done = (): void => void (this.#adopted -= 1);
    count.join(AbortSignal.timeout(timeouts.scan)).then(done, done);
  }

  remember(key: string, state: SearchState): void {
    this.#drop(key);
    this.#states.set(key, state);
    this.#bytes += bytesOf(state);
    for (const oldest of this.#states.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
  }

  /**
   * The log cannot tell what changed, so much did: blocks are cut anew as well. Once, not for each
   * search that was counted by them, as maps share their bounds.
   */
  lose(key: string, state: SearchState): void {
    if (this.#states.get(key) !== state) return;
    this.#drop(key);
    const { current } = state;
    if (!(current instanceof BlockMap) || current.bounds !== this.#cut) return;
    this.#bounds = undefined;
    this.#cut = undefined;
  }

  #drop(key: string): void {
    const state = this.#states.get(key);
    if (!state) return;
    this.#states.delete(key);
    this.#bytes -= bytesOf(state);
  }

  #counting(search: Terms): SharedWork<SearchState> {
    const { key } = search;
    const underWay = this.#counts.get(key);
    if (underWay && !underWay.abandoned) return underWay;
    const count = new SharedWork((signal) => this.#count(search, signal));
    this.#counts.set(key, count);
    const done = (state?: SearchState): void => {
      if (this.#counts.get(key) === count) this.#counts.delete(key);
      if (state) this.remember(key, state);
    };
    count.result.then(done, () => done());
    return count;
  }

  /** Cuts the blocks anew when some have grown too full, and counts everyone by the new ones. */
  async recutIfUneven(signal: AbortSignal): Promise<void> {
    const map = this.#states.get(everyone.key)?.current;
    if (!(map instanceof BlockMap) || !map.uneven) return;
    this.#bounds = undefined;
    const state = await this.#count(everyone, signal);
    for (const [key, old] of this.#states) if (old.current instanceof BlockMap) this.#drop(key);
    this.remember(everyone.key, state);
  }

  async #count(search: Terms, signal: AbortSignal): Promise<SearchState> {
    return countSearch(this.#database, search, await this.bounds(), signal, () => {
      if (this.#unasked && this.#unasked.key !== search.key) this.#unasked.makeWay.abort();
    });
  }

  /** How the list is cut into blocks; the same for all that is counted until much has changed. */
  bounds(): Promise<Bounds> {
    this.#bounds ??= chooseBounds(this.#database.searches).then(
      (bounds) => {
        this.#cut = bounds.places;
        return bounds;
      },
      (error: unknown) => {
        this.#bounds = undefined;
        throw error;
      },
    );
    return this.#bounds;
  }
}

/** Blocks' bounds are shared by all maps and not counted. */
const bytesOf = ({ current, pending }: SearchState): number =>
  entryBytes + current.bytes + changeBytes * pending.length;
