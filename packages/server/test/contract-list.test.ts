/** The contract's Service table, row by row: what the list takes and what it gives. */
import type { Problem, WireCustomer, WireCustomerList } from '@clientele/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '@clientele/sandbox/testing';

const customer = (number: number, rest: Partial<WireCustomer> = {}): WireCustomer => ({
  uuid: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
  full_name: `Customer ${number}`,
  email_address: `customer${number}@directory.example`,
  phone_number: null,
  company_name: null,
  is_verified: false,
  total_orders: 0,
  lifetime_value_cents: 0,
  last_order_at: null,
  created_at: `2026-01-0${number}T12:00:00.000Z`,
  ...rest,
});
/** Newest first; the last three are of one instant. */
const stored = [
  customer(5),
  customer(4),
  customer(3, { created_at: '2026-01-01T12:00:00.000Z' }),
  customer(2, { created_at: '2026-01-01T12:00:00.000Z' }),
  customer(1),
];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.database.insert([3, 1, 4, 0, 2].map((index) => stored[index]!));
});
afterAll(() => service[Symbol.asyncDispose]());

async function list(query: string): Promise<WireCustomerList> {
  const response = await service.get(`/v3/customers?${query}`);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<WireCustomerList>();
}

async function refusal(query: string): Promise<Problem> {
  const response = await service.get(`/v3/customers?${query}`);
  expect(response.statusCode, response.body).toBe(400);
  return response.json<Problem>();
}

const ids = ({ data }: WireCustomerList): string[] => data.map(({ uuid }) => uuid);
const bad = ['0', '-1', '+1', '%2B1', '01', '1.0', '1e3', '0x10', '%201', '1%20', '', '%00', '%ff'];
const otherDigits = ['%D9%A1', '%EF%BC%91', '1,000', '1_000', 'NaN', 'Infinity', '%'];

describe('page: "Plain decimal digits, 1 to 1,000,000,000; default 1"', () => {
  test('is 1 when left out', async () => {
    expect((await list('')).pagination.page).toBe(1);
  });

  test.each([1, 2, 999, 1_000_000_000])('%i is taken as it is', async (page) => {
    expect((await list(`page=${page}`)).pagination.page).toBe(page);
  });

  test.each([...bad, ...otherDigits, '1000000001', '9'.repeat(400)])('%s is 400', async (text) => {
    const { code, errors } = await refusal(`page=${text}`);
    expect(code).toBe('invalid-page');
    expect(errors).toMatchObject([{ parameter: 'page', code: 'invalid-page' }]);
  });

  test('a name without a value is an empty value: 400', async () => {
    expect((await refusal('page')).code).toBe('invalid-page');
  });
});

describe('perPage: "Plain decimal digits, 1 to 100; default 25. Never clamped: 101 is 400"', () => {
  test('is 25 when left out', async () => {
    expect((await list('')).pagination.per_page).toBe(25);
  });

  test.each([1, 2, 25, 100])('%i is the size of the page', async (perPage) => {
    const { data, pagination } = await list(`perPage=${perPage}`);
    expect(pagination.per_page).toBe(perPage);
    expect(data).toHaveLength(Math.min(perPage, stored.length));
  });

  test.each([...bad, ...otherDigits, '101', '1000000'])('%s is 400', async (text) => {
    const { code, errors } = await refusal(`perPage=${text}`);
    expect(code).toBe('invalid-per-page');
    expect(errors).toMatchObject([{ parameter: 'perPage', code: 'invalid-per-page' }]);
  });

  test('"per_page is accepted as a second spelling"', async () => {
    expect(await list('per_page=2')).toEqual(await list('perPage=2'));
    expect((await refusal('per_page=101')).errors).toMatchObject([
      { parameter: 'per_page', code: 'invalid-per-page' },
    ]);
  });

  test.each(['perPage=2&per_page=2', 'per_page=2&perPage=3'])(
    '"giving both is 400": %s',
    async (query) => {
      expect((await refusal(query)).errors).toMatchObject([
        { parameter: 'per_page', code: 'repeated-parameter' },
      ]);
    },
  );
});

describe('search: "Up to 256 code points after trimming; blank means no search"', () => {
  const nobody = { data: [], pagination: { page: 1, per_page: 25, total: 0 } };
  const search = (text: string): string => `search=${encodeURIComponent(text)}`;

  test.each([
    ['letters', 'x'.repeat(256)],
    ['characters of two UTF-16 units', '\u{1F600}'.repeat(256)],
    ['letters with blanks around them', `  ${'x'.repeat(256)}\t\n\u3000`],
  ])('256 %s are a search', async (_, text) => {
    expect(await list(search(text))).toEqual(nobody);
  });

  test.each([
    ['letters', 'x'.repeat(257)],
    ['characters of two UTF-16 units', '\u{1F600}'.repeat(257)],
    ['combining marks', `e${'\u0301'.repeat(256)}`],
  ])('257 %s are 400', async (_, text) => {
    const { code, errors } = await refusal(search(text));
    expect(code).toBe('search-too-long');
    expect(errors).toMatchObject([{ parameter: 'search', code: 'search-too-long' }]);
  });

  test('eight terms are a search, nine are 400', async () => {
    expect(await list(search('a b c d e f g h'))).toEqual(nobody);
    expect((await refusal(search('a b c d e f g h i'))).code).toBe('search-too-long');
  });

  test.each(['\u3000', '\u0001', '\u001F', '\u007F', '\u0085', '\u00A0', '\t', '\uFDFA'])(
    'nine terms are 400 whatever splits them: %j',
    async (separator) => {
      const text = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].join(separator);
      expect((await refusal(search(text))).code).toBe('search-too-long');
    },
  );

  test.each(['', '%20', '+', '%09%0A', '%C2%A0%E3%80%80', '%EF%BB%BF'])(
    'blank means no search: %j',
    async (text) => {
      expect(ids(await list(`search=${text}`))).toEqual(ids(await list('')));
    },
  );

  test('a name without a value means no search', async () => {
    expect((await list('search')).pagination.total).toBe(stored.length);
  });

  test.each([
    ['a lone percent sign', '%'],
    ['half an escape', 'a%2'],
    ['an escape that is no number', '%zz'],
    ['NUL', 'a%00b'],
    ['a lone continuation byte', '%80'],
    ['a cut sequence', '%C3'],
    ['an overlong slash', '%C0%AF'],
    ['an overlong NUL', '%C0%80'],
    ['a lone surrogate', '%ED%A0%80'],
    ['a code point beyond Unicode', '%F4%90%80%80'],
    ['Latin-1', 'caf%E9'],
  ])('"Bad percent-encoding, invalid UTF-8, NUL → 400": %s', async (_, text) => {
    const { code, errors } = await refusal(`search=${text}`);
    expect(code).toBe('invalid-search');
    expect(errors).toMatchObject([{ parameter: 'search', code: 'invalid-search' }]);
  });

  test('a plus sign is a space, as browsers send it; %2B is a plus sign', async () => {
    expect((await list('search=Customer+5')).pagination.total).toBe(1);
    expect((await list('search=Customer%2B5')).pagination.total).toBe(0);
  });
});

describe('"Repeated or unknown parameter: 400 naming the parameter"', () => {
  test.each(['page', 'perPage', 'per_page', 'search'])('%s given twice', async (name) => {
    const { code, errors } = await refusal(`${name}=1&${name}=1`);
    expect(code).toBe('repeated-parameter');
    expect(errors).toMatchObject([{ parameter: name, code: 'repeated-parameter' }]);
  });

  test('a name is the same however it is encoded', async () => {
    expect((await refusal('page=1&p%61ge=2')).code).toBe('repeated-parameter');
  });

  test('an unknown one is named', async () => {
    const { code, errors } = await refusal('favourite=1');
    expect(code).toBe('unknown-parameter');
    expect(errors).toMatchObject([{ parameter: 'favourite', code: 'unknown-parameter' }]);
  });

  test.each([
    ['serach', 'search'],
    ['Search', 'search'],
    ['pages', 'page'],
    ['perpage', 'perPage'],
    ['per-page', 'perPage'],
  ])('%s: "did you mean %s?"', async (name, meant) => {
    const { errors } = await refusal(`${name}=1`);
    expect(errors![0]!.detail).toMatch(new RegExp(`did you mean ${meant}\\?`, 'i'));
  });

  test('nothing is guessed for a name that is far from all', async () => {
    expect((await refusal('favourite=1')).detail).not.toMatch(/did you mean/i);
  });

  test.each(['anna%40directory.example=1', '%ff=1', 'a%00=1', '=1', 'x'.repeat(33), '1=1'])(
    'a name that might be data is not told back: %s',
    async (query) => {
      expect((await refusal(query)).errors).toMatchObject([
        { parameter: '(name withheld)', code: 'unknown-parameter' },
      ]);
    },
  );
});

test('"errors: all of them at once"', async () => {
  const { errors } = await refusal('page=0&perPage=101&search=%ff&page=2&colour=red');
  expect(errors!.map(({ parameter, code }) => `${parameter}: ${code}`).toSorted()).toEqual([
    'colour: unknown-parameter',
    'page: invalid-page',
    'page: repeated-parameter',
    'perPage: invalid-per-page',
    'search: invalid-search',
  ]);
});

test('"No caller\'s value is echoed"', async () => {
  const { body } = await service.get(
    '/v3/customers?page=canary1&perPage=canary2&search=canary3%ff&colour=canary4&page=canary5',
  );
  expect(body).not.toContain('canary');
});

describe('"Page past the end: 200, data: [], and the true total"', () => {
  test.each(['page=999&perPage=2', 'page=4&perPage=2', 'page=1000000000&perPage=100'])(
    '%s',
    async (query) => {
      const { data, pagination } = await list(query);
      expect(data).toEqual([]);
      expect(pagination.total).toBe(stored.length);
    },
  );

  test('also of a search', async () => {
    expect(await list('page=999&search=directory')).toEqual({
      data: [],
      pagination: { page: 999, per_page: 25, total: stored.length },
    });
  });

  test('also of a search for one identifier', async () => {
    const { data, pagination } = await list(`page=2&search=${stored[0]!.uuid}`);
    expect(data).toEqual([]);
    expect(pagination.total).toBe(1);
  });
});

describe('order: "created_at descending, uuid descending on ties"', () => {
  test('in one page', async () => {
    expect(ids(await list(''))).toEqual(stored.map(({ uuid }) => uuid));
  });

  test.each([1, 2, 3])('over pages of %i', async (perPage) => {
    const found: string[] = [];
    for (let page = 1; page <= Math.ceil(stored.length / perPage); page += 1) {
      found.push(...ids(await list(`page=${page}&perPage=${perPage}`)));
    }
    expect(found).toEqual(stored.map(({ uuid }) => uuid));
  });
});

test("the parameters' order does not matter, and empty pairs are nothing", async () => {
  expect(await list('search=customer&perPage=2&page=2')).toEqual(
    await list('&&page=2&perPage=2&&search=customer&'),
  );
});
