import { isDeepStrictEqual } from 'node:util';
import type { WireCustomer } from '@clientele/contract';
import { CustomerSchema } from '@clientele/contract/schema';
import { describe, expect, test } from 'vitest';
import { customersCsv, customersNdjson } from '../src/generator/formats.ts';
import { keyCount } from '../src/generator/random.ts';
import { customers } from './setup/customers.ts';

const fields = Object.keys(CustomerSchema.properties);

/** A strict RFC 4180 parser: no quotes in unquoted values, and an unquoted empty value is null. */
function parseCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/gy)) {
    row.push(quoted?.replaceAll('""', '"') ?? (plain === '' ? null : plain!));
    if (end === '\n') {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

/** Includes names with quotes, commas and backslashes. */
const awkward = customers(20_000, 3);
const texts = (customer: WireCustomer) =>
  Object.values(customer).map((value) => (value === null ? null : String(value)));

describe('every format contains the same customers', () => {
  test('the sample has quotes, commas and backslashes', () => {
    const names = awkward.map(({ company_name }) => company_name ?? '').join('\n');
    expect(names).toMatch(/"/);
    expect(names).toMatch(/,/);
    expect(names).toMatch(/\\/);
  });

  test('CSV parses back to the same values', () => {
    const text = [...customersCsv(3, 0, awkward.length)].join('');
    const [header, ...rows] = parseCsv(text);
    expect(header).toEqual(fields);
    expect(rows).toHaveLength(awkward.length);
    const wrong = rows.filter((row, at) => !isDeepStrictEqual(row, texts(awkward[at]!)));
    expect(wrong).toEqual([]);
  });

  test('an empty range is only the header, or nothing', () => {
    expect([...customersCsv(1, 5, 0)].join('')).toBe(`${fields.join(',')}\n`);
    expect([...customersNdjson(1, 5, 0)].join('')).toBe('');
  });

  test.each([
    [-1, 0, 1],
    [0.5, 0, 1],
    [1, -1, 1],
    [1, 0, Number.NaN],
    [1, keyCount - 1, 2],
    [keyCount, 0, 1],
  ])('seed %d, from %d, %d customers is rejected', (seed, from, count) => {
    expect(() => [...customersCsv(seed, from, count)]).toThrow(RangeError);
  });
});
