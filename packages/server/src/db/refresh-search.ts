/**
 * Computes again what customers are found by, after the search rules have changed, while the directory is in use:
 * docs/decisions/spellings.md.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { codeOf } from '../error-code.ts';

/** How far a run is, those before its interruption included. */
export interface Refresh {
  /** Customers that have been compared with the present rules. */
  compared: number;
  /** Customers in the directory, estimated. */
  of: number;
}

/** Concurrent runs take turns on this lock. */
const lockId = 4_716_310_060;
/** So many customers are compared in one transaction. */
const batchSize = 2_000;
/** How long to pause while others hold a lock, and how often to try again while they write a customer. */
const retries = { pauseMs: 100, attempts: 3_000 };

/** Undefined if no customer has text of earlier rules. */
export async function pendingRefresh(client: pg.ClientBase): Promise<Refresh | undefined> {
  const { rows } = await client.query<Refresh>(
    `select r.compared::float8 as compared, greatest(c.reltuples, r.compared)::float8 as of
     from clientele.search_refresh as r, pg_class as c
     where c.oid = 'public.customers'::regclass`,
  );
  return rows[0];
}

/**
 * Resumes what was interrupted, or else compares all customers. Returns how many had to be changed. The client has to be
 * the tables' owner.
 */
export async function refreshSearch(
  client: pg.ClientBase,
  onProgress: (refresh: Refresh) => void = () => undefined,
): Promise<number> {
  // A session that waits for the lock would have a snapshot, which keeps vacuum from its work.
  while (!(await tryLock(client))) await sleep(retries.pauseMs);
  try {
    await client.query('set statement_timeout = 0');
    const { rows } = await client.query<{ upto: string | null }>(
      `insert into clientele.search_refresh default values
       on conflict (only_row) do update set only_row = true
       returning upto`,
    );
    const { of } = (await pendingRefresh(client))!;
    let { upto } = rows[0]!;
    let changed = 0;
    for (;;) {
      const batch = await nextBatch(client, upto);
      if (batch === undefined) break;
      const compared = await whenFree(() => refreshBatch(client, batch));
      upto = batch.last;
      changed += batch.stale.length;
      onProgress({ compared, of });
    }
    await client.query('delete from clientele.search_refresh');
    return changed;
  } finally {
    await client.query('reset statement_timeout');
    await client.query('select pg_advisory_unlock($1)', [lockId]);
  }
}

async function tryLock(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'select pg_try_advisory_lock($1) as locked',
    [lockId],
  );
  return rows[0]!.locked;
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
         c.search_text <> clientele.search_text(c.full_name, c.email_address, c.company_name, c.phone_number)
           or c.name_text is not null
             and c.name_text <> clientele.search_text(c.full_name, null, c.company_name, null) as is_stale
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
           then clientele.search_text(c.full_name, null, c.company_name, null) end
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

/** Tries again while a writer holds one of the customers. */
async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== '55P03' || attempt === retries.attempts) throw error;
      await sleep(retries.pauseMs);
    }
  }
}
