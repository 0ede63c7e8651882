/**
 * Switches on and off what lists can be sorted by, while the directory is in use: docs/decisions/sort.md. An order is an
 * index on clientele.sorted_customers, which the first order has filled and the last one empties.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { correctPlaces, placed } from './sorted-places.ts';
import { whenFree } from './when-free.ts';

/** What lists can be sorted by once it is switched on. They can always be sorted by creation. */
export const orders = ['lifetime_value_cents', 'total_orders', 'last_order_at'] as const;
export type Order = (typeof orders)[number];

/** Called while customers are filled in, and before what follows. */
export type OrderProgress = (step: 'fill' | 'index' | 'analyze', done: number, of: number) => void;

/** Concurrent runs take turns on this lock. */
const lockId = 4_716_310_061;
/** So many customers are filled in by one transaction. */
const batchSize = 2_000;
/** How long to wait for locks, as others wait behind us, and how long until the next try. */
const lockTimeout = '1s';
/** Much less than a deadlock takes to be noticed, which could end the transaction of somebody else. */
const fillLockTimeout = '100ms';
const pauseMs = 500;
/** Instances ask every second which orders there are. */
const noticedAfterMs = 2_000;

export interface OrderState {
  name: Order;
  /** `building`: `add` was interrupted, or a trigger was changed since. */
  state: 'on' | 'building' | 'off';
}

export async function listOrders(client: pg.ClientBase): Promise<OrderState[]> {
  const { rows } = await client.query<{ added: Order[]; available: Order[] }>(
    `select array(select o.name from clientele.orders as o) as added,
       clientele.available_orders() as available`,
  );
  const { added, available } = rows[0]!;
  return orders.map((name) => ({
    name,
    state: available.includes(name) ? 'on' : added.includes(name) ? 'building' : 'off',
  }));
}

/**
 * Does what is missing, and corrects places that are wrong. It can be interrupted and run again. The client has to be
 * the tables' owner. Indexes wait for open transactions without an end unless `patience` is given.
 */
export async function addOrder(
  client: pg.ClientBase,
  name: Order,
  onProgress: OrderProgress = () => undefined,
  patience = '0',
): Promise<void> {
  await alone(client, async () => {
    if (await isOn(client, name)) await correctPlaces(client);
    // Triggers that were changed while customers were filled in start it again.
    while (!(await isOn(client, name))) await addOnce(client, name, onProgress, patience);
  });
}

export async function removeOrder(client: pg.ClientBase, name: Order): Promise<void> {
  await alone(client, async () => {
    const { rowCount } = await client.query('delete from clientele.orders where name = $1', [name]);
    // Nobody reads by the index any more when it is dropped.
    if (rowCount === 1) await sleep(noticedAfterMs);
    await client.query(`drop index concurrently if exists clientele.sorted_by_${name}`);
    const { rows } = await client.query('select from clientele.orders');
    if (rows.length > 0) return;
    await client.query(`set lock_timeout = '${lockTimeout}'`);
    await whenFree(() => client.query('select clientele.end_orders()'));
    await client.query('set lock_timeout = 0');
    await client.query('drop index concurrently if exists clientele.changes_but_moves');
  });
}

/** A session that waits for the lock would have a snapshot, and building an index would wait for that. */
async function alone(client: pg.ClientBase, work: () => Promise<void>): Promise<void> {
  const lock = () =>
    client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [lockId]);
  while (!(await lock()).rows[0]!.locked) await sleep(pauseMs);
  try {
    await client.query('set statement_timeout = 0');
    await work();
  } finally {
    await client.query('reset statement_timeout; reset lock_timeout');
    await client.query('select pg_advisory_unlock($1)', [lockId]);
  }
}

async function isOn(client: pg.ClientBase, name: Order): Promise<boolean> {
  return (await listOrders(client)).some((order) => order.name === name && order.state === 'on');
}

async function addOnce(
  client: pg.ClientBase,
  name: Order,
  onProgress: OrderProgress,
  patience: string,
): Promise<void> {
  await client.query(`set lock_timeout = '${lockTimeout}'`);
  await whenFree(() => client.query('select clientele.begin_order($1)', [name]));
  const wait = `set lock_timeout = '${patience}'`;
  await client.query(wait);
  // Lists without an order read the log past its moves.
  await buildIndex(client, 'changes_but_moves', 'clientele.changes (xid) where not move');
  await fill(client, (done, of) => onProgress('fill', done, of));
  onProgress('index', 0, 1);
  await client.query(wait);
  await buildIndex(client, `sorted_by_${name}`, `clientele.sorted_customers (by_${name}, uuid)`);
  onProgress('analyze', 0, 1);
  await client.query('vacuum (analyze) clientele.sorted_customers');
  await client.query('analyze public.customers');
}

/**
 * Whoever is written from now on is kept by the triggers. One who is written while the others are read is filled in by
 * whichever comes first, and a trigger corrects what is older.
 */
async function fill(
  client: pg.ClientBase,
  onProgress: (done: number, of: number) => void,
): Promise<void> {
  const { rows } = await client.query<Filled & { complete: boolean; of: number }>(
    `select s.is_complete as complete, s.filled_to, s.filled::float8 as filled,
       greatest(c.reltuples, s.filled)::float8 as of
     from clientele.sorting as s, pg_class as c where c.oid = 'public.customers'::regclass`,
  );
  const { complete, of } = rows[0]!;
  if (complete) return;
  await client.query(`set lock_timeout = '${fillLockTimeout}'`);
  for (let upto: Filled | undefined = rows[0]; upto;) {
    onProgress(upto.filled, of);
    const { filled_to } = upto;
    const batch = await whenFree(() => client.query<Filled>(fillStatement, [filled_to, batchSize]));
    upto = batch.rows[0];
  }
  await client.query('set lock_timeout = 0');
  // Of those who were deleted between being read and being filled in.
  await client.query(
    `delete from clientele.sorted_customers as s
     where not exists (select from only public.customers as c where c.uuid = s.uuid)`,
  );
  await client.query('update clientele.sorting set is_complete = true');
}

/** How far it is: the identifier of the last customer, and how many there were. */
interface Filled {
  filled_to: string | null;
  filled: number;
}

/** The next $2 customers after the identifier $1. No row if there are none. */
const fillStatement = `
  with batch as materialized (
    select ${placed}
    from only public.customers as c
    where $1::uuid is null or c.uuid > $1
    order by c.uuid
    limit $2
  ), filled as (
    insert into clientele.sorted_customers as s
      (uuid, by_lifetime_value_cents, by_total_orders, by_last_order_at)
    select b.* from batch as b
    on conflict (uuid) do nothing
  )
  update clientele.sorting as s
  set filled_to = (select b.uuid from batch as b order by b.uuid desc limit 1),
    filled = s.filled + (select count(*) from batch)
  where exists (select from batch)
  returning s.filled_to, s.filled::float8 as filled`;

async function buildIndex(client: pg.ClientBase, name: string, on: string): Promise<void> {
  const { rows } = await client.query<{ valid: boolean }>(
    `select x.indisvalid as valid from pg_index as x where x.indexrelid = to_regclass($1)`,
    [`clientele.${name}`],
  );
  if (rows[0]?.valid) return;
  // What an interrupted run has left.
  await client.query(`drop index concurrently if exists clientele.${name}`);
  await client.query(`create index concurrently ${name} on ${on}`);
}
