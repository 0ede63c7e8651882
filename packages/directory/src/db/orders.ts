/**
 * Switches on and off what lists can be sorted by, while the directory is in use: docs/decisions/sort.md. An order is an
 * index on clientele.sorted_customers, which the first order has filled and the last one empties.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import {
  changeOnline,
  type ChangeOptions,
  type OnlineChange,
  type PreparedState,
} from './online-change.ts';
import { correct, correctPlaces, placed } from './sorted-places.ts';

/** What lists can be sorted by once it is switched on. They can always be sorted by creation. */
export const orders = ['lifetime_value_cents', 'total_orders', 'last_order_at'] as const;
export type Order = (typeof orders)[number];

/** So many customers are filled in by one transaction. */
const batchSize = 2_000;
/** Instances ask every second which orders there are. */
const noticedAfterMs = 2_000;

/** Lists without an order read the log past its moves. */
const changesButMoves = {
  schema: 'clientele',
  name: 'changes_but_moves',
  on: 'clientele.changes (xid) where not move',
} as const;

const indexOf = (name: Order) =>
  ({
    schema: 'clientele',
    name: `sorted_by_${name}`,
    on: `clientele.sorted_customers (by_${name}, uuid)`,
  }) as const;

export interface OrderState {
  name: Order;
  state: PreparedState;
}

export async function listOrders(client: pg.ClientBase): Promise<OrderState[]> {
  const { rows } = await client.query<{ added: Order[]; available: Order[] }>(
    `select array(select o.name from clientele.orders as o) as added,
       clientele.available_orders() as available`,
  );
  const { added, available } = rows[0]!;
  return orders.map((name) => ({
    name,
    state: available.includes(name) ? 'on' : added.includes(name) ? 'unfinished' : 'off',
  }));
}

/** Does what is missing, or corrects places that are wrong. Returns how many had to be written. */
export async function addOrder(
  client: pg.ClientBase,
  name: Order,
  options: ChangeOptions = {},
): Promise<number> {
  return changeOnline(client, options, async (change) => {
    let written = (await isOn(client, name)) ? await correctPlaces(client, change) : 0;
    // Triggers that were changed while customers were filled in start it again.
    while (!(await isOn(client, name))) written += await addOnce(client, change, name);
    return written;
  });
}

export async function removeOrder(
  client: pg.ClientBase,
  name: Order,
  options: ChangeOptions = {},
): Promise<void> {
  await changeOnline(client, options, async (change) => {
    const { rowCount } = await client.query('delete from clientele.orders where name = $1', [name]);
    // Nobody reads by the index any more when it is dropped.
    if (rowCount === 1) await sleep(noticedAfterMs);
    await change.dropIndex(indexOf(name));
    const { rows } = await client.query('select from clientele.orders');
    if (rows.length > 0) return;
    await change.whenTableIsFree(() => client.query('select clientele.end_orders()'));
    await change.dropIndex(changesButMoves);
  });
}

async function isOn(client: pg.ClientBase, name: Order): Promise<boolean> {
  return (await listOrders(client)).some((order) => order.name === name && order.state === 'on');
}

async function addOnce(client: pg.ClientBase, change: OnlineChange, name: Order): Promise<number> {
  await change.whenTableIsFree(() => client.query('select clientele.begin_order($1)', [name]));
  await change.buildIndex(changesButMoves);
  const { rows } = await client.query<{ complete: boolean; filled_to: string | null }>(
    'select s.is_complete as complete, s.filled_to from clientele.sorting as s',
  );
  const { complete, filled_to } = rows[0]!;
  // Left by an interrupted run. It has to be built after everybody was filled in: see removeDeleted().
  if (!complete) await change.dropIndex(indexOf(name));
  const written = complete ? 0 : await fill(client, change, filled_to);
  await change.buildIndex(indexOf(name));
  if (!complete) {
    await removeDeleted(client, change);
    await client.query('update clientele.sorting set is_complete = true');
  }
  await change.maintain('vacuum (analyze) clientele.sorted_customers');
  await change.maintain('analyze public.customers');
  return written;
}

/**
 * Whoever is written from now on is kept by the triggers. One who is written while the others are read is filled in by
 * whichever comes first, and a trigger corrects what is older.
 */
async function fill(
  client: pg.ClientBase,
  change: OnlineChange,
  from: string | null,
): Promise<number> {
  let filled_to = from;
  return change.fill(async () => {
    const { rows } = await client.query<Filled>(fillStatement, [filled_to, batchSize]);
    filled_to = rows[0]?.filled_to ?? null;
    return rows[0];
  });
}

/**
 * Removes those who were filled in although somebody was deleting them, and had not committed or could not see their
 * places. Building the index has waited for all such transactions: for those that have written to its table, and for
 * those that have an older snapshot.
 */
async function removeDeleted(client: pg.ClientBase, change: OnlineChange): Promise<void> {
  const { rows } = await client.query<{ gone: string[] }>(
    `select array(
       select s.uuid from clientele.sorted_customers as s
       where not exists (select from only public.customers as c where c.uuid = s.uuid)
     ) as gone`,
  );
  const { gone } = rows[0]!;
  if (gone.length > 0) await change.whenFree(() => correct(client, gone));
}

interface Filled {
  /** The identifier of the last customer. */
  filled_to: string;
  done: number;
  changed: number;
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
    returning s.uuid
  )
  update clientele.sorting as s
  set filled_to = (select b.uuid from batch as b order by b.uuid desc limit 1),
    filled = s.filled + (select count(*) from batch)
  where exists (select from batch)
  returning s.filled_to, s.filled::float8 as done, (select count(*)::int from filled) as changed`;
