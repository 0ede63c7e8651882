/** Who is due under a retention rule: exact to the day, in UTC. */
import { createTestDatabase, customerId, type TestDatabase } from '@clientele/sandbox/testing';
import type { WireCustomer } from '@clientele/contract';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { countDue, readDue } from '../src/privacy/retention/due.ts';
import { parseRetentionRules } from '../src/privacy/retention/rules.ts';

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = await database.connect();
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() => database.query('delete from customers'));

const customer = (n: number, given: Partial<WireCustomer> = {}): Partial<WireCustomer> => ({
  uuid: customerId(n),
  full_name: `Sample ${n}`,
  email_address: `s${n}@directory.example`,
  total_orders: given.last_order_at ? 1 : 0,
  created_at: '2010-01-01T00:00:00.000Z',
  ...given,
});

const rulesOf = (...rules: object[]) =>
  parseRetentionRules(
    JSON.stringify({ rules: rules.map((rule, i) => ({ name: `rule ${i + 1}`, ...rule })) }),
    '2100-01-01',
  );

async function dueOn(today: string, ...rules: object[]): Promise<string[]> {
  const due: string[] = [];
  for await (const batch of readDue(client, rulesOf(...rules), { today })) {
    due.push(...batch.map((each) => `${Number(each.uuid.slice(-12))} ${each.rule}`));
  }
  const counts = await countDue(client, rulesOf(...rules), today);
  expect(counts.due).toBe(due.length);
  return due;
}

describe('a period ends with its last day', () => {
  test.each([
    ['2019-06-15T00:00:00.000Z', '7 years', '2026-06-15', false],
    ['2019-06-15T00:00:00.000Z', '7 years', '2026-06-16', true],
    ['2019-06-15T23:59:59.999Z', '7 years', '2026-06-16', true],
    ['2019-06-16T00:00:00.000Z', '7 years', '2026-06-16', false],
    // There is no 29 February 2023.
    ['2016-02-29T12:00:00.000Z', '7 years', '2023-02-28', false],
    ['2016-02-29T12:00:00.000Z', '7 years', '2023-03-01', true],
    ['2016-02-29T12:00:00.000Z', '8 years', '2024-02-29', false],
    ['2016-02-29T12:00:00.000Z', '8 years', '2024-03-01', true],
    ['2017-02-28T12:00:00.000Z', '7 years', '2024-02-28', false],
    ['2017-02-28T12:00:00.000Z', '7 years', '2024-02-29', true],
    ['2026-01-31T12:00:00.000Z', '1 month', '2026-02-28', false],
    ['2026-01-31T12:00:00.000Z', '1 month', '2026-03-01', true],
    ['2023-02-27T12:00:00.000Z', '2 days', '2023-03-01', false],
    ['2024-02-27T12:00:00.000Z', '2 days', '2024-03-01', true],
    ['2026-06-14T23:59:59.999Z', '1 day', '2026-06-15', false],
    ['2026-06-14T23:59:59.999Z', '1 day', '2026-06-16', true],
  ])('last order %s, kept for %s: on %s due is %s', async (time, period, today, isDue) => {
    await database.insert([customer(1, { last_order_at: time })]);
    expect(await dueOn(today, { no_order_for: period })).toHaveLength(isDue ? 1 : 0);
    await database.query('update customers set created_at = $1', [time]);
    expect(await dueOn(today, { older_than: period })).toHaveLength(isDue ? 1 : 0);
  });

  test('whatever the time zone of the session', async () => {
    await database.insert([customer(1, { last_order_at: '2019-06-15T23:30:00.000Z' })]);
    for (const zone of ['Pacific/Kiritimati', 'Pacific/Niue', 'UTC']) {
      await client.query(`select set_config('timezone', $1, false)`, [zone]);
      expect(await dueOn('2026-06-15', { no_order_for: '7 years' })).toHaveLength(0);
      expect(await dueOn('2026-06-16', { no_order_for: '7 years' })).toHaveLength(1);
      expect(await dueOn('2026-06-16', { created_before: '2010-01-01' })).toHaveLength(0);
      expect(await dueOn('2026-06-16', { created_before: '2010-01-02' })).toHaveLength(1);
    }
    await client.query('reset timezone');
  });
});

test('without orders, the day of creation counts; with orders of unknown date, nobody is due', async () => {
  await database.insert([
    customer(1, { created_at: '2019-06-14T00:00:00.000Z' }),
    customer(2, { created_at: '2019-06-15T00:00:00.000Z' }),
    customer(3, { created_at: '2010-01-01T00:00:00.000Z', total_orders: 4 }),
    customer(4, {
      created_at: '2010-01-01T00:00:00.000Z',
      last_order_at: '2026-01-01T00:00:00.000Z',
    }),
  ]);
  expect(await dueOn('2026-06-15', { no_order_for: '7 years' })).toEqual(['1 rule 1']);
});

test('all conditions of a rule must apply, and the first rule that applies is named', async () => {
  await database.insert([
    customer(1, { created_at: '2010-01-01T00:00:00.000Z', is_verified: true }),
    customer(2, { created_at: '2011-01-01T00:00:00.000Z', is_verified: false }),
    customer(3, { created_at: '2018-12-31T23:59:59.999Z', is_verified: true }),
    customer(4, { created_at: '2019-01-01T00:00:00.000Z', is_verified: true }),
    customer(5, { created_at: '2026-01-01T00:00:00.000Z', is_verified: false }),
  ]);
  const rules = [{ no_order_for: '7 years', is_verified: false }, { created_before: '2019-01-01' }];
  expect(await dueOn('2026-06-15', ...rules)).toEqual(['1 rule 2', '2 rule 1', '3 rule 2']);
  expect(await countDue(client, rulesOf(...rules), '2026-06-15')).toEqual({
    customers: 5,
    due: 3,
    rules: [
      { name: 'rule 1', due: 1 },
      { name: 'rule 2', due: 2 },
    ],
  });
});

test('the oldest customers are listed first, up to a limit', async () => {
  await database.insert([
    customer(1, { created_at: '2012-01-01T00:00:00.000Z' }),
    customer(2, {
      created_at: '2011-01-01T00:00:00.000Z',
      last_order_at: '2011-01-02T00:00:00.000Z',
    }),
    customer(3, { created_at: '2013-01-01T00:00:00.000Z' }),
  ]);
  const listed = [];
  const options = { today: '2026-06-15', limit: 2 };
  for await (const batch of readDue(client, rulesOf({ older_than: '1 year' }), options)) {
    listed.push(...batch);
  }
  expect(listed).toEqual([
    {
      uuid: customerId(2),
      rule: 'rule 1',
      created_at: '2011-01-01T00:00:00.000Z',
      last_order_at: '2011-01-02T00:00:00.000Z',
    },
    {
      uuid: customerId(1),
      rule: 'rule 1',
      created_at: '2012-01-01T00:00:00.000Z',
      last_order_at: null,
    },
  ]);
});
