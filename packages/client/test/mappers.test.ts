import { limits } from '@clientele/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ContractError,
  toCustomer,
  toCustomerPage,
  type WireCustomer,
  type WireCustomerList,
} from '@clientele/client';
import { wireCustomer } from './directory.ts';

const anna: WireCustomer = {
  uuid: '7d9f1f2e-6a55-4c1b-9c53-0d3a3f1f0a01',
  full_name: 'Anna Example',
  email_address: 'anna@example.com',
  phone_number: '+1 202 555 0143',
  company_name: 'Example GmbH',
  is_verified: true,
  total_orders: 12,
  lifetime_value_cents: 129_950,
  last_order_at: '2026-01-31T09:05:00.000Z',
  created_at: '2024-02-29T23:59:59.999Z',
};

describe("the seed's table of application fields", () => {
  const customer = toCustomer(anna);
  test.each([
    ['id', 'uuid', anna.uuid],
    ['name', 'full_name', 'Anna Example'],
    ['email', 'email_address', 'anna@example.com'],
    ['phone', 'phone_number', '+1 202 555 0143'],
    ['company', 'company_name', 'Example GmbH'],
    ['isVerified', 'is_verified', true],
    ['totalOrders', 'total_orders', 12],
    ['lifetimeValue', 'lifetime_value_cents divided by 100', 1299.5],
    ['lastOrderAt', 'last_order_at as a date', new Date(Date.UTC(2026, 0, 31, 9, 5))],
    ['createdAt', 'created_at as a date', new Date(Date.UTC(2024, 1, 29, 23, 59, 59, 999))],
  ] as const)('%s comes from %s', (field, _source, expected) => {
    expect(customer[field]).toEqual(expected);
  });

  test('there are no fields but these', () => {
    expect(Object.keys(customer)).toHaveLength(10);
  });

  test.each([
    ['phone', 'phone_number'],
    ['company', 'company_name'],
    ['lastOrderAt', 'last_order_at'],
  ] as const)('%s is null when %s is', (field, source) => {
    expect(toCustomer({ ...anna, [source]: null })[field]).toBeNull();
  });
});

describe("the seed's table of the list result", () => {
  const envelope: WireCustomerList = {
    data: [anna, { ...anna, uuid: '7d9f1f2e-6a55-4c1b-9c53-0d3a3f1f0a02', last_order_at: null }],
    pagination: { page: 3, per_page: 2, total: 41 },
  };
  const page = toCustomerPage(envelope);

  test('items come from data, each element converted, in order', () => {
    expect(page.items).toEqual(envelope.data.map(toCustomer));
  });
  test('page comes from pagination.page', () => expect(page.page).toBe(3));
  test('total comes from pagination.total', () => expect(page.total).toBe(41));
  test('per_page is not carried over', () => {
    expect(Object.keys(page)).toEqual(['items', 'page', 'total']);
  });
});

describe('laws of the mapping', () => {
  test('every customer the service can send is mapped, nulls to nulls and nothing else to null', () => {
    fc.assert(
      fc.property(wireCustomer, (wire) => {
        const customer = toCustomer(wire);
        expect(customer.phone === null).toBe(wire.phone_number === null);
        expect(customer.company === null).toBe(wire.company_name === null);
        expect(customer.lastOrderAt === null).toBe(wire.last_order_at === null);
        expect(customer.createdAt.toISOString()).toBe(wire.created_at);
        expect(customer.lastOrderAt?.toISOString() ?? null).toBe(wire.last_order_at);
      }),
      { numRuns: 1000 },
    );
  });

  test('frozen input passes untouched, and mapping again gives an equal, separate result', () => {
    fc.assert(
      fc.property(fc.array(wireCustomer, { maxLength: 5 }), fc.nat(), (rows, total) => {
        const envelope: WireCustomerList = Object.freeze({
          data: Object.freeze(rows.map((row) => Object.freeze(row))) as WireCustomer[],
          pagination: Object.freeze({ page: 1, per_page: 25, total }),
        });
        const before = JSON.stringify(envelope);
        const first = toCustomerPage(envelope);
        const second = toCustomerPage(envelope);
        expect(second).toEqual(first);
        expect(second.items).not.toBe(first.items);
        expect(JSON.stringify(envelope)).toBe(before);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('cents', () => {
  const back = (cents: number) =>
    Math.round(toCustomer({ ...anna, lifetime_value_cents: cents }).lifetimeValue * 100);
  // Above 2^45 the quotient's spacing is 2^-7: rounding it can move the product by 0.39 cents, and
  // products between 2^51 and 2^52 are half cents apart, so 0.25 is enough to reach the next one.
  const bound = 100 * 2 ** 45;

  test('come back exactly from every lifetimeValue up to 2^45, in either direction', () => {
    const near = fc.integer({ min: bound - 1_000_000, max: bound });
    const any = fc.integer({ min: -bound, max: bound });
    fc.assert(
      fc.property(
        fc.oneof(
          any,
          near,
          near.map((cents) => -cents),
        ),
        (cents) => {
          expect(back(cents) === cents, `${cents} became ${back(cents)}`).toBe(true);
        },
      ),
      { numRuns: 10_000, examples: [[bound], [-bound]] },
    );
  });

  test('the bound is where it is said to be: a few dozen cents above it one is lost', () => {
    let cents = bound;
    while (back(cents) === cents) cents += 1;
    expect(cents - bound).toBeGreaterThan(0);
    expect(cents - bound).toBeLessThan(100);
  });

  test('are never off by more than one, up to the largest the service allows', () => {
    const { min, max } = limits.customer.lifetimeValueCents;
    fc.assert(
      fc.property(fc.integer({ min, max }), (cents) => {
        expect(Math.abs(back(cents) - cents)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 10_000, examples: [[min], [max]] },
    );
  });
});

describe('a timestamp that is no date', () => {
  const map = (field: 'created_at' | 'last_order_at', value: unknown) =>
    toCustomer({ ...anna, [field]: value });

  test.each([
    ['yesterday', 'string'],
    ['', 'string'],
    ['1', 'string'],
    ['2026-01-31', 'string'],
    ['2026-01-31T09:05:00', 'string'],
    ['2026-02-30T09:05:00.000Z', 'string'],
    ['2026-13-01T09:05:00.000Z', 'string'],
    ['2026-01-31T25:05:00.000Z', 'string'],
    [1_769_850_300_000, 'number'],
    [undefined, 'undefined'],
    [{}, 'object'],
    [[], 'array'],
  ])('%j is refused, naming the field and the type', (value, type) => {
    for (const field of ['created_at', 'last_order_at'] as const) {
      expect(() => map(field, value)).toThrow(
        new ContractError(field, 'an ISO 8601 timestamp', value),
      );
      expect(() => map(field, value)).toThrow(
        `${field}: expected an ISO 8601 timestamp, got ${type}`,
      );
    }
  });

  test('created_at cannot be null', () => {
    expect(() => map('created_at', null)).toThrow(
      'created_at: expected an ISO 8601 timestamp, got null',
    );
  });

  test('its value is kept out of the message: it may be personal data', () => {
    expect(() => map('created_at', 'Anna Example')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('Anna') }),
    );
  });

  test.each([
    ['2026-01-31T09:05:00Z', 0],
    ['2026-01-31T09:05Z', 0],
    ['2026-01-31T09:05:00.123456Z', 123],
    ['2026-01-31T10:05:00.000+01:00', 0],
    ['2026-01-30T23:35:00-09:30', 0],
  ])('%s is one, as ISO 8601 has it', (value, milliseconds) => {
    expect(map('created_at', value).createdAt.getTime()).toBe(
      Date.UTC(2026, 0, 31, 9, 5, 0, milliseconds),
    );
  });

  test('every instant a Date can hold is one', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (date) => {
        expect(map('created_at', date.toISOString()).createdAt).toEqual(date);
      }),
      { numRuns: 1000 },
    );
  });
});
