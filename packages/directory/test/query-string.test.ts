import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseQuery } from '../src/query/query-string.ts';

const known = ['page', 'perPage', 'per_page', 'search'];
const runs = { numRuns: 1_000 };
/** Text that can be sent: no lone surrogate, no NUL. */
const text = fc
  .string({ unit: 'binary', maxLength: 40 })
  .filter((value) => value.isWellFormed() && !value.includes('\0'));
/** Malformed query strings of all kinds. */
const anything = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...'%&=+?#;0fFzc3a9pagesearch '.split('')), maxLength: 60 }),
  fc.webQueryParameters(),
);

describe('parseQuery', () => {
  test('never throws, whatever the query string contains', () => {
    fc.assert(
      fc.property(anything, (query) => {
        const { values, errors } = parseQuery(`/v3/customers?${query}`, known);
        for (const name of values.keys()) expect(known).toContain(name);
        for (const { code } of errors) expect(code).toMatch(/^(unknown|repeated)-parameter$/);
      }),
      runs,
    );
  });

  test('decodes what URLSearchParams and encodeURIComponent encode', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...known), text), (wanted) => {
        const pairs = Object.entries(wanted);
        const form = new URLSearchParams(wanted).toString();
        const component = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
        for (const query of [form, component.join('&'), `&${component.join('&&')}&`]) {
          const { values, errors } = parseQuery(`/?${query}`, known);
          expect(errors).toEqual([]);
          expect(Object.fromEntries(values)).toEqual({ ...wanted });
        }
      }),
      runs,
    );
  });

  test('agrees with URLSearchParams on every query string without errors', () => {
    let compared = 0;
    const likely = fc.array(
      fc.tuple(
        fc.constantFrom(...known, 'p%61ge', 'other'),
        fc.constantFrom('', '='),
        fc.string({
          unit: fc.constantFrom(...'ab+ ;=?/', '%41', '%C3%A9', '%26', '%'),
          maxLength: 8,
        }),
      ),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(likely, (parts) => {
        const query = parts.map((part) => part.join('')).join('&');
        const { values, errors } = parseQuery(`/?${query}`, known);
        if (errors.length > 0 || [...values.values()].includes(null)) return;
        compared += 1;
        expect(new Map(new URLSearchParams(query))).toEqual(values);
      }),
      runs,
    );
    expect(compared, 'enough cases have no errors').toBeGreaterThan(100);
  });

  test('returns null exactly for values that are not UTF-8 or contain NUL', () => {
    const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        let wanted: string | null = null;
        try {
          wanted = bytes.includes(0) ? null : strict.decode(bytes);
        } catch {
          // Not UTF-8.
        }
        const encoded = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
        expect(parseQuery(`/?search=${encoded}`, known).values.get('search')).toBe(wanted);
      }),
      runs,
    );
  });

  test('reports each repetition of a name', () => {
    fc.assert(
      fc.property(fc.constantFrom(...known), fc.integer({ min: 0, max: 5 }), (name, times) => {
        const { errors } = parseQuery(`/?${`${name}=1&`.repeat(times + 1)}`, known);
        expect(errors.map(({ parameter, code }) => `${parameter} ${code}`)).toEqual(
          Array(times).fill(`${name} repeated-parameter`),
        );
      }),
    );
  });

  test('repeats an unknown name only if it is a short plain word', () => {
    fc.assert(
      fc.property(
        text.filter((name) => name !== '' && !known.includes(name)),
        (name) => {
          const { errors } = parseQuery(`/?${encodeURIComponent(name)}=1`, known);
          const plain = /^[A-Za-z][A-Za-z_-]{0,31}$/.test(name);
          expect(errors).toMatchObject([
            { code: 'unknown-parameter', parameter: plain ? name : '(name withheld)' },
          ]);
        },
      ),
      runs,
    );
  });

  test('suggests the right name for one with a single typo', () => {
    const typo = fc
      .tuple(fc.constantFrom('page', 'perPage', 'search'), fc.nat(), fc.constantFrom(...'aeiorst'))
      .map(([name, at, letter]) => {
        const cut = at % name.length;
        return { name, typed: name.slice(0, cut) + letter + name.slice(cut + 1) };
      })
      .filter(({ typed }) => !known.includes(typed));
    fc.assert(
      fc.property(typo, ({ name, typed }) => {
        expect(parseQuery(`/?${typed}=1`, known).errors[0]!.detail).toContain(
          `Did you mean ${name}?`,
        );
      }),
      runs,
    );
  });
});
