import { limits, type ParameterProblemCode } from '@clientele/contract';
import { phoneNumberIn } from '../src/query/phone-number.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseListQuery } from '../src/query/list-query.ts';

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

  test('is one phone number if it has only digits and separators, however many parts', () => {
    const part = fc.string({ unit: fc.constantFrom('0', '1', '5', '9', '-', ',', '.', '\u200B') });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 60 }), (parts) => {
        const text = parts.join(' ');
        const digits = text.replaceAll(/\D/g, '');
        fc.pre([...text.trim()].length <= limits.search.maxCodePoints);
        expect(phoneNumberIn(text)?.digits).toBe(digits.length < 4 ? undefined : digits);
        if (digits.length >= 4) expect(search(text).errors).toEqual([]);
      }),
      runs,
    );
    expect(phoneNumberIn('030 555 0100 anna')).toBeUndefined();
    expect(phoneNumberIn('1234@5678')).toBeUndefined();
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

describe('filters', () => {
  const filtersOf = (query: string) => parseListQuery(`/?${query}`).query.filters;

  test('are left out of a query that has none', () => {
    expect(parseListQuery('/?search=x').query).toEqual({ page: 1, perPage: 25, search: 'x' });
  });

  test.each([
    ['verified=true', { verified: true }],
    ['hasOrders=false&verified=false', { hasOrders: false, verified: false }],
    ['joinedFrom=2024-03-01', { joinedFrom: Date.UTC(2024, 2, 1) }],
    ['joinedTo=2024-03-01T10:00Z', { joinedTo: Date.UTC(2024, 2, 1, 10) }],
    ['joinedTo=2024-03-01T10:00:05.25Z', { joinedTo: Date.UTC(2024, 2, 1, 10, 0, 5, 250) }],
    ['joinedFrom=2024-03-01T10:00:00%2B01:00', { joinedFrom: Date.UTC(2024, 2, 1, 9) }],
    ['joinedFrom=2024-03-01T10:00:00-01:30', { joinedFrom: Date.UTC(2024, 2, 1, 11, 30) }],
    // Between two milliseconds nobody is created, so the next one means the same.
    ['joinedFrom=2024-03-01T00:00:00.0001Z', { joinedFrom: Date.UTC(2024, 2, 1, 0, 0, 0, 1) }],
    ['joinedTo=2024-03-01T00:00:00.999999999Z', { joinedTo: Date.UTC(2024, 2, 1, 0, 0, 1) }],
    [
      'joinedFrom=0001-01-01&joinedTo=9999-12-31T23:59:59.999Z',
      { joinedFrom: -62_135_596_800_000, joinedTo: 253_402_300_799_999 },
    ],
    [
      'joinedFrom=2024-03-01&joinedTo=2024-03-01',
      { joinedFrom: Date.UTC(2024, 2, 1), joinedTo: Date.UTC(2024, 2, 1) },
    ],
  ])('%s is accepted', (query, filters) => {
    expect(codesOf(`/?${query}`)).toEqual([]);
    expect(filtersOf(query)).toEqual(filters);
  });

  test.each(['', '1', 'yes', 'TRUE', 'true ', '%ff'])('verified=%s is rejected', (value) => {
    expect(codesOf(`/?verified=${value}`)).toEqual(['invalid-filter']);
  });

  test.each([
    ...['', 'yesterday', '2024', '2024-3-1', '20240301', '2024-02-30', '2024-13-01', '2024-00-10'],
    ...['2024-03-01T10:00:00', '2024-03-01T24:00:00Z', '2024-03-01T10:61:00Z', '2024-03-01 10:00Z'],
    ...['2024-03-01T10:00:00+01:00', '2024-03-01T10:00:00%2B24:00', '2024-03-01T10:00:00z'],
    ...[
      '0000-12-31',
      '0001-01-01T00:00%2B00:01',
      '9999-12-31T23:59:59.9991Z',
      '10000-01-01',
      '%ff',
    ],
  ])('joinedFrom=%s is rejected', (value) => {
    expect(codesOf(`/?joinedFrom=${value}`)).toEqual(['invalid-filter']);
  });

  test('a range that ends before it starts is rejected', () => {
    expect(codesOf('/?joinedFrom=2024-03-02&joinedTo=2024-03-01')).toEqual(['invalid-filter']);
  });
});
