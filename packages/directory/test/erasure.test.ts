/** Erasing customers: their rows, their entries in the log, and what stays pending. */
import { setTimeout as sleep } from 'node:timers/promises';
import { clearTraces, createSecret, eraseCustomers, type Remaining } from '@clientele/directory';
import { createTestDatabase, customerId, type TestDatabase } from '@clientele/sandbox/testing';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

let database: TestDatabase;
let writer: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  writer = await database.connect();
  await writer.query('set role clientele_writer');
});
afterAll(() => database[Symbol.asyncDispose]());

const options = { reason: 'request 17', secret: createSecret() };

/** The first twelve bits differ, so no customer has the places of another. */
const id = (n: number): string => n.toString(16).padStart(3, '0') + customerId(n).slice(3);

const customer = (n: number) => ({
  uuid: id(n),
  full_name: `Zyxwvu${n} Tsrqpo`,
  email_address: `zyxwvu${n}@directory.example`,
  phone_number: `+1 555 01${n.toString().padStart(2, '0')}`,
  is_verified: false,
  total_orders: 0,
  lifetime_value_cents: 0,
  created_at: '2026-01-31T09:05:00.000Z',
});

/** Until nothing is pending. */
async function clearAll(): Promise<Remaining> {
  for (;;) {
    const left = await clearTraces(writer);
    if (left.remaining === 0) return left;
    await sleep(200);
  }
}

const entriesWith = async (text: string): Promise<number> => {
  const [row] = await database.query<{ entries: number }>(
    `select count(*)::int as entries from clientele.changes as c where c::text like '%' || $1 || '%'`,
    [text],
  );
  return row!.entries;
};

test('an erasure removes the row at once, and every entry of the log that has the text', async () => {
  await database.insert([customer(1), customer(2)]);
  await database.query(`update customers set full_name = 'Zyxwvu1 Married' where uuid = $1`, [
    id(1),
  ]);
  await database.query(`update customers set created_at = '2020-02-02' where uuid = $1`, [id(1)]);
  expect(await entriesWith('zyxwvu1')).toBe(3);

  const erased = await eraseCustomers(writer, [id(1)], options);
  expect(erased).toEqual({ erased: 1, unknown: [], pending: 0 });
  expect(await database.query('select from customers where uuid = $1', [id(1)])).toEqual([]);

  await clearAll();
  expect(await entriesWith('zyxwvu1')).toBe(0);
  expect(await entriesWith('zyxwvu2'), 'of somebody else').toBe(1);
});

test('whoever is erased twice has one erasure; an unknown identifier is blocked', async () => {
  await database.insert([customer(3)]);
  await eraseCustomers(writer, [id(3)], options);
  const again = await eraseCustomers(writer, [id(3), id(4)], options);
  expect(again).toEqual({ erased: 0, unknown: [id(3), id(4)], pending: 0 });
  const erasures = await database.query(
    `select e.uuid, g.gone_at::text, count(*)::int as erasures, array_agg(distinct e.reason) as reasons
     from clientele.erasures as e join clientele.gone_customers as g on g.uuid = e.uuid
     where e.uuid = any ($1) group by e.uuid, g.gone_at order by e.uuid`,
    [[id(3), id(4)]],
  );
  const one = { gone_at: 'infinity', erasures: 1, reasons: [options.reason] };
  expect(erasures).toEqual([
    { uuid: id(3), ...one },
    { uuid: id(4), ...one },
  ]);
});

test('clears the log of somebody who was deleted before, also with a date that no place holds exactly', async () => {
  await database.insert([{ ...customer(5), created_at: '1900-01-01T00:00:00.000Z' }]);
  await database.query('delete from customers where uuid = $1', [id(5)]);
  expect(await entriesWith('zyxwvu5')).toBe(2);
  await eraseCustomers(writer, [id(5)], options);
  await clearAll();
  expect(await entriesWith('zyxwvu5')).toBe(0);
});

test('an import that does not commit holds up neither the erasure nor others', async () => {
  await database.insert([customer(6)]);
  const importing = await database.connect();
  await importing.query('begin; select clientele.lock_deletes(false)');
  const erased = await eraseCustomers(writer, [id(6)], options);
  expect(erased).toEqual({ erased: 1, unknown: [], pending: 1 });
  expect(await database.query('select from customers where uuid = $1', [id(6)])).toEqual([]);
  expect(await clearTraces(writer)).toMatchObject({ remaining: 1 });
  await importing.query('commit');
  expect(await clearAll()).toMatchObject({ remaining: 0 });
  expect(await entriesWith('zyxwvu6')).toBe(0);
});

test('an erasure that was pending when the database moved to another cluster is completed', async () => {
  await database.insert([customer(7)]);
  await eraseCustomers(writer, [id(7)], options);
  await database.query(`update clientele.erasures set xid = '9000000000' where uuid = $1`, [id(7)]);
  expect(await clearAll()).toMatchObject({ remaining: 0 });
  expect(await entriesWith('zyxwvu7')).toBe(0);
});

test('thousands are erased in batches, and each is in the audit once', async () => {
  const many = Array.from({ length: 1_200 }, (_, i) => i + 100);
  await database.insert(many.map((n) => ({ ...customer(8), uuid: id(n) })));
  const erased = await eraseCustomers(writer, many.map(id), options);
  expect(erased).toEqual({ erased: many.length, unknown: [], pending: 0 });
  const [audited] = await database.query(
    `select count(distinct c)::int as customers, count(*)::int as shown, max(a.caller_kind) as kind
     from clientele.audit_entries as a, unnest(a.customers) as c
     where a.action = 'erase' and c = any ($1)`,
    [many.map(id)],
  );
  expect(audited).toEqual({ customers: many.length, shown: many.length, kind: 'login' });
  expect(await clearAll()).toMatchObject({ remaining: 0 });
});
