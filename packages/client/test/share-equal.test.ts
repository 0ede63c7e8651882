import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toCustomer } from '@clientele/client';
import { shareEqual } from '../src/share-equal.ts';
import { wireCustomer } from './directory.ts';

/** A class instance, which structural sharing must not take apart even if its fields are equal. */
class Money {
  readonly amount = 1;
}

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(undefined, null, true, 0, -0, Number.NaN, 'a', new Map(), new Money()),
    fc.constantFrom(0, 1, Number.NaN).map((time) => new Date(time)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { noNullPrototype: true }),
  ),
})).value;

describe('structural sharing', () => {
  test('returns a value equal to the new one, whatever the previous one was', () => {
    fc.assert(
      fc.property(value, value, (previous, next) => {
        expect(shareEqual(previous, next)).toStrictEqual(next);
      }),
      { numRuns: 5000 },
    );
  });

  test('returns the previous object if the new one is equal, including dates', () => {
    fc.assert(
      fc.property(fc.array(wireCustomer), (rows) => {
        const before = rows.map(toCustomer);
        expect(shareEqual(before, rows.map(toCustomer))).toBe(before);
      }),
      { numRuns: 1000 },
    );
  });

  test('keeps every unchanged row and changes neither input', () => {
    fc.assert(
      fc.property(fc.array(wireCustomer, { minLength: 1 }), fc.nat(), (rows, n) => {
        const changed = n % rows.length;
        const freeze = <T extends object>(list: T[]) =>
          Object.freeze(list.map((row) => Object.freeze(row)));
        const before = freeze(rows.map(toCustomer));
        const after = freeze(
          rows.map((row, at) =>
            toCustomer(at === changed ? { ...row, full_name: `${row.full_name}!` } : row),
          ),
        );
        const shared = shareEqual(before, after) as typeof after;
        for (const at of rows.keys()) expect(shared[at] === before[at]).toBe(at !== changed);
      }),
      { numRuns: 1000 },
    );
  });
});
