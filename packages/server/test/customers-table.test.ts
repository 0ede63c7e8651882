/** Writing to the customers table by SQL: its defaults, derived columns and constraints. */
import type { WireCustomerDetail, WireCustomerList } from '@clientele/contract';
import {
  blankCustomer,
  fieldOf,
  isRequired,
  wireFields,
  type CustomerField,
  type Kind,
} from '@clientele/contract/customer-fields';
import { CustomerSchema } from '@clientele/contract/schema';
import fc from 'fast-check';
import { Check } from 'typebox/schema';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '@clientele/sandbox/testing';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
beforeEach(() => service.database.query('delete from customers'));
afterAll(() => service[Symbol.asyncDispose]());

const required = { full_name: 'Ada Sample', email_address: 'someone@directory.example' };

async function insert(row: Record<string, unknown>): Promise<string> {
  const columns = Object.keys(row);
  const [made] = await service.database.query<{ uuid: string }>(
    `insert into customers (${columns.join(', ')})
     values (${columns.map((_, i) => `$${i + 1}`).join(', ')}) returning uuid`,
    Object.values(row),
  );
  return made!.uuid;
}

async function read(uuid: string) {
  return (await service.get(`/v3/customers/${uuid}`)).json<WireCustomerDetail>().data;
}

async function found(search: string): Promise<number> {
  const response = await service.get(`/v3/customers?${new URLSearchParams({ search })}`);
  return response.json<WireCustomerList>().pagination.total;
}

test('only a name and an e-mail address are required; everything else has a default', async () => {
  const before = Date.now();
  const customer = await read(await insert(required));
  expect(customer).toEqual({
    ...blankCustomer,
    ...required,
    uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/),
    created_at: expect.any(String),
  });
  // The database has the same clock, rounded to a millisecond.
  expect(Date.parse(customer.created_at)).toBeGreaterThanOrEqual(before - 1);
  expect(Date.parse(customer.created_at)).toBeLessThanOrEqual(Date.now() + 1);
});

describe('search_text', () => {
  test.each([
    ['full_name', 'Grace Sample', 'grace', 'ada'],
    ['email_address', 'new@directory.example', 'new@directory', 'someone'],
    ['company_name', 'Weiß & Söhne', 'weiss', 'acme'],
    ['phone_number', '+49 170 1234567', '0170 1234567', '4155550132'],
  ])('follows an update of %s', async (column, value, finds, findsNoMore) => {
    const row = { ...required, company_name: 'Acme', phone_number: '+1 415 555 0132' };
    const uuid = await insert(row);
    expect([await found(finds), await found(findsNoMore)]).toEqual([0, 1]);
    await service.database.query(`update customers set ${column} = $1 where uuid = $2`, [
      value,
      uuid,
    ]);
    expect([await found(finds), await found(findsNoMore)]).toEqual([1, 0]);
  });

  test('cannot be written directly', async () => {
    const uuid = await insert(required);
    const generated = { code: '428C9' };
    await expect(insert({ ...required, search_text: 'other' })).rejects.toMatchObject(generated);
    await expect(
      service.database.query('update customers set search_text = $1', ['other']),
    ).rejects.toMatchObject(generated);
    await service.database.query('update customers set search_text = default');
    expect(await found('ada')).toBe(1);
    expect(await read(uuid)).toMatchObject(required);
  });
});

const instants = [
  ['infinity', '9999-12-31T23:59:59.999Z'],
  ['-infinity', '0001-01-01T00:00:00Z'],
  ['10000-01-01T00:00:00Z', '9999-12-31T23:59:59.9994Z'],
  ['0001-12-31T23:59:59.999Z BC', '0001-12-31T23:59:59.9999Z BC'],
  ['9999-12-31T23:59:59.9995Z', '9999-12-31T23:59:59.999499Z'],
  ['9999-12-31T23:59:59-00:01', '9999-12-31T23:59:59+00:01'],
] as const;

/** A rejected value, the closest accepted one, and the constraint between them. */
const rejections: [column: string, constraint: string, rejected: unknown, accepted: unknown][] = [
  ['full_name', 'full_name_not_blank', '', '.'],
  ['full_name', 'full_name_not_blank', ' \t\n\u00A0\u2003\u3000', '\u3000田'],
  ['full_name', 'full_name_length', 'n'.repeat(301), '田'.repeat(300)],
  ['email_address', 'email_address_not_blank', '', '@'],
  ['email_address', 'email_address_not_blank', '\u00A0\u0001\u001C\u0085', '\u0001a'],
  ['email_address', 'email_address_length', 'e'.repeat(321), '🦊'.repeat(320)],
  ['phone_number', 'phone_number_length', '1'.repeat(65), '1'.repeat(64)],
  ['company_name', 'company_name_length', 'c'.repeat(301), 'c'.repeat(300)],
  ['total_orders', 'total_orders_range', -1, 0],
  ['total_orders', 'total_orders_range', '9007199254740992', '9007199254740991'],
  ['lifetime_value_cents', 'lifetime_value_cents_range', '9007199254740992', '9007199254740991'],
  ['lifetime_value_cents', 'lifetime_value_cents_range', '-9007199254740992', '-9007199254740991'],
  ...['created_at', 'last_order_at'].flatMap((column) =>
    instants.map(([rejected, accepted]): [string, string, unknown, unknown] => [
      column,
      `${column}_range`,
      rejected,
      accepted,
    ]),
  ),
];

describe('a row that the API could not return is rejected by a named constraint', () => {
  const short = (value: unknown): string => JSON.stringify(value).slice(0, 32);
  test.each(
    rejections.map(([column, constraint, ...values]) => ({
      title: `${column} by ${constraint}: ${short(values[0])}, but not ${short(values[1])}`,
      column,
      constraint,
      values,
    })),
  )('$title', async ({ column, constraint, values: [rejected, accepted] }) => {
    const uuid = await insert({ ...required, [column]: accepted });
    expect(Check(CustomerSchema, await read(uuid))).toBe(true);
    const rejection = { code: '23514', constraint };
    await expect(insert({ ...required, [column]: rejected })).rejects.toMatchObject(rejection);
    await expect(
      service.database.query(`update customers set ${column} = $1`, [rejected]),
    ).rejects.toMatchObject(rejection);
  });

  test.each([
    'uuid',
    'full_name',
    'email_address',
    'is_verified',
    'total_orders',
    'lifetime_value_cents',
    'created_at',
  ])('%s: null', async (column) => {
    await expect(insert({ ...required, [column]: null })).rejects.toMatchObject({
      code: '23502',
      column,
    });
  });

  test('an identifier that already exists', async () => {
    const uuid = await insert(required);
    await expect(insert({ ...required, uuid: uuid.toUpperCase() })).rejects.toMatchObject({
      code: '23505',
      constraint: 'customers_pkey',
    });
  });
});

test.each([
  ['2026-01-31T09:05:00.123456Z', '2026-01-31T09:05:00.123Z'],
  ['2026-01-31T09:05:00.1235Z', '2026-01-31T09:05:00.124Z'],
  ['2025-12-31T23:59:59.9999Z', '2026-01-01T00:00:00.000Z'],
  ['2026-01-31T09:05:00+05:45', '2026-01-31T03:20:00.000Z'],
])('timestamps are rounded to the millisecond: %s becomes %s', async (given, kept) => {
  const uuid = await insert({ ...required, created_at: given, last_order_at: given });
  expect(await read(uuid)).toMatchObject({ created_at: kept, last_order_at: kept });
});

// Weighted so that about a quarter of the rows fit: a row fits only if each of its values does.
const text = (maxLength: number) =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .string({ unit: 'binary', maxLength: 12 })
        .map((any) => any.replaceAll('\0', '')),
    },
    fc.constantFrom('', ' ', '\u00A0\u3000', 'x', "'", '\u200B'),
    fc.integer({ min: maxLength - 1, max: maxLength + 1 }).map((length) => '🦊'.repeat(length)),
  );
const amount = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(0n, -1n, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n) + 1n, -(2n ** 53n)),
  { weight: 8, arbitrary: fc.bigInt({ min: 0n, max: 1_000_000n }) },
);
const instant = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .date({
        min: new Date('0001-01-01T00:00Z'),
        max: new Date('9999-12-31T23:59:59.999Z'),
        noInvalidDate: true,
      })
      .map((date) => ({ written: date.toISOString(), fits: true })),
  },
  fc
    .constantFrom('infinity', '-infinity', '10000-01-01', '294276-12-31', '4713-01-01 BC')
    .map((written) => ({ written, fits: false })),
);

interface Sample {
  written: unknown;
  shown: unknown;
  fits: boolean;
}
const filled = /[^\p{White_Space}\p{Control}]/u;
const samples: Record<Kind, (field: CustomerField) => fc.Arbitrary<Sample>> = {
  uuid: () => fc.uuid().map((written) => ({ written, shown: written, fits: true })),
  text: (field) =>
    text(field.max!).map((written) => ({
      written,
      shown: written,
      fits: [...written].length <= field.max! && (!isRequired(field) || filled.test(written)),
    })),
  flag: () => fc.boolean().map((written) => ({ written, shown: written, fits: true })),
  integer: ({ min, max }) =>
    amount.map((value) => ({
      written: String(value),
      shown: Number(value),
      fits: value >= min! && value <= max!,
    })),
  instant: () => instant.map(({ written, fits }) => ({ written, shown: written, fits })),
};
const nothing: Sample = { written: null, shown: null, fits: true };
const row = fc.record(
  Object.fromEntries(
    wireFields.map((name) => {
      const field = fieldOf(name);
      const any = samples[field.kind](field);
      return [name, field.nullable ? fc.option(any, { nil: nothing }) : any];
    }),
  ),
);

test('the table accepts exactly those rows that the API can return', async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(row, async (given) => {
      const each = <T>(of: (sample: Sample) => T): Record<string, T> =>
        Object.fromEntries(Object.entries(given).map(([name, sample]) => [name, of(sample)]));
      const inserted = insert(each(({ written }) => written));
      if (Object.values(given).some(({ fits }) => !fits)) {
        await expect(inserted).rejects.toMatchObject({ code: '23514' });
        return;
      }
      accepted += 1;
      const shown = await read(await inserted);
      expect(Check(CustomerSchema, shown), JSON.stringify(shown)).toBe(true);
      expect(shown).toEqual(each((sample) => sample.shown));
    }),
    { numRuns: 1_000 },
  );
  expect(accepted, 'accepted rows').toBeGreaterThan(20);

  let listed = 0;
  for (let page = 1; listed < accepted; page += 1) {
    const response = await service.get(`/v3/customers?perPage=100&page=${page}`);
    const { data, pagination } = response.json<WireCustomerList>();
    expect(pagination.total).toBe(accepted);
    expect(data.filter((shown) => !Check(CustomerSchema, shown))).toEqual([]);
    listed += data.length;
    if (data.length === 0) break;
  }
  expect(listed).toBe(accepted);
});
