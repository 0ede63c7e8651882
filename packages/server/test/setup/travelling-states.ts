/** States of searches that were counted on some node, tried on others, and compared with their tables. */
import {
  type Database,
  matchCondition,
  type RunStatement,
  SearchReader,
  type Terms,
} from '@clientele/directory';
import { arrive, isAdoptable, type Arrival } from '../../src/maps/state/adopt.ts';
import { BlockBounds } from '../../src/maps/count/block-bounds.ts';
import { countSearch } from '../../src/maps/count/count.ts';
import { MapMismatchError } from '../../src/maps/shape/page-map.ts';
import type { Portable } from '../../src/maps/state/witness.ts';
import { advance, lockCustomers, type SearchState } from '../../src/maps/state/search-state.ts';
import { pageOf, readPage, tableOf } from './page-table.ts';
import { type Random, sampleSearches } from '@clientele/sandbox/testing';

export interface Counted {
  search: Terms;
  state: SearchState;
}

export interface Travels {
  adopted: number;
  refused: number;
  /** Why. */
  reasons: Record<string, number>;
  wrong: number;
  /** Of those that the witness refused: how many would have been wrong. */
  wrongWithoutWitness: number;
  /** The node lacked a commit that the state includes, and had another that the state lacks. */
  forks: number;
}

const mostStates = 10;

export class TravellingStates {
  readonly travels: Travels = {
    reasons: {},
    ...{ adopted: 0, refused: 0, wrong: 0, wrongWithoutWitness: 0, forks: 0 },
  };
  readonly #random: Random;
  readonly #bounds = new BlockBounds();
  readonly #searches = new Map<string, Terms>();
  readonly #most: number;
  #states: Counted[] = [];

  constructor(random: Random, most = mostStates) {
    this.#random = random;
    this.#most = most;
  }

  /** Counts a search on this node, and keeps the state. */
  async count(database: Database, text = this.#random.pick(sampleSearches)): Promise<Counted> {
    const search = await this.#read(database, text);
    const bounds = await this.#bounds.get(database.searches);
    const signal = AbortSignal.timeout(60_000);
    const counted = { search, state: await countSearch(database, search, bounds, { signal }) };
    this.#keep(counted);
    return counted;
  }

  /** Tries one of the states of other nodes in a snapshot of this one. */
  async check(database: Database, counted = this.#random.pick(this.#states)): Promise<void> {
    await database.lists.snapshot(async (run) => {
      await run(lockCustomers.full, []);
      await this.#tryHere(run, counted);
    });
  }

  /** Tries all of them. */
  async checkAll(database: Database): Promise<void> {
    for (const counted of [...this.#states]) await this.check(database, counted);
  }

  async #read(database: Database, text: string): Promise<Terms> {
    const known = this.#searches.get(text);
    if (known) return known;
    const search = await new SearchReader(database.searches).read(
      text,
      AbortSignal.timeout(60_000),
    );
    if (search.kind !== 'terms') throw new Error('a search for an identifier has no map');
    this.#searches.set(text, search);
    return search;
  }

  #keep(counted: Counted): void {
    this.#states.push(counted);
    if (this.#states.length > this.#most) this.#states.splice(this.#random.below(this.#most), 1);
  }

  async #tryHere(run: RunStatement, { search, state }: Counted): Promise<void> {
    const { travels } = this;
    const arrival = state.portable && (await arrive(run, search, state.portable));
    if (arrival?.run === state.run) return;
    if (!arrival || !isAdoptable(state, arrival)) {
      travels.refused += 1;
      const reason = whyRefused(state, arrival);
      travels.reasons[reason] = (travels.reasons[reason] ?? 0) + 1;
      if (!arrival) return;
      if (isFork(state.portable, arrival)) travels.forks += 1;
      const unguarded = { ...arrival, known: true };
      if (!isAdoptable(state, unguarded)) return;
      if (!(await this.#isRight(run, search, state, unguarded))) travels.wrongWithoutWitness += 1;
      return;
    }
    if (!(await this.#isRight(run, search, state, arrival))) travels.wrong += 1;
    travels.adopted += 1;
    if (this.#random.chance(0.3)) this.#keep({ search, state: advance(state, arrival, arrival) });
  }

  async #isRight(run: RunStatement, search: Terms, state: SearchState, arrival: Arrival) {
    let map;
    try {
      map = advance(state, arrival, arrival).current;
    } catch (error) {
      if (!(error instanceof MapMismatchError)) throw error;
      return false;
    }
    const rows = await run<{ place: number }>(
      {
        name: `true-places-${search.count}`,
        text: `select c.place from only public.customers as c where ${matchCondition('c', search.count, 1, 'search_text')}`,
      },
      search.patterns,
    );
    const table = tableOf(rows.map(({ place }) => place));
    const offsets = [0, this.#random.below(table.length + 1), Math.max(0, table.length - 1)];
    return (
      map.total === table.length &&
      offsets.every((offset) =>
        pageOf(table, offset, 25).every(
          ({ id }, i) => readPage(table, map, offset, 25)[i]?.id === id,
        ),
      )
    );
  }
}

const isFork = ({ since, seen }: Portable, arrival: Arrival): boolean =>
  BigInt(arrival.horizon) <= since && arrival.seen < seen.length && arrival.entries > 0;

function whyRefused({ portable, identity }: SearchState, arrival?: Arrival): string {
  if (!portable || !arrival) return 'held';
  if (identity !== arrival.identity) return 'another table';
  if (BigInt(arrival.horizon) > portable.since) return 'trimmed';
  if (arrival.recount) return 'bulk change';
  return arrival.known ? 'a commit is missing' : 'the witness is missing';
}
