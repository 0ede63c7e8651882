/** Triggers of the operator on public.customers: docs/decisions/operators-settings.md. */
import type { WireCustomerList } from '@clientele/contract';
import { startTestService, type TestService } from '@clientele/sandbox/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addOrder, differingCustomers, orders, prepareMasking } from '@clientele/directory';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const client = await service.database.connect();
  await prepareMasking(client);
  for (const order of orders) await addOrder(client, order);
});
afterAll(() => service[Symbol.asyncDispose]());

const raise =
  'lifetime_value_cents = c.lifetime_value_cents + 1000, total_orders = c.total_orders + 7';
const once = 'pg_trigger_depth() = 0';

/** What the trigger does after a row was written, or after the statement. */
const actions: Record<string, [event: string, action: string]> = {
  'updates who was inserted': [
    'insert',
    `update customers as c set ${raise} where c.uuid = new.uuid`,
  ],
  'deletes who was inserted': ['insert', 'delete from customers as c where c.uuid = new.uuid'],
  'gives who was inserted another identifier': [
    'insert',
    'update customers as c set uuid = gen_random_uuid() where c.uuid = new.uuid',
  ],
  'updates who was updated': [
    'update',
    `update customers as c set ${raise} where c.uuid = new.uuid`,
  ],
  'deletes who was updated': ['update', 'delete from customers as c where c.uuid = new.uuid'],
  'brings back who was deleted': [
    'delete',
    `insert into customers (uuid, full_name, email_address, total_orders)
     values (old.uuid, old.full_name, old.email_address, old.total_orders + 3)`,
  ],
  'inserts after a truncation': [
    'truncate',
    `insert into customers (uuid, full_name, email_address) values (gen_random_uuid(), 'First', 'first@example.com')`,
  ],
};

const some = (n: number) =>
  `select ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid, 'Person ' || i, i || '@example.com', i
   from generate_series(1, ${n}) as i`;
const columns = 'uuid, full_name, email_address, total_orders';
const writes = [
  `insert into customers (${columns}) ${some(1)}`,
  `insert into customers (${columns}) ${some(30)}
   on conflict (uuid) do update set total_orders = customers.total_orders + 100`,
  `update customers set lifetime_value_cents = lifetime_value_cents + 5, last_order_at = now()`,
  `update customers set uuid = gen_random_uuid(), full_name = 'Moved' where total_orders % 5 = 0`,
  `merge into customers as c using (${some(40)}) as n (${columns}) on c.uuid = n.uuid
   when matched then update set total_orders = n.total_orders + 1000
   when not matched then insert (${columns}) values (n.uuid, n.full_name, n.email_address, n.total_orders)`,
  `delete from customers where total_orders % 3 = 0`,
  'truncate customers',
  `insert into customers (${columns}) ${some(5)}`,
];

test.each(
  Object.keys(actions).flatMap((name) => ['origin', 'replica'].map((role) => [name, role])),
)('lists stay right with a trigger that %s, in sessions with the role %s', async (name, role) => {
  const [event, action] = actions[name]!;
  const client = await service.database.connect();
  await client.query(`set session_replication_role = ${role}`);
  await client.query(`
      create function public.operators() returns trigger language plpgsql as $$
        begin ${action}; return null; end $$;
      create trigger a_operators after ${event} on customers
        for each ${event === 'truncate' ? 'statement' : 'row'} when (${once})
        execute function public.operators();
      alter table customers enable always trigger a_operators`);
  try {
    for (const write of writes) {
      await client.query(write);
      expect(await differingCustomers(client), write).toEqual([]);
      expect(await listed('sort=-total_orders'), write).toEqual(
        await stored('total_orders desc, created_at desc, uuid desc'),
      );
      expect(await listed('sort=created_at&search=person'), write).toEqual(
        await stored('created_at, uuid', `full_name like '%Person%'`),
      );
    }
  } finally {
    await client.query('drop function public.operators cascade; truncate customers');
    await client.end();
  }
});

async function listed(query: string): Promise<unknown> {
  const response = await service.get(`/v3/customers?perPage=100&${query}`);
  expect(response.statusCode, response.body).toBe(200);
  const { data, pagination } = response.json<WireCustomerList>();
  return { total: pagination.total, uuids: data.map(({ uuid }) => uuid) };
}

async function stored(order: string, condition = 'true'): Promise<unknown> {
  const rows = await service.database.query<{ uuid: string }>(
    `select c.uuid from customers as c where ${condition} order by ${order}`,
  );
  return { total: rows.length, uuids: rows.map(({ uuid }) => uuid) };
}

test('places that are wrong all the same are found, and adding an order again corrects them', async () => {
  const client = await service.database.connect();
  await client.query(`insert into customers (${columns}) ${some(50)}`);
  await client.query(`
    update clientele.sorted_customers as s set by_total_orders = 1e6 where s.uuid = (select uuid from customers limit 1);
    delete from clientele.sorted_customers as s where s.uuid = (select uuid from customers offset 1 limit 1);
    insert into clientele.sorted_customers values (gen_random_uuid(), 1, 2, 3)`);
  expect(await differingCustomers(client)).toHaveLength(3);
  await addOrder(client, 'total_orders');
  expect(await differingCustomers(client)).toEqual([]);
  expect(await listed('sort=-total_orders')).toEqual(
    await stored('total_orders desc, created_at desc, uuid desc'),
  );
});
