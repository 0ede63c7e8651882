/**
 * Whether clientele.sorted_customers has the place of every customer. Triggers keep it so; what was written
 * by hand is found by the doctor and corrected by `clientele prepare sort`.
 */
import type pg from 'pg';
import type { OnlineChange } from './online-change.ts';

/** The columns of sorted_customers, of a row `c` of customers. */
export const placed = `c.uuid, clientele.sort_place(c.lifetime_value_cents, c.place) as by_lifetime_value_cents,
      clientele.sort_place(c.total_orders, c.place) as by_total_orders,
      clientele.sort_place(c.last_order_at, c.place) as by_last_order_at`;

/** So many customers are compared by one statement. */
const batchSize = 5_000;
const first = '00000000-0000-0000-0000-000000000000';

interface Batch {
  /** Where the next one starts; null after the last one. */
  next: string | null;
  /** Identifiers whose places are wrong or missing, or that no customer has. */
  differing: string[];
}

/** All that differ. Only for few customers. */
export async function differingCustomers(client: pg.ClientBase): Promise<string[]> {
  const found: string[] = [];
  for await (const differing of differences(client)) found.push(...differing);
  return [...new Set(found)];
}

/** How many differ among the newest customers and a part of the others; among all, if there are few. */
export async function countSomeDifferences(client: pg.ClientBase): Promise<number> {
  const newest = await client.query<{ differing: string[] }>(newestStatement, [batchSize]);
  const { rows } = await client.query<{ from: string }>(
    `select case when c.reltuples > $1 then gen_random_uuid() else $2 end as from
     from pg_class as c where c.oid = 'public.customers'::regclass`,
    [batchSize, first],
  );
  const others = await compare(client, rows[0]!.from);
  return new Set([...newest.rows[0]!.differing, ...others.differing]).size;
}

/** While customers are written. Returns how many had to be corrected. */
export async function correctPlaces(client: pg.ClientBase, change: OnlineChange): Promise<number> {
  let from: string | null = first;
  let done = 0;
  return change.fill(async () => {
    if (from === null) return undefined;
    const { next, differing }: Batch = await compare(client, from);
    if (differing.length > 0) await correct(client, differing);
    from = next;
    done += batchSize;
    return { done, changed: differing.length };
  });
}

async function* differences(client: pg.ClientBase): AsyncGenerator<string[]> {
  for (let from: string | null = first; from !== null;) {
    const { next, differing } = await compare(client, from);
    yield differing;
    from = next;
  }
}

async function compare(client: pg.ClientBase, from: string): Promise<Batch> {
  const { rows } = await client.query<Batch>(batchStatement, [from, batchSize]);
  return rows[0]!;
}

const differ = `s.uuid is null or c.uuid is null
      or (s.by_lifetime_value_cents, s.by_total_orders, s.by_last_order_at)
        is distinct from (c.by_lifetime_value_cents, c.by_total_orders, c.by_last_order_at)`;

/** The $2 customers from the identifier $1 on. Where one batch ends, the next one starts. */
const batchStatement = `
  with batch as materialized (
    select ${placed}
    from only public.customers as c
    where c.uuid >= $1
    order by c.uuid
    limit $2
  ), upto as (
    select (select b.uuid from batch as b order by b.uuid offset $2 - 1) as uuid
  ), present as materialized (
    select s.* from clientele.sorted_customers as s
    where s.uuid >= $1
      and s.uuid <= coalesce((select u.uuid from upto as u), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  )
  select u.uuid as next, array(
    select coalesce(c.uuid, s.uuid) from batch as c full join present as s on s.uuid = c.uuid where ${differ}
  ) as differing
  from upto as u`;

const newestStatement = `
  with newest as materialized (
    select ${placed}
    from only public.customers as c
    order by c.place desc, c.created_at desc, c.uuid desc
    limit $1
  )
  select array(
    select c.uuid from newest as c left join clientele.sorted_customers as s on s.uuid = c.uuid where ${differ}
  ) as differing`;

/** Locks as writers do, customers first, so nothing changes between reading and writing. */
export async function correct(client: pg.ClientBase, uuids: string[]): Promise<void> {
  try {
    await client.query('begin isolation level read committed');
    for (const statement of correctStatements) await client.query(statement, [uuids]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

const correctStatements = [
  `select from only public.customers as c where c.uuid = any ($1) order by c.uuid for no key update`,
  `select from clientele.sorted_customers as s where s.uuid = any ($1) order by s.uuid for update`,
  `delete from clientele.sorted_customers as s
   where s.uuid = any ($1) and not exists (select from only public.customers as c where c.uuid = s.uuid)`,
  `insert into clientele.sorted_customers as s (uuid, by_lifetime_value_cents, by_total_orders, by_last_order_at)
   select ${placed} from only public.customers as c where c.uuid = any ($1)
   on conflict (uuid) do update
   set by_lifetime_value_cents = excluded.by_lifetime_value_cents,
     by_total_orders = excluded.by_total_orders, by_last_order_at = excluded.by_last_order_at`,
];
