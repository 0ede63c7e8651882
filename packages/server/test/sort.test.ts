/** Sorted lists as documented in docs/api.md, for everybody and for masked callers. */
import type { Problem, WireCustomer, WireCustomerList } from '@clientele/contract';
import {
  insertRandomCustomers,
  Random,
  randomFilters,
  sorts,
  startTestService,
  type TestService,
} from '@clientele/sandbox/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addOrder,
  type Filters,
  orders,
  passes,
  prepareMasking,
  removeOrder,
} from '@clientele/directory';

const seed = Math.floor(Math.random() * 2 ** 31);
const random = new Random(seed);

let service: TestService;
let masked: { authorization: string };
beforeAll(async () => {
  service = await startTestService();
  await insertRandomCustomers(await service.database.connect(), random, 400);
  await prepareMasking(await service.database.connect());
  const { key } = await service.makeKey(['customers:list', 'customers:search']);
  masked = { authorization: `Bearer ${key}` };
});
afterAll(() => service[Symbol.asyncDispose]());

const get = (query: string, headers = {}) => service.get(`/v3/customers?${query}`, headers);

async function found(query: string, headers = {}): Promise<WireCustomerList> {
  const response = await get(query, headers);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<WireCustomerList>();
}

describe('until an order is switched on', () => {
  test('asking for it is refused with the command that switches it on', async () => {
    for (const order of orders) {
      for (const sort of [order, `-${order}`]) {
        const response = await get(`sort=${sort}`);
        expect(response.statusCode).toBe(400);
        const { code, detail, errors } = response.json<Problem>();
        expect(code).toBe('sort-not-available');
        expect(detail).toContain(`clientele prepare sort ${order}`);
        expect(errors).toEqual([{ parameter: 'sort', code, detail }]);
      }
    }
  });

  test('what is no order at all is refused as well', async () => {
    for (const sort of ['', 'name', '+created_at', '--created_at', 'created_at,uuid', '%FF']) {
      const response = await get(`sort=${sort}`);
      expect(response.statusCode, sort).toBe(400);
      expect(response.json<Problem>().errors).toMatchObject([
        { parameter: 'sort', code: 'invalid-sort' },
      ]);
    }
  });

  test('lists can be sorted by creation, in both directions', async () => {
    const newestFirst = await get('perPage=100&page=2');
    expect((await get('perPage=100&page=2&sort=-created_at')).body).toBe(newestFirst.body);
    expect(await misplaced('sort=created_at')).toEqual([]);
    expect(await misplaced('sort=created_at', masked)).toEqual([]);
  });

  test('order events leave no entry in the log', async () => {
    expect(await entriesOf('lifetime_value_cents = 1, last_order_at = now()')).toEqual([]);
  });
});

describe('once orders are on', () => {
  beforeAll(async () => {
    const client = await service.database.connect();
    for (const order of orders) await addOrder(client, order);
    // The service asks again after a second.
    const deadline = AbortSignal.timeout(60_000);
    while ((await get(`sort=${orders.at(-1)}`)).statusCode !== 200) deadline.throwIfAborted();
  });

  test.each(sorts)('all pages together are everybody in the order %s', async (sort) => {
    expect(await misplaced(`sort=${sort}`)).toEqual([]);
    expect(await misplaced(`sort=${sort}`, masked)).toEqual([]);
  });

  test(`any page of any list has exactly its customers and the total (seed ${seed})`, async () => {
    const all = await everybody();
    for (let i = 0; i < 150; i += 1) {
      const filters = random.chance(0.7) ? randomFilters(random) : {};
      const search = random.pick(['', '', 'anna', 'lee', 'smith bo', 'zzzq']);
      const [sort, perPage] = [random.pick(sorts), random.pick([1, 7, 25, 100])];
      const page = 1 + random.below(4);
      const headers = random.chance(0.3) ? masked : {};
      // Without a search, filters have to do it: names are found by the rules of the search.
      const { data: matches } = await allOf(`search=${search}`, headers);
      const ids = new Set(matches.map(({ uuid }) => uuid));
      const expected = all
        .filter((customer) => ids.has(customer.uuid) && passes(customer, filters))
        .toSorted(by(sort))
        .map(({ uuid }) => uuid);
      const query = `search=${search}&sort=${sort}&perPage=${perPage}&page=${page}${parametersOf(filters)}`;
      const { data, pagination } = await found(query, headers);
      expect({ query, uuids: data.map(({ uuid }) => uuid), total: pagination.total }).toEqual({
        query,
        uuids: expected.slice((page - 1) * perPage, page * perPage),
        total: expected.length,
      });
    }
  });

  test('whatever is written, warm lists show it', async () => {
    const change = (set: string) =>
      service.database.query(
        `update customers set ${set} where uuid in (select uuid from customers order by random() limit 5)`,
      );
    for (const write of [
      () => change('total_orders = total_orders + 3, lifetime_value_cents = 777'),
      () => change('last_order_at = now()'),
      () => change('last_order_at = null, lifetime_value_cents = -5'),
      () => change('total_orders = 0'),
      () => change(`full_name = 'Anna Moved', total_orders = total_orders + 1`),
      () => change('uuid = gen_random_uuid()'),
      () => change(`created_at = '2020-02-02T02:02:02.002Z'`),
      () => service.database.query('delete from customers where uuid::text < $1', ['04']),
      async () => insertRandomCustomers(await service.database.connect(), random, 20),
    ]) {
      await write();
      for (const sort of sorts) {
        expect(await misplaced(`sort=${sort}`)).toEqual([]);
        expect(await misplaced(`search=anna&sort=${sort}&hasOrders=true`, masked)).toEqual([]);
      }
    }
  });

  test('an order event leaves one entry, which lists without an order pass over', async () => {
    await entriesOf('total_orders = 0');
    expect(await entriesOf('total_orders = 5')).toEqual([{ move: false }]);
    expect(await entriesOf('total_orders = 6, lifetime_value_cents = 9')).toEqual([{ move: true }]);
    expect(await entriesOf('last_order_at = now()')).toEqual([{ move: true }]);
    expect(await entriesOf(`full_name = 'New', total_orders = 7`)).toEqual([{ move: false }]);
    expect(await entriesOf('is_verified = is_verified')).toEqual([]);
  });

  test('a place never falls along its order, whatever the values', async () => {
    const client = await service.database.connect();
    for (const order of orders) {
      const { rows } = await client.query<{ falls: number }>(
        `select count(*) filter (where p.place < p.before)::int as falls from (
           select s.by_${order} as place, lag(s.by_${order}) over (
             order by c.${order} nulls first, c.created_at, c.uuid
           ) as before
           from customers as c join clientele.sorted_customers as s using (uuid)
         ) as p`,
      );
      expect(rows).toEqual([{ falls: 0 }]);
    }
    const instant = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
    const value = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -3, max: 3 }));
    const customer = fc.record({ value, created: instant, ordered: fc.option(instant) });
    await fc.assert(
      fc.asyncProperty(fc.array(customer, { minLength: 2, maxLength: 30 }), async (customers) => {
        const { rows } = await client.query<{ falls: number }>(falls, [JSON.stringify(customers)]);
        expect(rows).toEqual([{ falls: 0 }]);
      }),
      { numRuns: 50 },
    );
  });

  test('an order that is removed is refused again, and the others stay', async () => {
    const client = await service.database.connect();
    const asked = { query: 'sort=total_orders&perPage=5', until: false };
    for (const headers of [{}, masked]) await found(asked.query, headers);
    const removed = removeOrder(client, 'total_orders').finally(() => (asked.until = true));
    const answers = new Set<string>();
    while (!asked.until) {
      for (const headers of [{}, masked]) {
        const response = await get(asked.query, headers);
        answers.add(response.statusCode === 200 ? 'list' : response.json<Problem>().code);
      }
    }
    await removed;
    answers.delete('list');
    expect([...answers], 'nothing but the list or the reason').toEqual(['sort-not-available']);
    expect((await get('sort=total_orders')).statusCode).toBe(400);
    expect(await misplaced('sort=-lifetime_value_cents')).toEqual([]);
    for (const order of orders) await removeOrder(client, order);
    const { rows } = await client.query('select from clientele.sorted_customers');
    expect(rows).toEqual([]);
    expect(await entriesOf('lifetime_value_cents = 4, last_order_at = now()')).toEqual([]);
    expect((await found('perPage=1', masked)).pagination.total).toBe((await everybody()).length);
  });
});

/** How often a place falls along an order of made-up customers, in both kinds of orders. */
const falls = `
  with c as (
    select r.value::bigint, 'epoch'::timestamptz + r.created * interval '1 ms' as created,
      'epoch'::timestamptz + r.ordered * interval '1 ms' as ordered, gen_random_uuid() as id
    from jsonb_to_recordset($1) as r(value bigint, created bigint, ordered bigint)
  ), p as (
    select clientele.sort_place(c.value, clientele.place(c.created, c.id)) as by_value,
      clientele.sort_place(c.ordered, clientele.place(c.created, c.id)) as by_instant, c.*
    from c
  )
  select count(*) filter (where o.a < o.b or o.c < o.d)::int as falls from (
    select p.by_value as a, lag(p.by_value) over (order by p.value, p.created, p.id) as b,
      p.by_instant as c, lag(p.by_instant) over (order by p.ordered nulls first, p.created, p.id) as d
    from p
  ) as o`;

async function allOf(query: string, headers = {}): Promise<WireCustomerList> {
  const first = await found(`${query}&perPage=100`, headers);
  const pages = Math.ceil(first.pagination.total / 100);
  for (let page = 2; page <= pages; page += 1) {
    first.data.push(...(await found(`${query}&perPage=100&page=${page}`, headers)).data);
  }
  return first;
}

const everybody = async (): Promise<WireCustomer[]> => (await allOf('')).data;

/** Where the pages of a list differ from the same list without an order, sorted here. */
async function misplaced(query: string, headers = {}): Promise<unknown[]> {
  const sort = /sort=([-\w]+)/.exec(query)![1]!;
  const sorted = await allOf(query, headers);
  const unsorted = await allOf(query.replace(/&?sort=[-\w]+/, ''), headers);
  const expected = unsorted.data.toSorted(by(sort));
  const total = unsorted.pagination.total;
  return [
    ...(sorted.pagination.total === total ? [] : [{ query, total, got: sorted.pagination.total }]),
    ...sorted.data.filter(({ uuid }, i) => uuid !== expected[i]?.uuid),
    ...expected.slice(sorted.data.length),
  ];
}

function by(sort: string): (a: WireCustomer, b: WireCustomer) => number {
  const field = sort.replace('-', '') as 'total_orders' | 'last_order_at';
  const value = (customer: WireCustomer): number => {
    const found = customer[field];
    return typeof found === 'string' ? Date.parse(found) : (found ?? -Infinity);
  };
  const compare = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);
  const ascending = (a: WireCustomer, b: WireCustomer): number =>
    compare(value(a), value(b)) ||
    compare(Date.parse(a.created_at), Date.parse(b.created_at)) ||
    compare(a.uuid, b.uuid);
  return sort.startsWith('-') ? (a, b) => ascending(b, a) : ascending;
}

function parametersOf({ joinedFrom, joinedTo, ...flags }: Filters): string {
  const instants = { joinedFrom, joinedTo };
  return [
    ...Object.entries(flags).map(([name, value]) => `&${name}=${value}`),
    ...Object.entries(instants).map(([name, at]) =>
      at === undefined ? '' : `&${name}=${new Date(at).toISOString()}`,
    ),
  ].join('');
}

/** What a change of one customer writes to the log. */
async function entriesOf(change: string): Promise<unknown[]> {
  const client = await service.database.connect();
  const { rows } = await client.query<{ last: string }>(
    'select coalesce(max(id), 0) as last from clientele.changes',
  );
  await client.query(
    `update customers set ${change} where uuid = (select min(uuid::text)::uuid from customers)`,
  );
  const log = 'select move from clientele.changes where id > $1';
  return (await client.query(log, [rows[0]!.last])).rows;
}
