import { limits, type ParameterProblemCode } from '@clientele/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseListQuery } from '../src/customers/list-query.ts';

const runs = { numRuns: 1_000 };
const codesOf = (url: string): ParameterProblemCode[] =>
  parseListQuery(url).errors.map(({ code }) => code);
/** Text that can be sent: no lone surrogate, no NUL. */
const text = fc
  .string({ unit: 'binary', maxLength: 300 })
  .filter((value) => value.isWellFormed() && !value.includes('\0'));

test('parsing never throws, and its result is always within the limits', () => {
  const query = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.webQueryParameters(),
    fc.string({ unit: fc.constantFrom('page=', 'perPage=', 'search=', '&', '1', '%', '%20', 'x') }),
  );
  fc.assert(
    fc.property(query, (raw) => {
      const { page, perPage } = parseListQuery(`/v3/customers?${raw}`).query;
      expect(page).toBeGreaterThanOrEqual(limits.page.min);
      expect(page).toBeLessThanOrEqual(limits.page.max);
      expect(perPage).toBeGreaterThanOrEqual(limits.perPage.min);
      expect(perPage).toBeLessThanOrEqual(limits.perPage.max);
    }),
    runs,
  );
});

describe.each([
  ['page', 'page', 'invalid-page'],
  ['perPage', 'perPage', 'invalid-per-page'],
  ['per_page', 'perPage', 'invalid-per-page'],
] as const)('%s', (name, field, code) => {
  const { min, max } = limits[field];

  test('accepts every number within the limits', () => {
    fc.assert(
      fc.property(fc.integer({ min, max }), (number) => {
        const { query, errors } = parseListQuery(`/?${name}=${number}`);
        expect(errors).toEqual([]);
        expect(query[field]).toBe(number);
      }),
      runs,
    );
  });

  test('rejects any other text', () => {
    const other = fc.oneof(
      fc.integer({ max: min - 1 }).map(String),
      fc.integer({ min: max + 1 }).map(String),
      fc.double().map(String),
      fc.integer({ min, max }).map((number) => `0${number}`),
      fc.integer({ min, max }).map((number) => ` ${number}`),
      fc.integer({ min, max }).map((number) => `${number}\n`),
      text,
    );
    fc.assert(
      fc.property(
        other.filter((value) => !/^[1-9]\d*$/.test(value) || Number(value) > max),
        (value) => {
          expect(codesOf(`/?${name}=${encodeURIComponent(value)}`)).toEqual([code]);
        },
      ),
      runs,
    );
  });
});

describe('search', () => {
  const search = (value: string) => parseListQuery(`/?search=${encodeURIComponent(value)}`);
  const word = fc.string({
    unit: fc.constantFrom('a', 'é', '\u{1F600}', '田', "'", '%'),
    minLength: 1,
    maxLength: 300,
  });

  test('is trimmed and otherwise unchanged', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(search(value).query.search).toBe(value.trim());
      }),
      runs,
    );
  });

  test(`is too long beyond ${limits.search.maxCodePoints} code points`, () => {
    fc.assert(
      fc.property(word, fc.constantFrom('', ' ', '\t\n'), (value, blank) => {
        const long = [...value].length > limits.search.maxCodePoints;
        const codes = search(blank + value + blank).errors.map(({ code }) => code);
        expect(codes).toEqual(long ? ['search-too-long'] : []);
      }),
      runs,
    );
  });

  test(`is too long beyond ${limits.search.maxTerms} terms`, () => {
    const short = fc.string({ unit: fc.constantFrom('a', 'é', '田'), minLength: 1, maxLength: 9 });
    const blank = fc.string({
      unit: fc.constantFrom(' ', '\t', '\u3000', '\x01'),
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(fc.array(short, { minLength: 1, maxLength: 16 }), blank, (terms, between) => {
        const codes = search(terms.join(between)).errors.map(({ code }) => code);
        expect(codes).toEqual(terms.length > limits.search.maxTerms ? ['search-too-long'] : []);
      }),
      runs,
    );
  });
});

test('error messages do not depend on the invalid value', () => {
  const template = (value: string) =>
    parseListQuery(`/?page=x${value}&perPage=x${value}&other=${value}&search=%ff${value}`).errors;
  const wanted = template('');
  fc.assert(
    fc.property(text, (value) => {
      expect(template(encodeURIComponent(value))).toEqual(wanted);
    }),
    runs,
  );
});
