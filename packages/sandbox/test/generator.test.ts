/** `clientele generate` returns the same valid customers for the same seed, on every machine. */
import { fieldOf, wireFields } from '@clientele/contract/customer-fields';
import { CustomerSchema } from '@clientele/contract/schema';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { customerAt } from '../src/generator/customer.ts';
import { customersNdjson } from '../src/generator/formats.ts';
import { keyCount } from '../src/generator/random.ts';
import { customers } from './setup/customers.ts';

const fields = Object.keys(CustomerSchema.properties);
const anySeed = fc.integer({ min: 0, max: keyCount - 1 });
const anyIndex = fc.integer({ min: 0, max: keyCount - 1 });

describe('a customer depends only on the seed and the index', () => {
  test('not on customers generated before', () => {
    fc.assert(
      fc.property(anySeed, anyIndex, anyIndex, (seed, index, other) => {
        const first = customerAt(seed, index);
        customerAt(seed, other);
        expect(customerAt(seed, index)).toEqual(first);
      }),
    );
  });

  test('not on the range it is part of', () => {
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

  test('another seed generates other customers', () => {
    const names = (seed: number) => customers(1000, seed).map((customer) => customer.full_name);
    const other = names(2);
    expect(names(1).filter((name, index) => name === other[index]).length).toBeLessThan(20);
  });

  test('not on the machine or the date', () => {
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

describe('every customer meets the contract', () => {
  const sample = customers(20_000, 7);

  test('matches the schema, with fields in the same order', () => {
    const schema = Compile(CustomerSchema);
    const offenders = sample.filter((customer) => !schema.Check(customer));
    expect(offenders.map((customer) => [customer, schema.Errors(customer)])).toEqual([]);
    expect([...new Set(sample.map((customer) => Object.keys(customer).join()))]).toEqual([
      fields.join(),
    ]);
  });

  test('stays within the length limits', () => {
    for (const name of wireFields) {
      const { kind, max } = fieldOf(name);
      if (kind !== 'text') continue;
      const lengths = sample.map((customer) => String(customer[name] ?? '').length);
      expect(Math.max(...lengths), name).toBeLessThanOrEqual(max!);
    }
  });

  test('has no blank, untrimmed, decomposed or unfinished name or number', () => {
    const texts = sample.flatMap(({ full_name, company_name, phone_number }) =>
      [full_name, company_name, phone_number].filter((text) => text !== null),
    );
    const malformed = (text: string) =>
      !/^\S+(\s\S+)*$/.test(text) ||
      text !== text.normalize('NFC') ||
      /[{}#∅]|undefined|null/.test(text);
    expect(texts.filter(malformed)).toEqual([]);
  });

  test('has a plain e-mail address in the reserved domain .example', () => {
    const plain = /^[a-z0-9]+([._+-]+[a-z0-9]+)*@[a-z0-9-]+(\.[a-z]+)+$/i;
    expect(sample.filter(({ email_address }) => !plain.test(email_address))).toEqual([]);
    const real = sample.filter(({ email_address }) => !email_address.endsWith('.example'));
    expect(real).toEqual([]);
  });

  test('has consistent times and order figures', () => {
    const wrong = sample.filter((customer) => {
      const { total_orders, lifetime_value_cents, last_order_at, created_at } = customer;
      const latest = last_order_at ?? created_at;
      return (
        (last_order_at === null) !== (total_orders === 0) ||
        (total_orders === 0 && lifetime_value_cents !== 0) ||
        latest < created_at ||
        created_at < '2016-11-01T00:00:00.000Z' ||
        latest > '2026-10-31T23:59:59.999Z' ||
        [created_at, latest].some((time) => new Date(time).toISOString() !== time)
      );
    });
    expect(wrong).toEqual([]);
  });
});
