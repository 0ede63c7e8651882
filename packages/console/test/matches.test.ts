/** The console marks what the server found: checked against the contract's search cases. */
import cases from '@clientele/contract/fixtures/search-cases.json' with { type: 'json' };
import { toCustomer } from '@clientele/client';
import { buildCustomer } from '@clientele/client/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { searchableOf } from '../src/customers/columns.tsx';
import {
  findPlaces,
  isMatch,
  parseSearch,
  wholeNamesFirst,
  type FieldKind,
} from '../src/search/matches.ts';

const marked = (field: string, search: string, kind: FieldKind = 'name') =>
  findPlaces(field, kind, parseSearch(search)).map(([from, to]) => field.slice(from, to));

const customers = cases.customers.map((wire) => searchableOf(toCustomer(buildCustomer(wire))));

describe('the contract’s search cases', () => {
  test.each(cases.cases.map((each) => [each.search, each] as const))('%j', (_search, each) => {
    const search = parseSearch(each.search);
    const found = customers.filter((customer) => isMatch(customer, search));
    expect(found.map(({ id }) => id).toSorted()).toEqual(each.expect.toSorted());
    for (const customer of found) {
      if (search.id !== null || search.terms.length === 0) continue;
      const places = customer.texts.flatMap(([text, kind]) => findPlaces(text, kind, search));
      expect(places, 'every customer found has a mark').not.toEqual([]);
    }
  });
});

describe('marks', () => {
  test.each([
    ['Jürgen Müller', 'muller', ['Müller']],
    ['Mu\u0308ller', 'mul', ['Mu\u0308l']],
    ['Straße', 'strasse', ['Straße']],
    ['Straße', 'ras', ['raß']],
    ['O’Brien', 'obrien', ['O’Brien']],
    ['Anna Anderson', 'an', ['An', 'An']],
    ['Johanna', 'an', []],
    ['Ａnna', 'anna', ['Ａnna']],
    ['50% Club', '%', ['%']],
    ['Jürgen Müller', 'mueller', ['Müller']],
    ['Mu\u0308ller', 'uel', ['u\u0308l']],
    ['Kåre Ågård', 'aagaard', ['Ågård']],
    ['Windmolen B.V., Delft', 'bv', ['B.V.']],
    ['Windmolen B.V.', 'b', ['B']],
    ['(S.r.l.)', 'srl', ['S.r.l.']],
    ['(S.r.l.)', 'rl)', ['r.l.)']],
    ['A. Stern', 'astern', []],
  ])('%s for %s', (field, search, expected) => {
    expect(marked(field, search)).toEqual(expected);
  });

  test('no other spellings in e-mail addresses', () => {
    expect(marked('müller@b.v', 'mueller bv', 'email')).toEqual([]);
  });

  test('digits of a phone across its punctuation', () => {
    expect(marked('+49 (0)170 555-0123', '5550123', 'phone')).toEqual(['555-0123']);
    expect(marked('+33 6 28 12 34 56', '06 28 12 34 56', 'phone')).toEqual(['6 28 12 34 56']);
  });

  test('are inside the text, in order, and never overlap', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom<FieldKind>('name', 'phone'),
        (field, text, kind) => {
          let end = 0;
          for (const [from, to] of findPlaces(field, kind, parseSearch(text))) {
            expect(from).toBeGreaterThanOrEqual(end);
            expect(to).toBeGreaterThan(from);
            end = to;
          }
          expect(end).toBeLessThanOrEqual(field.length);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

test('customers who are called what was typed come first, in the given order', () => {
  const named = (...names: string[]) => names.map((name) => ({ name }));
  expect(
    wholeNamesFirst(named('Anna Bergschmidt', 'Änna Schmidt', 'Anna Schmidt'), 'anna schmidt '),
  ).toEqual(named('Änna Schmidt', 'Anna Schmidt', 'Anna Bergschmidt'));
});
