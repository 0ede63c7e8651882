/** What writers do to customers, at random. Each is one transaction. */
import type pg from 'pg';
import type { Random } from '@clientele/sandbox/testing';
import type { Row } from './customer.ts';
import { randomCreation } from './instants.ts';
import { randomAddress, randomName, randomPhone } from './words.ts';

export interface Writer {
  client: pg.Client;
  random: Random;
  rows: Row[];
  /** How long ago the oldest customers were created; Infinity for any time. */
  within: number;
}

const columns = `uuid, full_name, email_address, phone_number, company_name, is_verified, total_orders,
  lifetime_value_cents, last_order_at, created_at`;
const recordset = `select * from pg_catalog.jsonb_to_recordset($1) as n (uuid uuid, full_name text, email_address text,
  phone_number text, company_name text, is_verified boolean, total_orders bigint, lifetime_value_cents bigint,
  last_order_at timestamptz, created_at timestamptz)`;

function newCustomer(random: Random, within: number): object {
  const orders = random.pick([0, 0, 1, 2, 7, 9_007_199_254_740_991]);
  const creation = new Date(randomCreation(random, within)).toISOString();
  return {
    uuid: randomUuid(random),
    full_name: randomName(random),
    email_address: randomAddress(random),
    phone_number: randomPhone(random),
    company_name: random.chance(0.5) ? null : randomName(random),
    is_verified: random.chance(0.5),
    total_orders: orders,
    lifetime_value_cents: random.pick([
      0,
      1,
      -1,
      500,
      500,
      random.below(1e6),
      9_007_199_254_740_991,
    ]),
    last_order_at: random.chance(0.4)
      ? null
      : new Date(randomCreation(random, within)).toISOString(),
    created_at: creation,
  };
}

function randomUuid(random: Random): string {
  const hex = (length: number) =>
    Array.from({ length }, () => random.below(16).toString(16)).join('');
  // Some differ only in their last digits.
  const start = random.chance(0.3)
    ? '00000000-0000-4000-8000-00000000'
    : `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(8)}`;
  return start + hex(4);
}

const insert = async ({ client, random, within }: Writer, many: number): Promise<void> => {
  const all = Array.from({ length: many }, () => newCustomer(random, within));
  await client.query(
    `insert into public.customers (${columns}) select ${columns} from (${recordset}) as n on conflict (uuid) do nothing`,
    [JSON.stringify(all)],
  );
};

const some = (writer: Writer): string[] => {
  const { random, rows } = writer;
  const most = random.pick([1, 1, 3, 20, rows.length]);
  return Array.from({ length: Math.min(most, rows.length) }, () => random.pick(rows).uuid);
};
const update =
  (set: string, ...values: ((random: Random, within: number) => unknown)[]) =>
  (writer: Writer) =>
    writer.client.query(`update public.customers as c set ${set} where c.uuid = any ($1::uuid[])`, [
      some(writer),
      ...values.map((value) => value(writer.random, writer.within)),
    ]);
const instant = (random: Random, within: number) =>
  new Date(randomCreation(random, within)).toISOString();

export const writes: Record<string, (writer: Writer) => Promise<unknown>> = {
  'insert one': (writer) => insert(writer, 1),
  'insert some': (writer) => insert(writer, 2 + writer.random.below(20)),
  'insert many': (writer) => insert(writer, writer.rows.length < 250 ? 100 : 5),
  rename: update('full_name = $2', randomName),
  'change company': update('company_name = $2', (random) =>
    random.chance(0.2) ? null : randomName(random),
  ),
  'change phone': update('phone_number = $2', randomPhone),
  'change address': update('email_address = $2', randomAddress),
  order: update(
    'total_orders = least(c.total_orders, 1000) + 1, lifetime_value_cents = c.lifetime_value_cents / 2 + 100, last_order_at = $2',
    instant,
  ),
  'cancel orders': update('total_orders = 0, last_order_at = null'),
  verify: update('is_verified = not c.is_verified'),
  'change creation': update('created_at = $2', instant),
  'change identifier': update('uuid = pg_catalog.gen_random_uuid()'),
  nothing: update('full_name = c.full_name'),
  'delete some': (writer) =>
    writer.client.query('delete from public.customers as c where c.uuid = any ($1::uuid[])', [
      some(writer).slice(0, 30),
    ]),
  'delete half': ({ client, rows }) =>
    client.query('delete from public.customers as c where c.uuid > $1::uuid', [
      rows.map(({ uuid }) => uuid).toSorted()[Math.floor(rows.length / 2)] ??
        '00000000-0000-0000-0000-000000000000',
    ]),
  upsert: ({ client, random, rows, within }) =>
    client.query(
      `insert into public.customers (${columns}) select ${columns} from (${recordset}) as n
       on conflict (uuid) do update set full_name = excluded.full_name, total_orders = excluded.total_orders`,
      [
        JSON.stringify([
          newCustomer(random, within),
          ...(rows.length > 0
            ? [{ ...newCustomer(random, within), uuid: random.pick(rows).uuid }]
            : []),
        ]),
      ],
    ),
  merge: ({ client, random, rows, within }) =>
    client.query(
      `merge into public.customers as c using (${recordset}) as n on c.uuid = n.uuid
       when matched and n.is_verified then delete
       when matched then update set phone_number = n.phone_number, created_at = n.created_at
       when not matched then insert (${columns}) values (n.${columns.split(/,\s+/).join(', n.')})`,
      [
        JSON.stringify([
          newCustomer(random, within),
          ...(rows.length > 0
            ? [{ ...newCustomer(random, within), uuid: random.pick(rows).uuid }]
            : []),
        ]),
      ],
    ),
  truncate: async (writer) => {
    await writer.client.query('truncate public.customers');
  },
  'truncate and insert': (writer) =>
    inTransaction(writer, async () => {
      await writer.client.query('truncate public.customers');
      await insert(writer, 120);
    }),
  'several at once': (writer) =>
    inTransaction(writer, async () => {
      await insert(writer, 3);
      await writer.client.query('savepoint s');
      await writer.client.query('delete from public.customers');
      await writer.client.query('rollback to s');
      await update('full_name = $2', randomName)(writer);
    }),
  'roll back': async (writer) => {
    await writer.client.query('begin');
    await insert(writer, 3);
    await update('is_verified = not c.is_verified, full_name = $2', randomName)(writer);
    await writer.client.query('rollback');
  },
};

async function inTransaction({ client }: Writer, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
