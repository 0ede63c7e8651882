/** Finding a person by their address: in the customers, in the log, and among console users. */
import { addOrder, readSubject, removeOrder, type Subject } from '@clientele/directory';
import { createTestDatabase, customerId, type TestDatabase } from '@clientele/sandbox/testing';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { scan } from '@clientele/sandbox/testing';

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = await database.connect();
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() => database.query('truncate customers, clientele.changes'));

const customer = (n: number, name: string, email: string, others: object = {}) => ({
  uuid: customerId(n),
  full_name: name,
  email_address: email,
  is_verified: false,
  total_orders: 0,
  lifetime_value_cents: 0,
  // All at the same place: the beginnings of the identifiers are the same as well.
  created_at: '2026-01-31T09:05:00.000Z',
  ...others,
});

const find = (email: string): Promise<Subject> => readSubject(client, { email }, undefined);

/** The customers whose log entries are found by an address, after all were deleted. */
async function inLog(email: string): Promise<string[]> {
  const { changes } = await find(email);
  return changes.flatMap((entry) => (entry['old_text'] as string | null) ?? []);
}

describe('in the log, an address is a whole word', () => {
  const asked = 'anna@directory.example';

  test.each([
    ['as it is', customer(1, 'Anna', asked)],
    ['in capitals', customer(1, 'Anna', 'ANNA@Directory.Example')],
    ['after a sign', customer(1, 'Anna Sample, Jr.', asked)],
    [
      'before a company and a phone',
      customer(1, 'Anna', asked, { company_name: 'A', phone_number: '+1 555 0100' }),
    ],
    ['as a name', customer(1, asked, 'other@directory.example')],
  ])('found %s', async (_, given) => {
    await database.insert([given]);
    await database.query('delete from customers');
    expect(await inLog(asked)).toHaveLength(1);
  });

  test.each([
    'joanna@directory.example',
    'jo.anna@directory.example',
    'jo-anna@directory.example',
    'jo+anna@directory.example',
    'anna@directory.example.org',
    'anna@directory.example-two.org',
    'anna@directory.examples',
  ])('not found in %s', async (other) => {
    await database.insert([customer(1, 'Anna', other)]);
    await database.query('delete from customers');
    expect(await inLog(asked)).toEqual([]);
  });

  test('not found in the other spelling of a name', async () => {
    await database.insert([customer(1, 'Müller@directory.example', 'x@directory.example')]);
    await database.query('delete from customers');
    expect(await inLog('mueller@directory.example')).toEqual([]);
    expect(await inLog('müller@directory.example')).toHaveLength(1);
  });

  test('Chinese, Japanese and Korean addresses are found, and no longer ones', async () => {
    await database.insert([
      customer(1, 'A', '田中@directory.example'),
      customer(2, 'B', '田田中@directory.example'),
    ]);
    await database.query('delete from customers');
    expect(await inLog('田中@directory.example')).toHaveLength(1);
    expect(await inLog('田@directory.example')).toEqual([]);
  });

  test('LIKE signs are only text', async () => {
    await database.insert([
      customer(1, 'A', 'a_b@directory.example'),
      customer(2, 'B', 'axb@directory.example'),
    ]);
    await database.query('delete from customers');
    expect(await inLog('a_b@directory.example')).toEqual([expect.stringContaining('a_ b@')]);
    expect(await inLog('%@directory.example')).toEqual([]);
  });
});

test('every state that led to the current one is found, and none of a neighbour', async () => {
  await database.insert([
    customer(1, 'Anna', 'one@directory.example'),
    customer(2, 'Anna', 'b@directory.example'),
  ]);
  for (const change of [
    `email_address = 'two@directory.example'`,
    `created_at = '2020-01-01'`,
    `full_name = 'Other'`,
    `email_address = 'three@directory.example'`,
  ]) {
    await database.query(`update customers set ${change} where uuid = $1`, [customerId(1)]);
  }
  for (const email of ['one', 'two', 'three']) {
    const found = await find(`${email}@directory.example`);
    expect(found.uuids).toEqual([customerId(1)]);
    expect(found.changes).toHaveLength(5);
    expect(JSON.stringify(found)).not.toContain('b@');
  }
});

test('all customers with the address are found', async () => {
  await database.insert([
    customer(1, 'Anna', 'home@directory.example'),
    customer(2, 'Ben', 'Home@directory.example'),
    customer(3, 'Cleo', 'home2@directory.example'),
  ]);
  expect((await find('home@directory.example')).uuids.toSorted()).toEqual([
    customerId(1),
    customerId(2),
  ]);
});

test('a console user with the address is found, also by the customer', async () => {
  await database.query(
    `insert into clientele.people (issuer, subject, name, account, roles)
     values ('https://login.example', '1', 'Anna', 'Anna@Directory.example', '{reader}')`,
  );
  await database.insert([customer(1, 'Anna', 'anna@directory.example')]);
  for (const asked of [{ email: 'anna@directory.example' }, { uuid: customerId(1) }]) {
    const { people } = await readSubject(client, asked, undefined);
    expect(people).toMatchObject([{ name: 'Anna', account: 'Anna@Directory.example' }]);
  }
});

test('every table that has text of the person is in the report', async () => {
  await database.query('truncate clientele.people cascade');
  await database.insert([
    customer(1, 'Zyxwvu', 'zyxwvu@directory.example'),
    customer(2, 'Other', 'other@directory.example'),
  ]);
  await database.query(
    `update customers set company_name = 'Zyxwvu Inc' where full_name = 'Zyxwvu'`,
  );
  // As a change by SQL is queued, once somebody was erased.
  await database.query(
    `insert into clientele.unchecked_customers (uuid, old_email_address) values ($1, 'zyxwvu@old.example')`,
    [customerId(1)],
  );
  await database.query(
    `insert into clientele.people (issuer, subject, name, account, roles)
     values ('https://login.example', '1', 'Zyxwvu', 'zyxwvu@directory.example', '{reader}')`,
  );
  await database.query('analyze customers');
  expect(await scan(client, ['zyxwvu'])).toEqual([
    'clientele.changes',
    'clientele.people',
    'clientele.unchecked_customers',
    'customers',
    'pg_statistic',
    'pg_stats',
  ]);
  const found = await readSubject(client, { uuid: customerId(1) }, undefined);
  expect(found).toMatchObject({
    ...{ customers: [{}], changes: [{}, {}], people: [{}] },
    unchecked: [{ old_email_address: 'zyxwvu@old.example' }],
  });
  const columns = found.statistics.map(({ column }) => column);
  expect(columns).toEqual(['email_address', 'full_name', 'search_text']);
});

test('places in sorted lists are in the report while an order is on', async () => {
  await database.insert([
    customer(1, 'Zyxwvu', 'zyxwvu@directory.example', { total_orders: 3 }),
    customer(2, 'Other', 'other@directory.example', { total_orders: 5 }),
  ]);
  const places = async () => (await find('zyxwvu@directory.example')).places;
  expect(await places()).toEqual([]);
  await addOrder(client, 'total_orders');
  const [place, ...others] = await places();
  expect(place).toMatchObject({ uuid: customerId(1) });
  expect(Math.floor(place!['by_total_orders'] as number)).toBe(3);
  expect(others).toEqual([]);
  await database.query(
    'insert into clientele.sorted_customers select $1, s.by_lifetime_value_cents, s.by_total_orders, s.by_last_order_at from clientele.sorted_customers as s limit 1',
    [customerId(9)],
  );
  const gone = await readSubject(client, { uuid: customerId(9) }, undefined);
  expect(gone.places, 'a place that outlived its customer').toHaveLength(1);
  await removeOrder(client, 'total_orders');
  expect(await places()).toEqual([]);
});
