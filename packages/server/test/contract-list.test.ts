/** The list as documented in docs/api.md: its parameters, order, pages and errors. */
import type { Problem, WireCustomer, WireCustomerList } from '@clientele/contract';
import { blankCustomer } from '@clientele/contract/customer-fields';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '@clientele/sandbox/testing';

const customer = (number: number, rest: Partial<WireCustomer> = {}): WireCustomer => ({
  ...blankCustomer,
  uuid: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
  full_name: `Customer ${number}`,
  email_address: `customer${number}@directory.example`,
  created_at: `2026-01-0${number}T12:00:00.000Z`,
  ...rest,
});
/** Newest first. The last three share one instant. */
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

async function rejection(query: string): Promise<Problem> {
  const response = await service.get(`/v3/customers?${query}`);
  expect(response.statusCode, response.body).toBe(400);
  return response.json<Problem>();
}

const ids = ({ data }: WireCustomerList): string[] => data.map(({ uuid }) => uuid);
const bad = ['0', '-1', '+1', '%2B1', '01', '1.0', '1e3', '0x10', '%201', '1%20', '', '%00', '%ff'];
const otherDigits = ['%D9%A1', '%EF%BC%91', '1,000', '1_000', 'NaN', 'Infinity', '%'];

describe('page is 1 to 1,000,000,000 in plain decimal digits', () => {
  test('defaults to 1', async () => {
    expect((await list('')).pagination.page).toBe(1);
  });

  test.each([1, 2, 999, 1_000_000_000])('%i is accepted', async (page) => {
    expect((await list(`page=${page}`)).pagination.page).toBe(page);
  });

  test.each([...bad, ...otherDigits, '1000000001', '9'.repeat(400)])(
    '%s is rejected with 400',
    async (text) => {
      const { code, errors } = await rejection(`page=${text}`);
      expect(code).toBe('invalid-page');
      expect(errors).toMatchObject([{ parameter: 'page', code: 'invalid-page' }]);
    },
  );

  test('a name without a value is rejected with 400', async () => {
    expect((await rejection('page')).code).toBe('invalid-page');
  });
});

describe('perPage is 1 to 100 in plain decimal digits, and never clamped', () => {
  test('defaults to 25', async () => {
    expect((await list('')).pagination.per_page).toBe(25);
  });

  test.each([1, 2, 25, 100])('%i is the page size', async (perPage) => {
    const { data, pagination } = await list(`perPage=${perPage}`);
    expect(pagination.per_page).toBe(perPage);
    expect(data).toHaveLength(Math.min(perPage, stored.length));
  });

  test.each([...bad, ...otherDigits, '101', '1000000'])('%s is rejected with 400', async (text) => {
    const { code, errors } = await rejection(`perPage=${text}`);
    expect(code).toBe('invalid-per-page');
    expect(errors).toMatchObject([{ parameter: 'perPage', code: 'invalid-per-page' }]);
  });

  test('per_page is accepted as an alternative spelling', async () => {
    expect(await list('per_page=2')).toEqual(await list('perPage=2'));
    expect((await rejection('per_page=101')).errors).toMatchObject([
      { parameter: 'per_page', code: 'invalid-per-page' },
    ]);
  });

  test.each(['perPage=2&per_page=2', 'per_page=2&perPage=3'])(
    'sending both spellings is rejected with 400: %s',
    async (query) => {
      expect((await rejection(query)).errors).toMatchObject([
        { parameter: 'per_page', code: 'repeated-parameter' },
      ]);
    },
  );
});

describe('search is up to 256 code points and 8 terms', () => {
  const noMatches = { data: [], pagination: { page: 1, per_page: 25, total: 0 } };
  const search = (text: string): string => `search=${encodeURIComponent(text)}`;

  test.each([
    ['letters', 'x'.repeat(256)],
    ['characters of two UTF-16 units', '\u{1F600}'.repeat(256)],
    ['letters surrounded by white space', `  ${'x'.repeat(256)}\t\n\u3000`],
  ])('256 %s are accepted', async (_, text) => {
    expect(await list(search(text))).toEqual(noMatches);
  });

  test.each([
    ['letters', 'x'.repeat(257)],
    ['characters of two UTF-16 units', '\u{1F600}'.repeat(257)],
    ['combining marks', `e${'\u0301'.repeat(256)}`],
  ])('257 %s are rejected with 400', async (_, text) => {
    const { code, errors } = await rejection(search(text));
    expect(code).toBe('search-too-long');
    expect(errors).toMatchObject([{ parameter: 'search', code: 'search-too-long' }]);
  });

  test('eight terms are accepted, nine are rejected with 400', async () => {
    expect(await list(search('a b c d e f g h'))).toEqual(noMatches);
    expect((await rejection(search('a b c d e f g h i'))).code).toBe('search-too-long');
  });

  test.each(['\u3000', '\u0001', '\u001F', '\u007F', '\u0085', '\u00A0', '\t', '\uFDFA'])(
    'nine terms are rejected whatever character separates them: %j',
    async (separator) => {
      const text = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].join(separator);
      expect((await rejection(search(text))).code).toBe('search-too-long');
    },
  );

  test.each(['', '%20', '+', '%09%0A', '%C2%A0%E3%80%80', '%EF%BB%BF'])(
    'a blank text means no search: %j',
    async (text) => {
      expect(ids(await list(`search=${text}`))).toEqual(ids(await list('')));
    },
  );

  test('a name without a value means no search', async () => {
    expect((await list('search')).pagination.total).toBe(stored.length);
  });

  test.each([
    ['a lone percent sign', '%'],
    ['an incomplete escape', 'a%2'],
    ['an escape that is not hexadecimal', '%zz'],
    ['NUL', 'a%00b'],
    ['a lone continuation byte', '%80'],
    ['a truncated sequence', '%C3'],
    ['an overlong slash', '%C0%AF'],
    ['an overlong NUL', '%C0%80'],
    ['a lone surrogate', '%ED%A0%80'],
    ['a code point beyond Unicode', '%F4%90%80%80'],
    ['Latin-1', 'caf%E9'],
  ])('bad percent-encoding, invalid UTF-8 and NUL are rejected with 400: %s', async (_, text) => {
    const { code, errors } = await rejection(`search=${text}`);
    expect(code).toBe('invalid-search');
    expect(errors).toMatchObject([{ parameter: 'search', code: 'invalid-search' }]);
  });

  test('a plus sign means a space, as browsers send it; %2B means a plus sign', async () => {
    expect((await list('search=Customer+5')).pagination.total).toBe(1);
    expect((await list('search=Customer%2B5')).pagination.total).toBe(0);
  });
});

describe('a repeated or unknown parameter is rejected with 400 and named', () => {
  test.each(['page', 'perPage', 'per_page', 'search'])('%s sent twice', async (name) => {
    const { code, errors } = await rejection(`${name}=1&${name}=1`);
    expect(code).toBe('repeated-parameter');
    expect(errors).toMatchObject([{ parameter: name, code: 'repeated-parameter' }]);
  });

  test('a percent-encoded name counts as the same name', async () => {
    expect((await rejection('page=1&p%61ge=2')).code).toBe('repeated-parameter');
  });

  test('an unknown parameter is named', async () => {
    const { code, errors } = await rejection('favourite=1');
    expect(code).toBe('unknown-parameter');
    expect(errors).toMatchObject([{ parameter: 'favourite', code: 'unknown-parameter' }]);
  });

  test.each([
    ['serach', 'search'],
    ['Search', 'search'],
    ['pages', 'page'],
    ['perpage', 'perPage'],
    ['per-page', 'perPage'],
  ])('%s: the error suggests %s', async (name, meant) => {
    const { errors } = await rejection(`${name}=1`);
    expect(errors![0]!.detail).toMatch(new RegExp(`did you mean ${meant}\\?`, 'i'));
  });

  test('no suggestion is made for a name that resembles none', async () => {
    expect((await rejection('favourite=1')).detail).not.toMatch(/did you mean/i);
  });

  test.each(['anna%40directory.example=1', '%ff=1', 'a%00=1', '=1', 'x'.repeat(33), '1=1'])(
    'a name that might be personal data is not repeated in the error: %s',
    async (query) => {
      expect((await rejection(query)).errors).toMatchObject([
        { parameter: '(name withheld)', code: 'unknown-parameter' },
      ]);
    },
  );
});

test('all errors are reported at once', async () => {
  const { errors } = await rejection('page=0&perPage=101&search=%ff&page=2&colour=red');
  expect(errors!.map(({ parameter, code }) => `${parameter}: ${code}`).toSorted()).toEqual([
    'colour: unknown-parameter',
    'page: invalid-page',
    'page: repeated-parameter',
    'perPage: invalid-per-page',
    'search: invalid-search',
  ]);
});

test('values are never repeated in errors', async () => {
  const { body } = await service.get(
    '/v3/customers?page=canary1&perPage=canary2&search=canary3%ff&colour=canary4&page=canary5',
  );
  expect(body).not.toContain('canary');
});

describe('a page past the end is 200 with no data and the exact total', () => {
  test.each(['page=999&perPage=2', 'page=4&perPage=2', 'page=1000000000&perPage=100'])(
    '%s',
    async (query) => {
      const { data, pagination } = await list(query);
      expect(data).toEqual([]);
      expect(pagination.total).toBe(stored.length);
    },
  );

  test('of a search', async () => {
    expect(await list('page=999&search=directory')).toEqual({
      data: [],
      pagination: { page: 999, per_page: 25, total: stored.length },
    });
  });

  test('of a search for an identifier', async () => {
    const { data, pagination } = await list(`page=2&search=${stored[0]!.uuid}`);
    expect(data).toEqual([]);
    expect(pagination.total).toBe(1);
  });
});

describe('the order is created_at descending, then uuid descending', () => {
  test('within a page', async () => {
    expect(ids(await list(''))).toEqual(stored.map(({ uuid }) => uuid));
  });

  test.each([1, 2, 3])('across pages of %i', async (perPage) => {
    const found: string[] = [];
    for (let page = 1; page <= Math.ceil(stored.length / perPage); page += 1) {
      found.push(...ids(await list(`page=${page}&perPage=${perPage}`)));
    }
    expect(found).toEqual(stored.map(({ uuid }) => uuid));
  });
});

test('parameters may come in any order, and empty pairs are ignored', async () => {
  expect(await list('search=customer&perPage=2&page=2')).toEqual(
    await list('&&page=2&perPage=2&&search=customer&'),
  );
});
