/** Masking: without customers:contact, nothing in a response depends on e-mail addresses and phone numbers. */
import { scopes, type WireCustomerDetail, type WireCustomerList } from '@clientele/contract';
import { prepareMasking } from '@clientele/directory';
import {
  createLoginRole,
  createTestDatabase,
  customerId,
  startTestService,
  type LoginRole,
  type TestService,
} from '@clientele/sandbox/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

const withoutContact = scopes.filter((scope) => scope !== 'customers:contact');
const ada = '00000000-0000-4000-8000-00000000000a';
const bo = '00000000-0000-4000-8000-00000000000b';
const hidden = ['email_address', 'phone_number'];

let service: TestService;
let key: string;
beforeAll(async () => {
  service = await startTestService();
  ({ key } = await service.makeKey(withoutContact));
  await service.database.insert([
    { uuid: ada, full_name: 'Ada Sample', email_address: 'ada@directory.example', ...rest },
    { uuid: bo, full_name: 'Bo Sample', email_address: 'x@directory.example', ...rest },
  ]);
  await service.database.query(
    `update customers set phone_number = '+44 20 7946 0123', company_name = 'Zeta' where uuid = $1`,
    [ada],
  );
});
afterAll(() => service[Symbol.asyncDispose]());

const rest = {
  is_verified: false,
  total_orders: 0,
  lifetime_value_cents: 0,
  created_at: '2026-01-31T09:05:00.000Z',
};

const masked = (url: string) => service.get(url, { authorization: `Bearer ${key}` });
const list = async (search: string) =>
  (await masked(`/v3/customers?search=${encodeURIComponent(search)}`)).json<WireCustomerList>();

test('before the directory is prepared, masked callers learn what is missing, and nothing else', async () => {
  for (const url of ['/v3/customers', '/v3/customers?search=ada', `/v3/customers/${ada}`]) {
    const response = await masked(url);
    expect(response.statusCode).toBe(503);
    expect(response.json()).toMatchObject({
      code: 'masking-not-ready',
      detail: expect.stringContaining('clientele prepare masking'),
    });
    expect(response.body).not.toContain('directory.example');
  }
});

describe('once it is prepared', () => {
  beforeAll(async () => {
    await prepareMasking(await service.database.connect());
    // The service asks again after a second.
    const deadline = AbortSignal.timeout(300_000);
    while ((await masked('/v3/customers')).statusCode !== 200) deadline.throwIfAborted();
  });

  test('a masked list has constants for contact details, and says that they are hidden', async () => {
    const full = (await service.get('/v3/customers')).json<WireCustomerList>();
    const body = (await masked('/v3/customers')).json<WireCustomerList>();
    expect(body).toEqual({
      data: full.data.map((customer) => ({ ...customer, email_address: '', phone_number: null })),
      pagination: full.pagination,
      hidden,
    });
    expect(full).not.toHaveProperty('hidden');
  });

  test('a masked customer has constants for contact details, and says that they are hidden', async () => {
    const full = (await service.get(`/v3/customers/${ada}`)).json<WireCustomerDetail>();
    const body = (await masked(`/v3/customers/${ada}`)).json<WireCustomerDetail>();
    expect(body).toEqual({ data: { ...full.data, email_address: '', phone_number: null }, hidden });
    expect(full).not.toHaveProperty('hidden');
  });

  test.each([
    ['sample', 2],
    ['ada', 1],
    ['zeta', 1],
    ['sample zeta', 1],
    [ada, 1],
    ['directory', 0],
    ['ada@directory.example', 0],
    ['0123', 0],
    ['+44 20 7946 0123', 0],
    ['7946', 0],
    ['x', 0],
  ])(
    'a masked search for "%s" finds %i: names, companies and identifiers only',
    async (search, n) => {
      const { data, pagination } = await list(search);
      expect({ rows: data.length, total: pagination.total }).toEqual({ rows: n, total: n });
    },
  );

  test('what is written later is found by its new name and company, and no longer by the old ones', async () => {
    expect((await list('moved')).pagination.total).toBe(0);
    await service.database.query(`update customers set company_name = 'Moved' where uuid = $1`, [
      bo,
    ]);
    expect((await list('moved')).data.map(({ uuid }) => uuid)).toEqual([bo]);
    await service.database.query(`update customers set company_name = null where uuid = $1`, [bo]);
    expect((await list('moved')).pagination.total).toBe(0);
  });

  test('a word that moves from the e-mail address to the name is found, although search_text stays', async () => {
    expect((await list('wander')).pagination.total).toBe(0);
    const move = (name: string, email: string) =>
      service.database.query(
        `update customers set full_name = $2, email_address = $3 where uuid = $1
         returning search_text`,
        [bo, name, email],
      );
    const before = await move('Bo', 'wander x@directory.example');
    expect((await list('wander')).pagination.total).toBe(0);
    const after = await move('Bo wander', 'x@directory.example');
    expect(after).toEqual(before);
    expect((await list('wander')).pagination.total).toBe(1);
  });

  test('preparing again changes nothing', async () => {
    const versions = () => service.database.query('select xmin::text, ctid from customers');
    const before = await versions();
    await prepareMasking(await service.database.connect());
    expect(await versions()).toEqual(before);
  });

  test('if a trigger was disabled for a while, masked callers are refused until names are corrected', async () => {
    await service.database.query(`
      alter table customers disable trigger zz_name_text;
      update customers set full_name = 'Ada Bypassed' where uuid = '${ada}';
      alter table customers enable always trigger zz_name_text`);
    const response = await masked('/v3/customers?search=bypassed');
    expect(response.json()).toMatchObject({ status: 503 });
    await prepareMasking(await service.database.connect());
    await vi.waitFor(
      async () => expect((await list('bypassed')).pagination?.total).toBe(1),
      300_000,
    );
  });
});

describe('the role of masked work', () => {
  let login: LoginRole;
  let client: pg.Client;
  beforeAll(async () => {
    login = await createLoginRole(service.database, 'in role clientele_reader');
    client = new pg.Client({ connectionString: login.url });
    await client.connect();
    await client.query('set role clientele_masked_reader');
  });
  afterAll(async () => {
    await client.end();
    await login[Symbol.asyncDispose]();
  });

  test.each([
    'select email_address from public.customers',
    'select phone_number from public.customers',
    'select search_text from public.customers',
    'select updated_at from public.customers',
    'select * from public.customers',
    'select c from public.customers as c',
    `select uuid from public.customers where email_address like 'a%'`,
    'select uuid from public.customers order by phone_number',
    'select old_text from clientele.changes',
    'select new_text from clientele.changes',
    'select e from clientele.changes as e',
    'select * from clientele.stored_maps',
    'select * from clientele.access_keys',
    'select * from clientele.session_secret',
    'update public.customers set full_name = full_name',
    'set role clientele_writer',
  ])('cannot: %s', async (statement) => {
    await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' });
  });

  test('sees no statistics of hidden columns', async () => {
    const { rows } = await client.query<{ attname: string }>(
      `select distinct attname from pg_stats where tablename in ('customers', 'changes')`,
    );
    const names = rows.map(({ attname }) => attname);
    expect(names).toContain('full_name');
    for (const column of ['email_address', 'phone_number', 'search_text', 'old_text', 'new_text']) {
      expect(names).not.toContain(column);
    }
  });
});

test('a writer is never ended by a deadlock with the preparation, which waits for no customer', async () => {
  const customers = 20_000;
  await using database = await createTestDatabase();
  await database.query(
    `insert into customers (uuid, full_name, email_address)
     select ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid, 'Name ' || i, 'e@directory.example'
     from generate_series(1, $1) as i`,
    [customers],
  );
  const writer = await database.connect();
  const rename = (i: number) =>
    writer.query(`update customers set full_name = 'Renamed' where uuid = $1`, [customerId(i)]);
  // Whoever waits in a circle is found at once, and it is the writer.
  await writer.query(`set deadlock_timeout = '10ms'`);
  // The triggers are there by then, which wait for writers.
  const filling = Promise.withResolvers<void>();
  const preparing = prepareMasking(await database.connect(), {
    onProgress: () => filling.resolve(),
  });
  await filling.promise;
  await writer.query('begin');
  for (let i = customers; i > customers - 20; i -= 1) {
    await rename(i);
    await sleep(200);
  }
  await writer.query('commit');
  await preparing;
  expect(await database.query('select clientele.is_masking_ready() as ready')).toEqual([
    { ready: true },
  ]);
});

test('a directory is prepared by two at once while customers are written, and none is left out', async () => {
  await using database = await createTestDatabase();
  await database.query(
    `insert into customers (full_name, email_address, company_name)
     select 'Name ' || i, 'e' || i || '@directory.example', 'Company ' || i
     from generate_series(1, 20000) as i`,
  );
  const [one, other] = [await database.connect(), await database.connect()];
  const preparing = Promise.all([prepareMasking(one), prepareMasking(other)]);
  const over = new AbortController();
  const ended = preparing.finally(() => over.abort());
  const writer = await database.connect();
  let writes = 0;
  for (; !over.signal.aborted; writes += 1) {
    await writer.query(
      `insert into customers (full_name, email_address) values ('New', 'new@directory.example')`,
    );
    await writer.query(
      `update customers set full_name = 'Renamed ' || full_name, total_orders = 1
       where uuid in (select uuid from customers tablesample system (1) limit 3)`,
    );
  }
  await ended;
  expect(writes).toBeGreaterThan(0);
  expect(
    await database.query(
      `select count(*)::int as wrong from customers
       where name_text is distinct from clientele.search_text(full_name, null, company_name, null)`,
    ),
  ).toEqual([{ wrong: 0 }]);
  expect(await database.query('select clientele.is_masking_ready() as ready')).toEqual([
    { ready: true },
  ]);
});
