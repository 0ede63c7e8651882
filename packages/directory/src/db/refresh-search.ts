/**
 * Computes again what customers are found by, after the search rules have changed, while the directory is in use:
 * docs/decisions/spellings.md.
 */
import type pg from 'pg';
import { nameText, searchText } from './customer-columns.ts';
import { changeOnline, type ChangeOptions } from './online-change.ts';

/** How far a run is, those before its interruption included. */
export interface Refresh {
  /** Customers that have been compared with the present rules. */
  compared: number;
  /** Customers in the directory, estimated. */
  of: number;
}

/** So many customers are compared in one transaction. */
const batchSize = 2_000;

/** Undefined if no customer has text of earlier rules. */
export async function pendingRefresh(client: pg.ClientBase): Promise<Refresh | undefined> {
  const { rows } = await client.query<Refresh>(
    `select r.compared::float8 as compared, greatest(c.reltuples, r.compared)::float8 as of
     from clientele.search_refresh as r, pg_class as c
     where c.oid = 'public.customers'::regclass`,
  );
  return rows[0];
}

/** Resumes what was interrupted, or else compares all customers. Returns how many had to be written. */
export async function refreshSearch(
  client: pg.ClientBase,
  options: ChangeOptions = {},
): Promise<number> {
  return changeOnline(client, options, async (change) => {
    const { rows } = await client.query<{ upto: string | null }>(
      `insert into clientele.search_refresh default values
       on conflict (only_row) do update set only_row = true
       returning upto`,
    );
    let { upto } = rows[0]!;
    const written = await change.fill(async () => {
      const batch = await nextBatch(client, upto);
      if (!batch) return undefined;
      const done = await refreshBatch(client, batch);
      upto = batch.last;
      return { done, changed: batch.stale.length };
    });
    await client.query('delete from clientele.search_refresh');
    return written;
  });
}

interface Batch {
  customers: number;
  last: string;
  /** Those whose text is not that of the present rules. name_text is null until masking has been prepared. */
  stale: string[];
}

/** Identifiers do not change, so nobody moves from the customers ahead to those that have been compared. */
async function nextBatch(client: pg.ClientBase, upto: string | null): Promise<Batch | undefined> {
  const { rows } = await client.query<Batch>(
    `select count(*)::int as customers, (array_agg(b.uuid order by b.uuid desc))[1] as last,
       coalesce(array_agg(b.uuid) filter (where b.is_stale), '{}') as stale
     from (
       select c.uuid,
         c.search_text <> ${searchText}
           or c.name_text is not null
             and c.name_text <> ${nameText} as is_stale
       from only public.customers as c
       where $1::uuid is null or c.uuid > $1
       order by c.uuid limit ${batchSize}
     ) as b
     having count(*) > 0`,
    [upto],
  );
  return rows[0];
}

/**
 * One transaction. It waits for no lock, so it can be no part of a deadlock. Assigning a name to itself has PostgreSQL
 * compute search_text. Returns how many customers have been compared so far.
 */
async function refreshBatch(
  client: pg.ClientBase,
  { customers, last, stale }: Batch,
): Promise<number> {
  const { rows } = await client.query<{ compared: number }>(
    `with held as materialized (
       select c.uuid from only public.customers as c where c.uuid = any ($1) for no key update nowait
     ),
     changed as (
       update only public.customers as c
       set full_name = c.full_name,
         name_text = case when c.name_text is not null
           then ${nameText} end
       from held as h
       where c.uuid = h.uuid and c.uuid = any ($1)
     )
     update clientele.search_refresh as r
     set upto = $2, compared = r.compared + $3
     returning r.compared::float8 as compared`,
    [stale, last, customers],
  );
  return rows[0]!.compared;
}
