/** What `clientele generate` promises: the same customers for the same seed, skewed as real ones. */
import { isDeepStrictEqual } from 'node:util';
import { limits, type WireCustomer } from '@clientele/contract';
import { CustomerSchema } from '@clientele/contract/schema';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { beforeAll, describe, expect, test } from 'vitest';
import { customerAt } from '../src/generator/customer.ts';
import { customersCopyText, customersCsv, customersNdjson } from '../src/generator/formats.ts';
import { keyCount } from '../src/generator/random.ts';

const customers = (count: number, seed = 1) =>
  Array.from({ length: count }, (_, index) => customerAt(seed, index));
const share = <T>(items: readonly T[], holds: (item: T) => boolean) =>
  items.filter(holds).length / items.length;
function tally(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
const greatest = (counts: Map<string, number>) =>
  [...counts.values()].reduce((most, count) => Math.max(most, count), 0);

const fields = Object.keys(CustomerSchema.properties);
const anySeed = fc.integer({ min: 0, max: keyCount - 1 });
const anyIndex = fc.integer({ min: 0, max: keyCount - 1 });

describe('a customer is a function of the seed and the index', () => {
  test('whatever was made before', () => {
    fc.assert(
      fc.property(anySeed, anyIndex, anyIndex, (seed, index, other) => {
        const first = customerAt(seed, index);
        customerAt(seed, other);
        expect(customerAt(seed, index)).toEqual(first);
      }),
    );
  });

  test('whatever range it is part of', () => {
    const anyRange = fc.tuple(fc.nat(keyCount - 2000), fc.nat(1200));
    fc.assert(
      fc.property(anySeed, anyRange, (seed, [from, count]) => {
        const made = [...customersNdjson(seed, from, count)].join('').split('\n').slice(0, -1);
        expect(made).toHaveLength(count);
        for (const at of [0, Math.floor(count / 2), count - 1].filter((i) => i >= 0 && i < count)) {
          expect(JSON.parse(made[at]!)).toEqual(customerAt(seed, from + at));
        }
      }),
      { numRuns: 30 },
    );
  });

  test('another seed makes other customers', () => {
    const names = (seed: number) => customers(1000, seed).map((customer) => customer.full_name);
    const other = names(2);
    expect(names(1).filter((name, index) => name === other[index]).length).toBeLessThan(20);
  });

  test('on every machine and in every year', () => {
    expect(customerAt(1, 2)).toEqual({
      uuid: '401e5e88-aa4f-449d-ab56-506dc7240ba3',
      full_name: '橋本 大輔',
      email_address: 'daisuke.hashimoto@daihoshoji.example',
      phone_number: null,
      company_name: '株式会社大豊商事',
      is_verified: false,
      total_orders: 13,
      lifetime_value_cents: 135266,
      last_order_at: '2026-09-24T23:20:57.495Z',
      created_at: '2025-01-15T07:29:13.900Z',
    });
  });
});

describe('every customer is one the contract allows', () => {
  const sample = customers(20_000, 7);

  test('by its schema, in its field order', () => {
    const schema = Compile(CustomerSchema);
    const offenders = sample.filter((customer) => !schema.Check(customer));
    expect(offenders.map((customer) => [customer, schema.Errors(customer)])).toEqual([]);
    expect([...new Set(sample.map((customer) => Object.keys(customer).join()))]).toEqual([
      fields.join(),
    ]);
  });

  test('within its limits, with room to spare', () => {
    const longest = (field: keyof WireCustomer) =>
      sample.reduce((most, customer) => Math.max(most, String(customer[field] ?? '').length), 0);
    expect(longest('full_name')).toBeLessThanOrEqual(limits.customer.fullName.maxLength);
    expect(longest('email_address')).toBeLessThanOrEqual(limits.customer.emailAddress.maxLength);
    expect(longest('phone_number')).toBeLessThanOrEqual(limits.customer.phoneNumber.maxLength);
    expect(longest('company_name')).toBeLessThanOrEqual(limits.customer.companyName.maxLength);
  });

  test('no name or number is blank, ragged, decomposed or unfinished', () => {
    const texts = sample.flatMap(({ full_name, company_name, phone_number }) =>
      [full_name, company_name, phone_number].filter((text) => text !== null),
    );
    const ragged = (text: string) =>
      !/^\S+(\s\S+)*$/.test(text) ||
      text !== text.normalize('NFC') ||
      /[{}#∅]|undefined|null/.test(text);
    expect(texts.filter(ragged)).toEqual([]);
  });

  test('e-mail addresses are plain, and can be nobody’s', () => {
    const plain = /^[a-z0-9]+([._+-]+[a-z0-9]+)*@[a-z0-9-]+(\.[a-z]+)+$/i;
    expect(sample.filter(({ email_address }) => !plain.test(email_address))).toEqual([]);
    const real = sample.filter(({ email_address }) => !email_address.endsWith('.example'));
    expect(real).toEqual([]);
  });

  test('the moments and the figures agree', () => {
    const wrong = sample.filter((customer) => {
      const { total_orders, lifetime_value_cents, last_order_at, created_at } = customer;
      const latest = last_order_at ?? created_at;
      return (
        (last_order_at === null) !== (total_orders === 0) ||
        (total_orders === 0 && lifetime_value_cents !== 0) ||
        latest < created_at ||
        created_at < '2016-11-01T00:00:00.000Z' ||
        latest > '2026-10-31T23:59:59.999Z' ||
        [created_at, latest].some((moment) => new Date(moment).toISOString() !== moment)
      );
    });
    expect(wrong).toEqual([]);
  });
});

describe('customers are skewed as real ones are', () => {
  let many: WireCustomer[];
  beforeAll(() => {
    many = customers(200_000);
  });

  test('uuids are of version 4, and all different', () => {
    expect(share(many, ({ uuid }) => /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab]/.test(uuid))).toBe(
      1,
    );
    expect(new Set(many.map(({ uuid }) => uuid)).size).toBe(many.length);
  });

  test('a search for gmail finds about 30 %', () => {
    const found = share(many, (customer) =>
      [
        customer.full_name,
        customer.email_address,
        customer.company_name,
        customer.phone_number,
      ].some((text) => text?.toLowerCase().includes('gmail')),
    );
    expect(found).toBeGreaterThan(0.27);
    expect(found).toBeLessThan(0.33);
  });

  test('few family names are common, most are rare', () => {
    const families = tally(
      many.map(({ full_name: name }) => name.slice(name.lastIndexOf(' ') + 1)),
    );
    const common = greatest(families) / many.length;
    expect(common).toBeGreaterThan(0.005);
    expect(common).toBeLessThan(0.02);
    expect(families.size).toBeGreaterThan(40_000);
    expect(share([...families.values()], (count) => count <= 2)).toBeGreaterThan(0.6);
  });

  test('few companies have many customers, most have few', () => {
    const companies = tally(many.flatMap(({ company_name }) => company_name ?? []));
    expect(greatest(companies)).toBeGreaterThan(200);
    expect(companies.size).toBeGreaterThan(25_000);
    expect([...companies.keys()].join('')).toMatch(/(?=.*&)(?=.*%)(?=.*")(?=.*')(?=.*\\)(?=.*_)/s);
  });

  test('the last four digits of a phone number tell customers apart', () => {
    const lastFour = tally(
      many.flatMap(({ phone_number }) => phone_number?.replace(/\D/g, '').slice(-4) ?? []),
    );
    expect(lastFour.size).toBeGreaterThan(9900);
    expect(greatest(lastFour) / many.length).toBeLessThan(0.001);
  });

  test('phones are written in many ways', () => {
    const ways = tally(many.flatMap(({ phone_number }) => phone_number?.replace(/\d/g, '9') ?? []));
    for (const way of [
      '(999) 999-9999',
      '+99999999999',
      '099 9999 9999',
      '99.99.99.99',
      '999/9999',
    ]) {
      const like = way.replaceAll('0', '9');
      expect(
        [...ways.keys()].some((found) => found.includes(like)),
        way,
      ).toBe(true);
    }
  });

  test.each<[string, number, number, (customer: WireCustomer) => boolean]>([
    ['no phone', 0.13, 0.17, ({ phone_number }) => phone_number === null],
    ['no company', 0.57, 0.63, ({ company_name }) => company_name === null],
    ['verified', 0.67, 0.73, ({ is_verified }) => is_verified],
    ['no order', 0.25, 0.45, ({ total_orders }) => total_orders === 0],
    ['more than ten orders', 0.01, 0.1, ({ total_orders }) => total_orders > 10],
    ['more than a hundred', 0.0001, 0.01, ({ total_orders }) => total_orders > 100],
    ['more paid back than paid', 0.0005, 0.01, (customer) => customer.lifetime_value_cents < 0],
    ['an apostrophe', 0.002, 0.03, ({ full_name }) => full_name.includes("'")],
    ['a typographic apostrophe', 0.002, 0.03, ({ full_name }) => full_name.includes('’')],
    ['a hyphen', 0.005, 0.05, ({ full_name }) => full_name.includes('-')],
  ])('%s: a share between %f and %f', (_, least, most, holds) => {
    const found = share(many, holds);
    expect(found).toBeGreaterThan(least);
    expect(found).toBeLessThan(most);
  });

  test.each([
    ['Latin with accents', /[äöüßéèçñłşğåøæřůễạ]/],
    ['Cyrillic', /\p{Script=Cyrillic}/u],
    ['Greek', /\p{Script=Greek}/u],
    ['Arabic', /\p{Script=Arabic}/u],
    ['Hebrew', /\p{Script=Hebrew}/u],
    ['Han', /\p{Script=Han}/u],
    ['Katakana', /\p{Script=Katakana}/u],
    ['Hiragana', /\p{Script=Hiragana}/u],
    ['Hangul', /\p{Script=Hangul}/u],
    ['Devanagari', /\p{Script=Devanagari}/u],
    ['Thai', /\p{Script=Thai}/u],
  ])('names in %s', (_, script) => {
    expect(many.filter(({ full_name }) => script.test(full_name)).length).toBeGreaterThan(100);
  });

  test('more come every year, by day more than by night, and a few in the same millisecond', () => {
    const years = tally(many.map(({ created_at }) => created_at.slice(0, 4)));
    for (let year = 2018; year <= 2025; year++) {
      expect(years.get(`${year}`), `${year}`).toBeGreaterThan(years.get(`${year - 1}`)!);
    }
    const hours = tally(many.map(({ created_at }) => created_at.slice(11, 13)));
    expect(Math.min(...hours.values()) / greatest(hours)).toBeLessThan(0.6);
    const ties = [...tally(many.map(({ created_at }) => created_at)).values()]
      .filter((count) => count > 1)
      .reduce((sum, count) => sum + count, 0);
    expect(ties / many.length).toBeGreaterThan(0.001);
    expect(ties / many.length).toBeLessThan(0.01);
  });
});

/** RFC 4180, strictly: what is not quoted holds no quote; nothing empty but null. */
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

const copyEscapes = new Map(
  Object.entries({ '\\t': '\t', '\\n': '\n', '\\r': '\r', '\\\\': '\\' }),
);
/** PostgreSQL's COPY text format, as its manual has it. */
const parseCopyText = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) =>
      line
        .split('\t')
        .map((value) =>
          value === '\\N' ? null : value.replace(/\\./g, (pair) => copyEscapes.get(pair)!),
        ),
    );

/** The sample holds names that need every kind of care. */
const awkward = customers(20_000, 3);
const texts = (customer: WireCustomer, truth: (value: boolean) => string) =>
  Object.values(customer).map((value) =>
    value === null ? null : typeof value === 'boolean' ? truth(value) : String(value),
  );

describe('formats hold the same customers', () => {
  test('the sample has quotes, commas and backslashes to get wrong', () => {
    const names = awkward.map(({ company_name }) => company_name ?? '').join('\n');
    expect(names).toMatch(/"/);
    expect(names).toMatch(/,/);
    expect(names).toMatch(/\\/);
  });

  test('CSV reads back as what was made', () => {
    const text = [...customersCsv(3, 0, awkward.length)].join('');
    const [header, ...rows] = parseCsv(text);
    expect(header).toEqual(fields);
    expect(rows).toHaveLength(awkward.length);
    const wrong = rows.filter((row, at) => !isDeepStrictEqual(row, texts(awkward[at]!, String)));
    expect(wrong).toEqual([]);
  });

  test('COPY text reads back as what was made', () => {
    const rows = parseCopyText([...customersCopyText(3, 0, awkward.length)].join(''));
    expect(rows).toHaveLength(awkward.length);
    const truth = (value: boolean) => (value ? 't' : 'f');
    const wrong = rows.filter((row, at) => !isDeepStrictEqual(row, texts(awkward[at]!, truth)));
    expect(wrong).toEqual([]);
  });

  test('none at all is a header or nothing', () => {
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
  ])('seed %d from %d, %d customers: refused', (seed, from, count) => {
    expect(() => [...customersCopyText(seed, from, count)]).toThrow(RangeError);
  });
});
