import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PageMap } from '../src/customers/maps/page-map.ts';
import { catchUp, newState, type SearchState } from '../src/customers/maps/search-state.ts';
import { blockMapOf, pageOf, placeMapOf, readPage, tableOf } from './setup/page-table.ts';
import { SimulatedLog, type Snapshot } from './setup/simulated-log.ts';

const bounds = [2, 3, 5];

/** Caches the state of a search as the list does, and checks it in every snapshot it is given. */
class Observer {
  readonly #server: string;
  readonly #count: (places: readonly number[]) => PageMap;
  #state: SearchState | undefined;
  counts = 0;

  constructor(server: string, count: (places: readonly number[]) => PageMap) {
    this.#server = server;
    this.#count = count;
  }

  /** Brings the cached state to the snapshot, and returns what is wrong with it. */
  look(snapshot: Snapshot): string[] {
    this.#state ??= this.#countIn(snapshot);
    this.#state = this.#catchUp(this.#state, snapshot) ?? this.#countIn(snapshot);
    const wrong = this.#differences(this.#state, snapshot);
    const again = this.#catchUp(this.#state, snapshot);
    if (again?.current !== this.#state.current)
      wrong.push('changed although the snapshot is the same');
    return wrong;
  }

  #catchUp(state: SearchState, snapshot: Snapshot): SearchState | undefined {
    return catchUp(state, { ...snapshot.moment(state.since), server: this.#server });
  }

  #countIn(snapshot: Snapshot): SearchState {
    this.counts += 1;
    const moment = { ...snapshot.moment(snapshot.xmin), server: this.#server };
    return newState(moment, this.#count(snapshot.places));
  }

  #differences({ current }: SearchState, { places }: Snapshot): string[] {
    const table = tableOf(places);
    if (current.total !== table.length) return [`total ${current.total}, not ${table.length}`];
    const idsOf = (page: { id: number }[]) => page.map(({ id }) => id).join(',');
    return table
      .map((_, offset) => ({
        read: idsOf(readPage(table, current, offset, 2)),
        truth: idsOf(pageOf(table, offset, 2)),
      }))
      .filter(({ read, truth }) => read !== truth)
      .map(({ read, truth }) => `rows ${read}, not ${truth}`);
  }
}

const step = fc.record({
  what: fc.constantFrom(
    ...['begin', 'identify', 'insert', 'insert', 'insert', 'remove', 'remove', 'move', 'move'],
    ...['roll back to', 'commit', 'commit', 'commit', 'abort', 'trim'],
    ...['look', 'look', 'look', 'look at standby', 'look at standby', 'keep', 'look again'],
  ),
  which: fc.nat(99),
  place: fc.nat(7),
});

test('the cached state of a search, brought to any snapshot, matches that snapshot', () => {
  let counts = 0;
  let looks = 0;
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 30 }),
      fc.array(step, { minLength: 1, maxLength: 120, size: 'max' }),
      (maxListed, steps) => {
        const log = new SimulatedLog(maxListed);
        const observers = {
          primary: [
            new Observer('p', placeMapOf),
            new Observer('p', (at) => blockMapOf(at, bounds)),
          ],
          standby: [
            new Observer('s', placeMapOf),
            new Observer('s', (at) => blockMapOf(at, bounds)),
          ],
        };
        const look = (group: Observer[], snapshot: Snapshot): void => {
          looks += group.length;
          for (const observer of group) expect(observer.look(snapshot)).toEqual([]);
        };
        const kept: Snapshot[] = [];
        let replayed = 0;
        for (const { what, which, place } of steps) {
          const by = log.running[which % Math.max(1, log.running.length)] ?? log.begin();
          if (what === 'begin') log.begin();
          if (what === 'identify') log.identify(by);
          if (what === 'insert') log.insert(by, place);
          if (what === 'remove') log.change(by, which);
          if (what === 'move') log.change(by, which, place);
          if (what === 'roll back to') log.rollBackTo(by, 1 + (which % 3));
          if (what === 'commit' || what === 'abort') log.end(by, what);
          if (what === 'trim') log.trim(which % 30);
          if (what === 'keep') kept.push(log.snapshot());
          if (what === 'look') look(observers.primary, log.snapshot());
          if (what === 'look again' && kept.length > 0) {
            look(observers.primary, kept[which % kept.length]!);
          }
          if (what === 'look at standby') {
            replayed += which % (log.sent - replayed + 1);
            look(observers.standby, log.standbySnapshot(replayed));
          }
        }
        counts += [...observers.primary, ...observers.standby].reduce(
          (n, one) => n + one.counts,
          0,
        );
      },
    ),
    { numRuns: 1_000 },
  );
  expect(counts / looks, 'most looks need only the change log').toBeLessThan(0.5);
});

test('a snapshot of another server, an older one, or one past the horizon needs a new count', () => {
  const log = new SimulatedLog(9);
  const [open, writer] = [log.begin(), log.begin()];
  log.insert(writer, 1);
  const before = log.snapshot();
  log.end(writer, 'commit');
  const now = log.snapshot();
  const state = newState({ ...now.moment(now.xmin), server: 'p' }, placeMapOf(now.places));
  const moment = { ...now.moment(state.since), server: 'p' };
  expect(catchUp(state, moment)).toBe(state);
  const unusable = [
    { ...moment, server: 'q' },
    { ...moment, horizon: String(state.since + 1n) },
    { ...before.moment(state.since), server: 'p' },
  ];
  for (const other of unusable)
    expect(catchUp(state, other), JSON.stringify(other)).toBeUndefined();
  log.end(open, 'abort');
});

test('a count is right after a transaction exceeded the limit of the log and undid its changes', () => {
  const log = new SimulatedLog(3);
  const [open, bulk] = [log.begin(), log.begin()];
  log.identify(open);
  log.insert(bulk, 1);
  log.insert(bulk, 1);
  log.change(bulk, 0);
  log.change(bulk, 0);
  log.end(bulk, 'commit');
  expect(new Observer('p', placeMapOf).look(log.snapshot())).toEqual([]);
});

test('an older transaction can delete a row that a newer one inserted', () => {
  const log = new SimulatedLog(9);
  const [older, newer, open] = [log.begin(), log.begin(), log.begin()];
  const observer = new Observer('p', placeMapOf);
  log.identify(older);
  log.identify(open);
  expect(observer.look(log.snapshot())).toEqual([]);
  log.insert(newer, 1);
  log.end(newer, 'commit');
  expect(observer.look(log.snapshot())).toEqual([]);
  log.change(older, 0);
  log.end(older, 'commit');
  expect(observer.look(log.snapshot())).toEqual([]);
  expect(new Observer('p', placeMapOf).look(log.snapshot())).toEqual([]);
});
