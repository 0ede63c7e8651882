import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FlaggedMap } from '../src/maps/shape/flagged-map.ts';
import { BlockMap } from '../src/maps/shape/block-map.ts';
import type { Flags, Range } from '@clientele/directory';
import {
  MapMismatchError,
  PlaceMap,
  type Change,
  type PageMap,
} from '../src/maps/shape/page-map.ts';
import { blockMapOf, pageOf, placeMapOf, readPage, tableOf } from './setup/page-table.ts';

const numRuns = 1_000;

/** Few distinct places, so that customers share them; and the ends of the calendar, where floats are coarse. */
const place = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 12 }) },
  { weight: 3, arbitrary: fc.integer({ min: -40, max: 40 }).map((n) => n / 4096) },
  { weight: 1, arbitrary: fc.constantFrom(-63_082_281_600_000, 252_455_615_999_999.97) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, min: -7e13, max: 3e14 }) },
);
const places = fc.array(place, { maxLength: 60, size: 'max' });
const bounds = fc.uniqueArray(place, { maxLength: 20, size: 'max' });
const window = fc.record({ offset: fc.nat(80), limit: fc.integer({ min: 1, max: 30 }) });

const flags = fc.record({ verified: fc.boolean(), hasOrders: fc.boolean() }, { requiredKeys: [] });
const range = fc
  .tuple(place, place)
  .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));

const kinds: [string, (places: readonly number[], bounds: readonly number[]) => PageMap][] = [
  ['the places of all matches', (all) => placeMapOf(all)],
  ['the number of matches per block', (all, cuts) => blockMapOf(all, cuts)],
];

describe.each(kinds)('a map of %s', (_, make) => {
  test('knows the total, and finds exactly the rows of a page', () => {
    fc.assert(
      fc.property(places, bounds, window, (all, cuts, { offset, limit }) => {
        const table = tableOf(all);
        const map = make(all, cuts);
        expect(map.total).toBe(all.length);
        for (const ascending of [false, true]) {
          expect(readPage(table, map, offset, limit, ascending)).toEqual(
            pageOf(table, offset, limit, ascending),
          );
        }
      }),
      { numRuns },
    );
  });

  test('starts in the block or at the place of the first row, so few rows are skipped', () => {
    fc.assert(
      fc.property(places, bounds, window, fc.boolean(), (all, cuts, { offset, limit }, up) => {
        const start = make(all, cuts).start(offset, limit, up);
        expect(start === undefined).toBe(offset >= all.length);
        if (!start) return;
        const first = tableOf(all).at(up ? -1 - offset : offset)!.place;
        const shared =
          'places' in start
            ? all.filter((other) => other === first)
            : all.filter((other) => blockOf(cuts, other) === blockOf(cuts, first));
        expect(start.skip).toBeLessThan(shared.length);
      }),
      { numRuns },
    );
  });

  test('after changes equals the map of the changed table', () => {
    fc.assert(
      fc.property(places, places, fc.infiniteStream(fc.nat()), bounds, (...given) => {
        const [before, added, random, cuts] = given;
        const next = (): number => random.next().value!;
        const removed = before.filter(() => next() % 2);
        // Some of the added rows are removed again. The order of changes is random: only the sum counts.
        const removedAgain = added.filter(() => next() % 2);
        const changes = [...removed, ...removedAgain]
          .map((at): Change => ({ place: at, sign: -1 }))
          .concat(added.map((at) => ({ place: at, sign: 1 })))
          .map((change) => ({ change, turn: next() }))
          .toSorted((a, b) => a.turn - b.turn)
          .map(({ change }) => change);
        const after = without([...before, ...added], [...removed, ...removedAgain]);
        const original = make(before, cuts);
        const changed = original.with(changes);
        expect(contentOf(changed), 'same as a new map').toEqual(contentOf(make(after, cuts)));
        expect(contentOf(original), 'the original is unchanged').toEqual(
          contentOf(make(before, cuts)),
        );
        const inverse = changes.map(({ place: at, sign }) => ({ place: at, sign: -sign }));
        expect(contentOf(changed.with(inverse)), 'undone').toEqual(contentOf(original));
      }),
      { numRuns },
    );
  });

  test('rejects the removal of a customer that is not in the map', () => {
    fc.assert(
      fc.property(places, place, bounds, (all, missing, cuts) => {
        const sameBlock = (other: number) => blockOf(cuts, other) === blockOf(cuts, missing);
        const others = all.filter((other) => other !== missing && !sameBlock(other));
        const remove = () => make(others, cuts).with([{ place: missing, sign: -1 }]);
        expect(remove).toThrow(MapMismatchError);
      }),
      { numRuns },
    );
  });
});

describe.each(kinds)('a map with flags, of %s', (_, make) => {
  /** Of customers whose flags are their index modulo four. */
  const flaggedMapOf = (all: readonly number[], cuts: readonly number[]): FlaggedMap => {
    const part = (of: number) =>
      make(
        all.filter((__, i) => i % 4 === of),
        cuts,
      );
    return new FlaggedMap([part(0), part(1), part(2), part(3)]);
  };
  const hasFlags = (of: number, { verified, hasOrders }: Flags): boolean =>
    (verified ?? of % 2 === 1) === (of % 2 === 1) && (hasOrders ?? of >= 2) === of >= 2;

  test('has as its part with some flags the map of the customers who have them', () => {
    fc.assert(
      fc.property(places, bounds, flags, (all, cuts, wanted) => {
        const chosen = all.filter((__, i) => hasFlags(i % 4, wanted));
        const part = flaggedMapOf(all, cuts).only(wanted);
        expect(contentOf(part)).toEqual(contentOf(make(chosen, cuts)));
      }),
      { numRuns },
    );
  });

  test('follows customers whose flags change', () => {
    fc.assert(
      fc.property(places, bounds, flags, fc.nat(3), (all, cuts, wanted, by) => {
        const changed = flaggedMapOf(all, cuts).with(
          all.flatMap((at, i) => [
            { place: at, sign: -1, flags: i % 4 },
            { place: at, sign: 1, flags: (i % 4) ^ by },
          ]),
        );
        const chosen = all.filter((__, i) => hasFlags((i % 4) ^ by, wanted));
        expect(contentOf(changed.only(wanted))).toEqual(contentOf(make(chosen, cuts)));
        expect(changed.total).toBe(all.length);
      }),
      { numRuns },
    );
  });

  test('cut to a range finds exactly the rows in it, before and after changes there', () => {
    fc.assert(
      fc.property(places, places, bounds, range, flags, window, (...given) => {
        const [before, added, cuts, within, wanted, { offset, limit }] = given;
        const isWithin = (at: number): boolean => at >= within.from && at < within.to;
        const whole = flaggedMapOf(before, cuts);
        const changes = added
          .filter(isWithin)
          .map((at, i): Change => ({ place: at, sign: 1, flags: i % 4 }));
        const cut = whole.slice(within, countedEdges(before, whole.edges(within))).with(changes);
        const rows = [
          ...before.filter((at, i) => isWithin(at) && hasFlags(i % 4, wanted)),
          ...added.filter(isWithin).filter((__, i) => hasFlags(i % 4, wanted)),
        ];
        expect(cut.only(wanted).total).toBe(rows.length);
        const table = tableOf(rows);
        expect(readPage(table, cut.only(wanted), offset, limit)).toEqual(
          pageOf(table, offset, limit),
        );
      }),
      { numRuns },
    );
  });

  const countedEdges = (all: readonly number[], edges: readonly Range[]): FlaggedMap[] =>
    edges.map(({ from, to }) => {
      const part = (of: number) =>
        make(
          all.filter((at, i) => i % 4 === of && at >= from && at < to),
          [],
        );
      return new FlaggedMap([part(0), part(1), part(2), part(3)]);
    });

  test('rejects a change without flags', () => {
    const map = flaggedMapOf([1, 2, 3], [2]);
    expect(() => map.with([{ place: 1, sign: 1 }])).toThrow(MapMismatchError);
  });
});

test('both kinds of map report their memory', () => {
  expect(new PlaceMap(new Float64Array(1_000)).bytes).toBe(8_000);
  expect(new BlockMap(new Float64Array(999), new Int32Array(1_000)).bytes).toBe(4_000);
});

const blockOf = (cuts: readonly number[], at: number): number =>
  cuts.filter((cut) => cut <= at).length;

function without(all: readonly number[], removed: readonly number[]): number[] {
  const rest = [...all];
  for (const at of removed) rest.splice(rest.indexOf(at), 1);
  return rest;
}

/** Everything a map can be asked for. */
const contentOf = (map: PageMap) => ({
  total: map.total,
  bytes: map.bytes,
  starts: Array.from({ length: map.total + 1 }, (_, offset) => map.start(offset, 1)),
});
