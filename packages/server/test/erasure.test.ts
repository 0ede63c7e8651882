/** Erasing customers: their rows, their entries in the log, and what stays pending. */
import { setTimeout as sleep } from 'node:timers/promises';
import { clearTraces, createSecret, eraseCustomers, type Remaining } from '@clientele/server';
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
