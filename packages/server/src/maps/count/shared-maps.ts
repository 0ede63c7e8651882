/** What the page maps of several nodes of one cluster share, so that each search is counted once. */
import type { Order, Terms } from '@clientele/directory';
import { MapTally } from '../../responses/tally.ts';
import { BlockBounds } from './block-bounds.ts';
import type { SearchState } from '../state/search-state.ts';

interface Lender {
  peek(search: Terms): SearchState | undefined;
}

export class SharedMaps {
  readonly tally: MapTally;
  /** Of each order that was asked for. */
  readonly #bounds = new Map<Order | undefined, BlockBounds>();
  readonly #lenders: Lender[] = [];
  /** Counts under way, by search. */
  readonly #counts = new Map<string, Promise<SearchState>>();

  constructor(tally = new MapTally()) {
    this.tally = tally;
  }

  bounds(order: Order | undefined): BlockBounds {
    let bounds = this.#bounds.get(order);
    if (!bounds) this.#bounds.set(order, (bounds = new BlockBounds(order)));
    return bounds;
  }

  add(lender: Lender): void {
    this.#lenders.push(lender);
  }

  /** The states that other nodes have of a search. */
  offers(search: Terms, borrower: Lender): SearchState[] {
    const others = this.#lenders.filter((lender) => lender !== borrower);
    return others.flatMap((lender) => lender.peek(search) ?? []);
  }

  /** Waits for a count of another node instead of making one, and makes it if that cannot be adopted. */
  async countOnce(
    { key }: Terms,
    count: () => Promise<SearchState>,
    adopt: (state: SearchState) => Promise<SearchState | undefined>,
  ): Promise<SearchState> {
    // Nothing is awaited between finding no count and starting one.
    const underWay = this.#counts.get(key);
    if (underWay) {
      const counted = await underWay.catch(() => undefined);
      const adopted = counted && (await adopt(counted));
      if (adopted) return adopted;
    }
    const here = count();
    this.#counts.set(key, here);
    try {
      return await here;
    } finally {
      if (this.#counts.get(key) === here) this.#counts.delete(key);
    }
  }
}
