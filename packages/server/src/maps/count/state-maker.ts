/** Makes the states that the cache of one database holds: counts a search, or adopts a count made elsewhere. */
import {
  type Attributes,
  inSpan,
  type Lane,
  type Order,
  type ReadLanes,
  type RunStatement,
  type Terms,
} from '@clientele/directory';
import type { Count, MapTally } from '../../responses/tally.ts';
import { adopt, renew } from '../state/adopt.ts';
import type { Bounds } from '../shape/bounds.ts';
import { countSearch, countWithin } from './count.ts';
import type { SearchState } from '../state/search-state.ts';
import type { SharedMaps } from './shared-maps.ts';

const because = (cause: Count['cause']): Attributes => ({ 'clientele.count.cause': cause });

export class StateMaker {
  readonly #database: ReadLanes;
  readonly #shared: SharedMaps;
  /** How many states were counted here, and how many adopted instead. */
  readonly made = { counted: 0, adopted: 0 };

  constructor(database: ReadLanes, shared: SharedMaps) {
    this.#database = database;
    this.#shared = shared;
  }

  get lists(): Lane {
    return this.#database.lists;
  }

  /** In milliseconds. */
  get longestCount(): number {
    return this.#database.scans.deadline;
  }

  bounds(order?: Order): Promise<Bounds> {
    return this.#shared.bounds(order).get(this.#database.searches);
  }

  /** Undefined when the state has to be counted again. */
  async adopt(
    search: Terms,
    state: SearchState,
    from: keyof MapTally['adopted'],
    signal: AbortSignal,
  ): Promise<SearchState | undefined> {
    const adopted = await adopt(this.#running(signal), search, state);
    if (adopted) {
      this.made.adopted += 1;
      this.#shared.tally.adopted[from] += 1;
    }
    return adopted;
  }

  renew(search: Terms, state: SearchState, signal: AbortSignal): Promise<SearchState | undefined> {
    return renew(this.#running(signal), search, state);
  }

  async count(
    search: Terms,
    cause: Count['cause'],
    signal: AbortSignal,
    beforeScan?: () => void,
  ): Promise<SearchState> {
    this.made.counted += 1;
    const started = performance.now();
    const bounds = await this.bounds(search.order);
    const state = await inSpan('count', because(cause), () =>
      countSearch(this.#database, search, bounds, { signal, beforeScan }),
    );
    this.counted(state, cause, started);
    return state;
  }

  /** Uses the state within the snapshot that it was counted in. */
  async countWithin<T>(
    search: Terms,
    use: (state: SearchState, run: RunStatement) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const started = performance.now();
    const useCounted: typeof use = (state, run) => {
      this.counted(state, 'moving', started);
      return use(state, run);
    };
    const bounds = await this.bounds(search.order);
    return inSpan('count', because('moving'), () =>
      countWithin(this.#database, search, bounds, useCounted, signal),
    );
  }

  #running(signal: AbortSignal): RunStatement {
    return (statement, values) => this.#database.lists.query(statement, values, signal);
  }

  /** For the metrics. */
  counted({ current }: SearchState, cause: Count['cause'], started: number): void {
    const kind = current.bounds ? 'scan' : 'places';
    const seconds = (performance.now() - started) / 1_000;
    this.#shared.tally.onCount({ kind, cause, seconds });
  }
}
