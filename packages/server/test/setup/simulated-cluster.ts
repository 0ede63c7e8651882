/**
 * Nodes of one cluster in memory: primaries, standbys that fall behind, crashes and failovers that lose the
 * last commits and assign their transaction ids again, while the old primary may go on. States of one search
 * travel between all of them, and each is compared with the table of the node that adopts it.
 */
import { isAdoptable, type Arrival } from '../../src/maps/state/adopt.ts';
import type { News } from '../../src/maps/state/news.ts';
import { MapMismatchError, type PageMap } from '../../src/maps/shape/page-map.ts';
import {
  advance,
  isUsable,
  newState,
  seesAll,
  type Moment,
  type SearchState,
} from '../../src/maps/state/search-state.ts';
import { blockMapOf, pageOf, placeMapOf, readPage, tableOf } from './page-table.ts';
import { Random } from '@clientele/sandbox/testing';
import { SimulatedLog, type Snapshot } from './simulated-log.ts';

/** Changes what a node reports about a state, to show what a rule without that part would do. */
export type Distortion = (arrival: Arrival, state: SearchState, here: Snapshot) => Arrival;

export interface Tally {
  /** States that were adopted, were refused, or are wrong, at once or later. */
  used: number;
  refused: number;
  wrong: number;
  /** Pairs of snapshots on two nodes each of which saw a commit that the other did not see. */
  forks: number;
  /** Crashes and failovers after which a transaction id was assigned again. */
  lost: number;
}

interface Standby {
  log: SimulatedLog;
  replayed: number;
  run: string;
}

const mostStates = 8;
const bounds = [2, 3, 5];

export class SimulatedCluster {
  readonly tally: Tally = { used: 0, refused: 0, wrong: 0, forks: 0, lost: 0 };
  readonly #random: Random;
  readonly #distort: Distortion;
  /** The latest one is the primary; the others do not know that they no longer are. */
  readonly #logs: SimulatedLog[];
  #standbys: Standby[];
  #states: SearchState[] = [];
  #runs = 0;

  constructor(seed: number, distort: Distortion = (arrival) => arrival) {
    this.#random = new Random(seed);
    this.#distort = distort;
    this.#logs = [new SimulatedLog(2 + this.#random.below(30))];
    this.#standbys = [this.#newStandby(), this.#newStandby()];
  }

  run(steps: number): Tally {
    for (let i = 0; i < steps; i += 1) {
      const random = this.#random;
      if (random.chance(0.02)) this.#lose();
      else if (random.chance(0.3)) this.#look();
      else this.#write(random.chance(0.8) ? this.#logs.at(-1)! : random.pick(this.#logs));
    }
    return this.tally;
  }

  #newStandby(): Standby {
    return { log: this.#logs.at(-1)!, replayed: 0, run: `standby ${(this.#runs += 1)}` };
  }

  #write(log: SimulatedLog): void {
    const random = this.#random;
    const by =
      log.running.length > 0 && random.chance(0.8) ? random.pick(log.running) : log.begin();
    const version = { place: random.below(8), matches: random.chance(0.7) };
    const what = random.below(100);
    if (what < 30) log.insert(by, version);
    else if (what < 45) log.change(by, random.below(99), random.chance(0.5) ? version : undefined);
    else if (what < 48) log.rollBackTo(by, 1 + random.below(3));
    else if (what < 50) log.identify(by);
    else if (what < 75) log.writeCommit(by);
    else if (what < 90) log.show(random.below(99));
    else if (what < 93) log.abort(by);
    else if (what < 97) log.trim(by, random.pick([0, 2, 30]), 1 + random.below(8));
    else if (what < 98) log.truncateLog(by);
    if (what >= 50 && what < 65) log.show(random.below(99));
  }

  /** A crash keeps any of the last commits, a failover those that a standby has replayed. */
  #lose(): void {
    const random = this.#random;
    const log = this.#logs.at(-1)!;
    const standby = random.pick(this.#standbys);
    const failover = standby.log === log && random.chance(0.5);
    const last = log.committed.length;
    const kept = failover ? standby.replayed : Math.max(0, last - random.below(4));
    if (kept < last) this.tally.lost += 1;
    const recovered = log.recover(kept);
    this.#logs.push(recovered);
    this.#standbys = this.#standbys.map((one) => {
      // One that has replayed more than was kept cannot follow; sometimes it is not noticed.
      if (one.log === log && one.replayed <= kept) return { ...one, log: recovered };
      return random.chance(0.3) ? one : this.#newStandby();
    });
  }

  #look(): void {
    const random = this.#random;
    const log = random.chance(0.8) ? this.#logs.at(-1)! : random.pick(this.#logs);
    const primary = log.snapshot();
    const standby = random.pick(this.#standbys);
    standby.replayed += random.below(standby.log.committed.length - standby.replayed + 1);
    const replica = standby.log.standbySnapshot(standby.replayed, standby.run);
    if (standby.log === log && isFork(primary, replica)) this.tally.forks += 1;
    const here = random.chance(0.5) ? primary : replica;
    for (const state of [...this.#states]) this.#tryHere(state, here);
    if (this.#states.length < 3 || random.chance(0.2)) {
      const count = random.chance(0.5)
        ? placeMapOf
        : (places: readonly number[]) => blockMapOf(places, bounds);
      this.#keep(newState(here.moment, count(here.places)));
    }
  }

  #keep(state: SearchState): void {
    this.#states.push(state);
    if (this.#states.length > mostStates) this.#states.splice(this.#random.below(mostStates), 1);
  }

  #tryHere(state: SearchState, here: Snapshot): void {
    if (state.run === here.moment.run) {
      const news = here.newsSince(state);
      if (!isUsable(state, here.moment, news) || !seesAll(state, here.moment, news)) return;
      const now = advanceIfItFits(state, { ...here.moment, ...news });
      if (!now || !isRight(now.current, here.places)) this.tally.wrong += 1;
      // Now and then, so that states of different ages travel.
      else if (this.#random.chance(0.2)) this.#keep(now);
      return;
    }
    const arrival = state.portable && this.#distort(here.arrivalOf(state.portable), state, here);
    if (!arrival || !isAdoptable(state, arrival)) {
      this.tally.refused += 1;
      return;
    }
    const adopted = advanceIfItFits(state, arrival);
    if (!adopted || !isRight(adopted.current, here.places)) this.tally.wrong += 1;
    else {
      this.tally.used += 1;
      if (this.#random.chance(0.3)) this.#keep(adopted);
    }
  }
}

function isFork(a: Snapshot, b: Snapshot): boolean {
  return [...a.sees].some((one) => !b.sees.has(one)) && [...b.sees].some((one) => !a.sees.has(one));
}

function advanceIfItFits(state: SearchState, now: Moment & News): SearchState | undefined {
  try {
    return advance(state, now, now);
  } catch (error) {
    if (!(error instanceof MapMismatchError)) throw error;
    return undefined;
  }
}

function isRight(map: PageMap, places: readonly number[]): boolean {
  const table = tableOf(places);
  if (map.total !== table.length) return false;
  return table.every((_, offset) => {
    const found = readPage(table, map, offset, 2);
    return pageOf(table, offset, 2).every(({ id }, i) => found[i]?.id === id);
  });
}
