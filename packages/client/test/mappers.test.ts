import { customerFields } from '@clientele/contract/customer-fields';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ContractError,
  toCustomer,
  toCustomerPage,
  type WireCustomer,
  type WireCustomerList,
} from '@clientele/client';
import { buildCustomer } from '@clientele/client/testing';
import { wireCustomer } from './directory.ts';

const anna = buildCustomer({
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
});

describe('fields of a customer', () => {
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

  test('there are no other fields', () => {
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

describe('fields of a page', () => {
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
  test('per_page is left out', () => {
    expect(Object.keys(page)).toEqual(['items', 'page', 'total']);
  });
});

describe('properties of the mapping', () => {
  test('every valid customer can be mapped, and only null becomes null', () => {
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

  test('the input is not changed, and mapping it twice gives equal but separate results', () => {
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
  const roundTrip = (cents: number) =>
    Math.round(toCustomer({ ...anna, lifetime_value_cents: cents }).lifetimeValue * 100);
  // Above 2^45, adjacent quotients are 2^-7 apart: rounding one can shift the product by 0.39 cents.
  // Products between 2^51 and 2^52 are half a cent apart, so a shift of 0.25 reaches the next one.
  const bound = 100 * 2 ** 45;

  test('survive the round trip exactly for every lifetimeValue from -2^45 to 2^45', () => {
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
          expect(roundTrip(cents) === cents, `${cents} became ${roundTrip(cents)}`).toBe(true);
        },
      ),
      { numRuns: 10_000, examples: [[bound], [-bound]] },
    );
  });

  test('the bound is tight: within 100 cents above it, a value is off', () => {
    let cents = bound;
    while (roundTrip(cents) === cents) cents += 1;
    expect(cents - bound).toBeGreaterThan(0);
    expect(cents - bound).toBeLessThan(100);
  });

  test('are never off by more than one, over the whole range the service allows', () => {
    const { min, max } = customerFields.lifetime_value_cents;
    fc.assert(
      fc.property(fc.integer({ min, max }), (cents) => {
        expect(Math.abs(roundTrip(cents) - cents)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 10_000, examples: [[min], [max]] },
    );
  });
});

describe('timestamps', () => {
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
    ['2026-01-31T09:05:61Z', 'string'],
    ['2026-01-31T09:60:00Z', 'string'],
    ['2026-01-31T09:05:60Z', 'string'],
    ['2026-01-31T09:05:00+24:00', 'string'],
    ['2026-01-31T09:05:00+01:60', 'string'],
    ['2026-01-31T09:05:00+1', 'string'],
    ['2026-01-31T09:05:00+01:', 'string'],
    ['2026-01-31T09:05:00+010', 'string'],
    ['2026-01-31 09:05:00Z', 'string'],
    [1_769_850_300_000, 'number'],
    [undefined, 'undefined'],
    [{}, 'object'],
    [[], 'array'],
  ])('%j is rejected, naming the field and the type', (value, type) => {
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

  test('the message does not contain the value, which may be personal data', () => {
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
    ['2026-01-31T10:05:00+01', 0],
    ['2026-01-31T10:05:00+0100', 0],
    ['2026-01-30T23:35-0930', 0],
    ['2026-01-31T09:05:00-00:00', 0],
    ['2026-01-31T10:05:00,5+01', 500],
    ['2026-02-01T08:04:00+2259', 0],
  ])('%s is accepted as ISO 8601', (value, milliseconds) => {
    expect(map('created_at', value).createdAt.getTime()).toBe(
      Date.UTC(2026, 0, 31, 9, 5, 0, milliseconds),
    );
  });

  test('any offset of an instant, in each form that ISO 8601 allows, gives the same date', () => {
    const instant = fc.date({
      min: new Date('0001-01-02T00:00:00Z'),
      max: new Date('9999-12-30T23:59:59Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instant, fc.integer({ min: -1439, max: 1439 }), (date, minutes) => {
        const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1);
        const sign = minutes < 0 ? '-' : '+';
        const [hh, mm] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((n) =>
          String(n).padStart(2, '0'),
        );
        const forms = [`${sign}${hh}:${mm}`, `${sign}${hh}${mm}`];
        if (mm === '00') forms.push(`${sign}${hh}`);
        for (const offset of forms) {
          expect(map('created_at', local + offset).createdAt, local + offset).toEqual(date);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('every instant that a Date can represent is accepted', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (date) => {
        expect(map('created_at', date.toISOString()).createdAt).toEqual(date);
      }),
      { numRuns: 1000 },
    );
  });
});
