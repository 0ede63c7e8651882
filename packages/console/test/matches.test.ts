/** The console marks what the server found: checked against the contract's search cases. */
import cases from '@clientele/contract/fixtures/search-cases.json' with { type: 'json' };
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findPlaces, isMatch, parseSearch } from '../src/search/matches.ts';

const marked = (field: string, search: string, isPhone = false) =>
  findPlaces(field, parseSearch(search), isPhone).map(([from, to]) => field.slice(from, to));

describe('the contract’s search cases', () => {
  test.each(cases.cases.map((each) => [each.search, each] as const))('%j', (_search, each) => {
    const search = parseSearch(each.search);
    const found = cases.customers.filter((customer) =>
      isMatch(
        [customer.full_name, customer.email_address, customer.company_name ?? ''],
        customer.phone_number,
        customer.uuid,
        search,
      ),
    );
    expect(found.map(({ uuid }) => uuid).toSorted()).toEqual(each.expect.toSorted());
    for (const customer of found) {
      if (search.id !== null || search.terms.length === 0) continue;
      const fields = [customer.full_name, customer.email_address, customer.company_name ?? ''];
      const places = fields.flatMap((field) => findPlaces(field, search));
      if (customer.phone_number) places.push(...findPlaces(customer.phone_number, search, true));
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
  ])('%s for %s', (field, search, expected) => {
    expect(marked(field, search)).toEqual(expected);
  });

  test('digits of a phone across its punctuation', () => {
    expect(marked('+49 (0)170 555-0123', '5550123', true)).toEqual(['555-0123']);
    expect(marked('+33 6 28 12 34 56', '06 28 12 34 56', true)).toEqual(['6 28 12 34 56']);
  });

  test('are inside the text, in order, and never overlap', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme' }),
        (field, text) => {
          let end = 0;
          for (const [from, to] of findPlaces(field, parseSearch(text), true)) {
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
