import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BlockMap,
  MapMismatchError,
  PlaceMap,
  type Change,
  type PageMap,
} from '../src/customers/maps/page-map.ts';
import { blockMapOf, pageOf, placeMapOf, readPage, tableOf } from './setup/page-table.ts';

const numRuns = 1_000;

/** Few, so that customers share them; and the ends of the calendar, where floats are coarse. */
const place = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 12 }) },
  { weight: 3, arbitrary: fc.integer({ min: -40, max: 40 }).map((n) => n / 4096) },
  { weight: 1, arbitrary: fc.constantFrom(-63_082_281_600_000, 252_455_615_999_999.97) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, min: -7e13, max: 3e14 }) },
);
const places = fc.array(place, { maxLength: 60, size: 'max' });
const bounds = fc.uniqueArray(place, { maxLength: 20, size: 'max' });
const window = fc.record({ offset: fc.nat(80), limit: fc.integer({ min: 1, max: 30 }) });

const forms: [string, (places: readonly number[], bounds: readonly number[]) => PageMap][] = [
  ['the place of every match', (all) => placeMapOf(all)],
  ['matches in each block', (all, cuts) => blockMapOf(all, cuts)],
];

describe.each(forms)('a map of %s', (_, make) => {
  test('knows the total, and leads a scan of the table to exactly the page', () => {
    fc.assert(
      fc.property(places, bounds, window, (all, cuts, { offset, limit }) => {
        const table = tableOf(all);
        const map = make(all, cuts);
        expect(map.total).toBe(all.length);
        expect(readPage(table, map, offset, limit)).toEqual(pageOf(table, offset, limit));
      }),
      { numRuns },
    );
  });

  test('starts a page in its own block or places, so that little is walked over', () => {
    fc.assert(
      fc.property(places, bounds, window, (all, cuts, { offset, limit }) => {
        const start = make(all, cuts).start(offset, limit);
        expect(start === undefined).toBe(offset >= all.length);
        if (!start) return;
        const first = tableOf(all)[offset]!.place;
        const shared =
          'places' in start
            ? all.filter((other) => other === first)
            : all.filter((other) => blockOf(cuts, other) === blockOf(cuts, first));
        expect(start.skip).toBeLessThan(shared.length);
      }),
      { numRuns },
    );
  });

  test('with changes is the map of the changed table', () => {
    fc.assert(
      fc.property(places, places, fc.infiniteStream(fc.nat()), bounds, (...given) => {
        const [before, came, dice, cuts] = given;
        const roll = (): number => dice.next().value!;
        const left = before.filter(() => roll() % 2);
        // Some of those who came are gone again, told in any order: only the sum counts.
        const passing = came.filter(() => roll() % 2);
        const changes = [...left, ...passing]
          .map((at): Change => ({ place: at, sign: -1 }))
          .concat(came.map((at) => ({ place: at, sign: 1 })))
          .map((change) => ({ change, turn: roll() }))
          .toSorted((a, b) => a.turn - b.turn)
          .map(({ change }) => change);
        const after = without([...before, ...came], [...left, ...passing]);
        const original = make(before, cuts);
        const changed = original.with(changes);
        expect(told(changed), 'as if it had been made so').toEqual(told(make(after, cuts)));
        expect(told(original), 'the map itself stays').toEqual(told(make(before, cuts)));
        const inverse = changes.map(({ place: at, sign }) => ({ place: at, sign: -sign }));
        expect(told(changed.with(inverse)), 'undone').toEqual(told(original));
      }),
      { numRuns },
    );
  });

  test('refuses that somebody leaves who is not there', () => {
    fc.assert(
      fc.property(places, place, bounds, (all, stranger, cuts) => {
        const sameBlock = (other: number) => blockOf(cuts, other) === blockOf(cuts, stranger);
        const others = all.filter((other) => other !== stranger && !sameBlock(other));
        const leave = () => make(others, cuts).with([{ place: stranger, sign: -1 }]);
        expect(leave).toThrow(MapMismatchError);
      }),
      { numRuns },
    );
  });
});

test('both forms say how much memory they take', () => {
  expect(new PlaceMap(new Float64Array(1_000)).bytes).toBe(8_000);
  expect(new BlockMap(new Float64Array(999), new Int32Array(1_000)).bytes).toBe(4_000);
});

const blockOf = (cuts: readonly number[], at: number): number =>
  cuts.filter((cut) => cut <= at).length;

function without(all: readonly number[], gone: readonly number[]): number[] {
  const rest = [...all];
  for (const at of gone) rest.splice(rest.indexOf(at), 1);
  return rest;
}

/** All that a map tells. */
const told = (map: PageMap) => ({
  total: map.total,
  bytes: map.bytes,
  starts: Array.from({ length: map.total + 1 }, (_, offset) => map.start(offset, 1)),
});
