/** Notices when the connections to one database reach different ones, as behind a proxy that was set up wrongly. */
import { DatabaseMismatchError, type ReadLanes, type View } from '@clientele/directory';
import { momentStatement, placeOf, type Moment } from './state/search-state.ts';

/** How long an instance is not ready after its connections reached different databases. */
const mismatchShownMs = 10_000;

export class OneDatabase {
  readonly #database: ReadLanes;
  readonly #view: View;
  #mismatchedAt = -Infinity;

  constructor(database: ReadLanes, view: View) {
    this.#database = database;
    this.#view = view;
  }

  /** Whether the connections have just been found to reach different databases. */
  get mismatched(): boolean {
    return performance.now() < this.#mismatchedAt + mismatchShownMs;
  }

  /** A restart or a rewritten table never comes back in later statements; of two databases, each does. */
  async expect(signal: AbortSignal): Promise<void> {
    const { lists, searches } = this.#database;
    const left = new Set<string>();
    let last: string | undefined;
    for (const lane of [lists, searches, lists, searches]) {
      const [moment] = await lane.query<Moment>(momentStatement[this.#view], [], signal);
      const place = placeOf(moment!);
      if (left.has(place)) {
        this.#mismatchedAt = performance.now();
        throw new DatabaseMismatchError();
      }
      if (last !== undefined && last !== place) left.add(last);
      last = place;
    }
  }
}
