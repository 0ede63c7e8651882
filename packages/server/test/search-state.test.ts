import assert from 'node:assert/strict';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PageMap } from '../src/maps/shape/page-map.ts';
import {
  advance,
  isUsable,
  newState,
  seesAll,
  type SearchState,
} from '../src/maps/state/search-state.ts';
import {
  type Row,
  blockMapOf,
  pageOf,
  pastTheEnd,
  placeMapOf,
  rowsFrom,
  tableOf,
} from './setup/page-table.ts';
import { SimulatedLog, type Snapshot, type Transaction } from './setup/simulated-log.ts';

const bounds = [2, 3, 5];
const perPage = 2;

type Outcome = 'exact' | 'outdated' | 'older';

/** Caches the state of a search as the list does, and checks it in every snapshot it is given. */
class Observer {
  readonly #count: (places: readonly number[]) => PageMap;
  #state: SearchState | undefined;
  /** The snapshot of the cached state. */
  #at = 0;
  #horizon = '';
  readonly outcomes: Record<Outcome, number> = { exact: 0, outdated: 0, older: 0 };

  constructor(count: (places: readonly number[]) => PageMap) {
    this.#count = count;
  }

  /** Answers from the cached state, as the list does. Throws when an answer is wrong. */
  look(snapshot: Snapshot, advances: boolean): Outcome {
    this.#state ??= this.#countIn(snapshot);
    const outcome = this.#answer(this.#state, snapshot, advances);
    this.outcomes[outcome] += 1;
    if (outcome === 'outdated') this.#state = undefined;
    return outcome;
  }

  #answer(state: SearchState, snapshot: Snapshot, advances: boolean): Outcome {
    const { moment, places } = snapshot;
    const news = snapshot.newsSince(state);
    const isLater = snapshot.number >= this.#at;
    if (!isUsable(state, moment, news)) {
      const untrimmed = moment.horizon === this.#horizon;
      if (isLater && untrimmed && !news.recount) throw new Error('refused without a reason');
      return 'outdated';
    }
    if (!seesAll(state, moment, news)) {
      if (isLater) throw new Error('refused a later snapshot');
      return 'older';
    }
    assert.equal(state.current.total + news.total, places.length, 'the total');
    const table = tableOf(places);
    table.forEach((_, offset) => checkPage(table, state, snapshot, offset));
    const now = advance(state, moment, news);
    assert.equal(now.current.total, places.length, 'the total of the map');
    table.forEach((_, offset) => checkPage(table, now, snapshot, offset));
    if (advances) this.#keep(now, snapshot);
    return 'exact';
  }

  #countIn(snapshot: Snapshot): SearchState {
    const state = newState(snapshot.moment, this.#count(snapshot.places));
    this.#keep(state, snapshot);
    return state;
  }

  #keep(state: SearchState, { number, moment }: Snapshot): void {
    this.#state = state;
    this.#at = number;
    this.#horizon = moment.horizon;
  }
}

/** Reads the page as the page statement does: with its skip corrected by the news before its start. */
function checkPage(table: Row[], state: SearchState, snapshot: Snapshot, offset: number): void {
  for (const ascending of [false, true]) {
    const start = state.current.start(offset, perPage, ascending) ?? pastTheEnd(ascending);
    const truth = pageOf(table, offset, perPage, ascending);
    const found = rowsFrom(table, start, ascending);
    if ('places' in start) {
      if (snapshot.newsSince(state).entries > 0) continue;
      assert.deepEqual(found.slice(start.skip, start.skip + perPage), truth);
    } else {
      const { before } = snapshot.newsSince(state, (place) =>
        'below' in start ? place >= start.below : place < start.from,
      );
      if (before > start.skip) continue;
      const from = start.skip - before;
      assert.deepEqual(found.slice(from, from + perPage), truth);
    }
  }
}

const step = fc.record({
  what: fc.constantFrom(
    ...['begin', 'identify', 'insert', 'insert', 'insert', 'remove', 'remove', 'move', 'move'],
    ...['roll back to', 'commit', 'commit', 'commit', 'commit slowly', 'show', 'show', 'abort'],
    ...['trim', 'trim all', 'truncate log'],
    ...['look', 'look', 'look', 'look at standby', 'look at standby', 'keep', 'look again'],
  ),
  which: fc.nat(99),
  place: fc.nat(7),
  matches: fc.boolean(),
});

test('the cached state of a search answers exactly, or not at all, in any snapshot', () => {
  const outcomes: Record<Outcome, number> = { exact: 0, outdated: 0, older: 0 };
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 30 }),
      fc.array(step, { minLength: 1, maxLength: 120, size: 'max' }),
      (maxListed, steps) => {
        const log = new SimulatedLog(maxListed);
        const observers = () => [
          new Observer(placeMapOf),
          new Observer((places) => blockMapOf(places, bounds)),
        ];
        const [primary, standby] = [observers(), observers()];
        const kept: Snapshot[] = [];
        let replayed = 0;
        for (const { what, which, place, matches } of steps) {
          const by = log.running[which % Math.max(1, log.running.length)] ?? log.begin();
          const look = (group: Observer[], snapshot: Snapshot): void => {
            for (const observer of group) observer.look(snapshot, matches);
          };
          if (what === 'begin') log.begin();
          if (what === 'identify') log.identify(by);
          if (what === 'insert') log.insert(by, { place, matches });
          if (what === 'remove') log.change(by, which);
          if (what === 'move') log.change(by, which, { place, matches });
          if (what === 'roll back to') log.rollBackTo(by, 1 + (which % 3));
          if (what.startsWith('commit')) log.writeCommit(by);
          if (what === 'commit' || what === 'show') log.show(which);
          if (what === 'abort') log.abort(by);
          if (what === 'trim') log.trim(by, 1 + (which % 30), 1 + place);
          if (what === 'trim all') log.trim(by, 0, 1 + which);
          if (what === 'truncate log') log.truncateLog(by);
          if (what === 'keep') kept.push(log.snapshot());
          if (what === 'look') look(primary, log.snapshot());
          if (what === 'look again' && kept.length > 0) look(primary, kept[which % kept.length]!);
          if (what === 'look at standby') {
            replayed += which % (log.committed.length - replayed + 1);
            look(standby, log.standbySnapshot(replayed));
          }
        }
        for (const observer of [...primary, ...standby]) {
          for (const outcome of Object.keys(outcomes) as Outcome[]) {
            outcomes[outcome] += observer.outcomes[outcome];
          }
        }
      },
    ),
    { numRuns: 1_000 },
  );
  const { exact, outdated, older } = outcomes;
  expect(outdated, 'some states were outdated').toBeGreaterThan(100);
  expect(older, 'some snapshots were older than the state').toBeGreaterThan(100);
  expect(exact / (exact + outdated), 'most looks need only the change log').toBeGreaterThan(0.5);
});

/** A state counted while one transaction is open and another has committed. */
function countedWhileOpen() {
  const log = new SimulatedLog(9);
  const [open, writer] = [log.begin(), log.begin()];
  log.identify(open);
  log.insert(writer, { place: 1, matches: true });
  const before = log.snapshot();
  commit(log, writer);
  const now = log.snapshot();
  return { log, open, before, now, state: newState(now.moment, placeMapOf(now.places)) };
}

function commit(log: SimulatedLog, by: Transaction): void {
  log.writeCommit(by);
  log.show(0);
}

test('a state can be used in its own snapshot, not in one of another server or table', () => {
  const { now, state } = countedWhileOpen();
  const news = now.newsSince(state);
  expect(news).toMatchObject({ entries: 0, total: 0 });
  expect(isUsable(state, now.moment, news) && seesAll(state, now.moment, news)).toBe(true);
  expect(isUsable(state, { ...now.moment, identity: 'another' }, news)).toBe(false);
});

test('a snapshot from before the count is recognized as older', () => {
  const { before, state } = countedWhileOpen();
  expect(seesAll(state, before.moment, before.newsSince(state))).toBe(false);
});

test('a snapshot that sees a later transaction and lacks one that the state includes is older', () => {
  const log = new SimulatedLog(9);
  const [first, second] = [log.begin(), log.begin()];
  for (const by of [first, second]) log.insert(by, { place: 1, matches: true });
  commit(log, second);
  const before = log.snapshot();
  commit(log, first);
  const now = log.snapshot();
  const state = newState(now.moment, placeMapOf(now.places));
  expect(before.moment.snapshot.split(':')[1]).toBe(now.moment.snapshot.split(':')[1]);
  expect(seesAll(state, before.moment, before.newsSince(state))).toBe(false);
});

test('a state needs the entries of a transaction that was open, and is outdated without them', () => {
  const { log, open, state } = countedWhileOpen();
  const trim = (): Snapshot => {
    const trimmer = log.begin();
    log.trim(trimmer, 0, 99);
    commit(log, trimmer);
    return log.snapshot();
  };
  const usableIn = (snapshot: Snapshot) =>
    isUsable(state, snapshot.moment, snapshot.newsSince(state));
  const kept = log.snapshot();
  expect(kept.moment.horizon).toBe('100');
  log.insert(open, { place: 3, matches: true });
  commit(log, open);
  const after = log.snapshot();
  expect(usableIn(after)).toBe(true);
  expect(after.newsSince(state)).toMatchObject({ entries: 1, total: 1 });
  expect(usableIn(trim())).toBe(false);
});

test('trimming past an open transaction keeps its entries until it has ended', () => {
  const { log, open, state } = countedWhileOpen();
  log.insert(open, { place: 3, matches: true });
  const trimmer = log.begin();
  log.trim(trimmer, 0, 99);
  commit(log, trimmer);
  commit(log, open);
  const after = log.snapshot();
  expect(after.moment.running).toEqual([String(open.xid)]);
  const fresh = newState(after.moment, placeMapOf(after.places));
  expect(isUsable(fresh, after.moment, after.newsSince(fresh))).toBe(true);
  expect(isUsable(state, after.moment, after.newsSince(state))).toBe(
    state.snapshot.xmax >= BigInt(after.moment.horizon),
  );
});

test('a transaction that exceeds the limit of the log makes every earlier state outdated', () => {
  const log = new SimulatedLog(3);
  const observer = new Observer(placeMapOf);
  expect(observer.look(log.snapshot(), true)).toBe('exact');
  const bulk = log.begin();
  for (let i = 0; i < 5; i += 1) log.insert(bulk, { place: i, matches: true });
  log.rollBackTo(bulk, 5);
  log.insert(bulk, { place: 1, matches: true });
  commit(log, bulk);
  expect(observer.look(log.snapshot(), true), 'undone in time').toBe('exact');
  const another = log.begin();
  for (let i = 0; i < 5; i += 1) log.insert(another, { place: i, matches: true });
  commit(log, another);
  expect(observer.look(log.snapshot(), true)).toBe('outdated');
  expect(observer.look(log.snapshot(), true)).toBe('exact');
});

test('an older transaction can delete a row that a newer one inserted', () => {
  const log = new SimulatedLog(9);
  const [older, newer, open] = [log.begin(), log.begin(), log.begin()];
  const observer = new Observer(placeMapOf);
  log.identify(older);
  log.identify(open);
  expect(observer.look(log.snapshot(), true)).toBe('exact');
  log.insert(newer, { place: 1, matches: true });
  commit(log, newer);
  expect(observer.look(log.snapshot(), true)).toBe('exact');
  log.change(older, 0);
  commit(log, older);
  expect(observer.look(log.snapshot(), true)).toBe('exact');
  expect(new Observer(placeMapOf).look(log.snapshot(), true)).toBe('exact');
});

test('a standby counts what it sees beyond the published snapshot once', () => {
  const log = new SimulatedLog(9);
  const [first, second] = [log.begin(), log.begin()];
  log.insert(first, { place: 1, matches: true });
  log.insert(second, { place: 2, matches: true });
  commit(log, second);
  const observer = new Observer(placeMapOf);
  const early = log.standbySnapshot(1);
  expect(observer.look(early, true)).toBe('exact');
  expect(early.moment.beyond).toEqual([String(second.xid)]);
  commit(log, first);
  expect(observer.look(log.standbySnapshot(2), true)).toBe('exact');
  expect(observer.look(early, true), 'replayed less').toBe('older');
  const trimmer = log.begin();
  log.trim(trimmer, 99, 99);
  commit(log, trimmer);
  expect(log.standbySnapshot(3).moment.beyond).toEqual([]);
  expect(observer.look(log.standbySnapshot(3), true)).toBe('exact');
});
