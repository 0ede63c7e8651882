/**
 * What a small directory has prepared without being asked: every order of lists, and what callers without contact details
 * need. In a large one it takes long and costs gigabytes, so it is left to the operator.
 */
import type pg from 'pg';
import { addOrder, listOrders, orders, type Order } from './orders.ts';
import { isMaskingReady, prepareMasking } from './prepare-masking.ts';

export const largeDirectory = 1_000_000;

export interface Unprepared {
  masking: boolean;
  orders: Order[];
}

/** What is unfinished, and what nobody has decided about: once an order is on, the operator chooses the others. */
export async function findUnprepared(client: pg.ClientBase): Promise<Unprepared> {
  const states = await listOrders(client);
  const undecided = states.every(({ state }) => state === 'off');
  const unfinished = states.filter(({ state }) => state === 'building').map(({ name }) => name);
  return {
    masking: !(await isMaskingReady(client)),
    orders: undecided ? [...orders] : unfinished,
  };
}

export async function isSmallDirectory(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ small: boolean }>(
    `select case when c.reltuples >= $1 then false else (
       select count(*) < $1 from (select from only public.customers limit $1) as customers
     ) end as small
     from pg_class as c where c.oid = 'public.customers'::regclass`,
    [largeDirectory],
  );
  return rows[0]!.small;
}

/** The client has to be the tables' owner. An index waits so long for transactions that are open, such as a dump. */
export async function prepareSmallDirectory(
  client: pg.ClientBase,
  unprepared: Unprepared,
  patience = '60s',
): Promise<void> {
  for (const order of unprepared.orders) await addOrder(client, order, undefined, patience);
  // Last, because it may need a role that the owner may not create.
  if (unprepared.masking) await prepareMasking(client, undefined, patience);
}
