/** One customer as documented in docs/api.md, and the format of each field. */
import type {
  Problem,
  WireCustomer,
  WireCustomerDetail,
  WireCustomerList,
} from '@clientele/contract';
import { blankCustomer, fieldOf, wireFields } from '@clientele/contract/customer-fields';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '@clientele/sandbox/testing';

const uuid = 'a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  // Timestamps are in UTC whatever the database's time zone.
  await service.database.query(
    `alter database ${service.database.name} set timezone = 'Asia/Kathmandu'`,
  );
  await service.database.insert([{ ...plain, uuid }]);
});
afterAll(() => service[Symbol.asyncDispose]());

const plain: WireCustomer = {
  ...blankCustomer,
  uuid,
  full_name: 'Ada Example',
  email_address: 'ada@directory.example',
  is_verified: true,
  lifetime_value_cents: -1_250,
  created_at: '2026-01-31T09:05:00.000Z',
};

let made = 0;
/** Stores a customer and reads it from both routes, which must agree. */
async function storeAndRead(fields: Partial<WireCustomer>): Promise<WireCustomer> {
  const id = `00000000-0000-4000-8000-${String((made += 1)).padStart(12, '0')}`;
  await service.database.insert([{ ...plain, ...fields, uuid: id }]);
  const { data } = (await service.get(`/v3/customers/${id}`)).json<WireCustomerDetail>();
  const { data: listed } = (
    await service.get(`/v3/customers?search=${id}`)
  ).json<WireCustomerList>();
  expect(listed).toEqual([data]);
  return data;
}

describe('a customer is found by its UUID, in upper or lower case', () => {
  test.each([uuid, uuid.toUpperCase(), 'A1b2C3d4-E5f6-4a7B-8C9d-0e1F2a3b4c5D'])(
    '%s finds the customer',
    async (id) => {
      const response = await service.get(`/v3/customers/${id}`);
      expect(response.statusCode).toBe(200);
      expect(response.json()).toEqual({ data: plain });
    },
  );

  test('the identifier may be percent-encoded', async () => {
    const encoded = [...uuid].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
    expect((await service.get(`/v3/customers/${encoded}`)).json()).toEqual({ data: plain });
  });

  test.each([
    ['unknown', uuid.replace('a1', 'a2')],
    ['nil', '00000000-0000-0000-0000-000000000000'],
    ['without hyphens', uuid.replaceAll('-', '')],
    ['in braces', `{${uuid}}`],
    ['as a URN', `urn:uuid:${uuid}`],
    ['with a space after it', `${uuid}%20`],
    ['with a line break after it', `${uuid}%0A`],
    ['with NUL after it', `${uuid}%00`],
    ['too short', uuid.slice(0, -1)],
    ['too long', `${uuid}0`],
    ['with a letter beyond f', uuid.replace('a', 'g')],
    ['empty', ''],
    ['a number', '1'],
    ['a word', 'undefined'],
    ['a path traversal', '%2E%2E%2Flivez'],
    ['with broken percent-encoding', '%zz'],
    ['not UTF-8', '%ff'],
    ['an injection', "'%20or%201=1--"],
    ['very long', 'x'.repeat(3_000)],
  ])("an identifier that is no customer's, malformed or not, is 404: %s", async (_, id) => {
    const response = await service.get(`/v3/customers/${id}`);
    expect(response.statusCode, response.body).toBe(404);
    expect(response.json<Problem>().code).toBe('customer-not-found');
  });

  test('any query parameter is rejected with 400', async () => {
    const response = await service.get(`/v3/customers/${uuid}?page=1`);
    expect(response.statusCode).toBe(400);
    expect(response.json<Problem>().errors).toMatchObject([
      { parameter: 'page', code: 'unknown-parameter' },
    ]);
  });

  test('an empty query string is accepted', async () => {
    expect((await service.get(`/v3/customers/${uuid}?`)).statusCode).toBe(200);
  });
});

describe('the fields of a customer', () => {
  test('are the ten of the contract, in the same order', async () => {
    expect(Object.keys(await storeAndRead({}))).toEqual(Object.keys(plain));
  });

  test('uuid is lower case, with hyphens', async () => {
    const [row] = await service.database.query<{ uuid: string }>(
      `insert into customers (uuid, full_name, email_address)
       values ('{0A0B0C0D0E0F4A0B8C0D0E0F0A0B0C0D}', 'Upper Case', 'upper@directory.example')
       returning uuid`,
    );
    const response = await service.get(`/v3/customers/${row!.uuid}`);
    expect(response.json<WireCustomerDetail>().data.uuid).toBe(
      '0a0b0c0d-0e0f-4a0b-8c0d-0e0f0a0b0c0d',
    );
  });

  test.each([
    ['2026-01-31T09:05:00Z', '2026-01-31T09:05:00.000Z'],
    ['2026-01-31T09:05:00.12Z', '2026-01-31T09:05:00.120Z'],
    ['2026-01-31T09:05:00.123456+02:00', '2026-01-31T07:05:00.123Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('timestamps are UTC with milliseconds: %s becomes %s', async (stored, written) => {
    const { created_at, last_order_at } = await storeAndRead({
      created_at: stored,
      last_order_at: stored,
    });
    expect([created_at, last_order_at]).toEqual([written, written]);
  });

  test.each([
    [0, 0],
    [1, -1],
    [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('numbers are integers that JavaScript represents exactly: %i, %i', async (orders, cents) => {
    const data = await storeAndRead({ total_orders: orders, lifetime_value_cents: cents });
    expect(data).toMatchObject({ total_orders: orders, lifetime_value_cents: cents });
  });

  test.each(
    wireFields.flatMap((name) => {
      const { kind, max } = fieldOf(name);
      return kind === 'text' ? [[name, max!] as const] : [];
    }),
  )('%s may have %i characters and no more', async (field, length) => {
    const text = '\u{1F600}'.repeat(length);
    expect(await storeAndRead({ [field]: text })).toMatchObject({ [field]: text });
    await expect(storeAndRead({ [field]: `${text}x` })).rejects.toMatchObject({
      constraint: `${field}_length`,
    });
  });

  test('null is written out; no field is ever omitted', async () => {
    const { phone_number, company_name, last_order_at } = await storeAndRead({});
    expect([phone_number, company_name, last_order_at]).toEqual([null, null, null]);
  });

  test.each([
    'Zoë Ångström-李',
    '"quoted" \\ back',
    'line\nbreak\ttab',
    '\u{1F469}\u{1F3FD}\u200D\u{1F680}',
    '<b>&amp;',
  ])('text is returned unchanged: %j', async (text) => {
    const data = await storeAndRead({ full_name: text, company_name: text, phone_number: text });
    expect(data).toMatchObject({ full_name: text, company_name: text, phone_number: text });
  });
});
