/** What still holds the text of people who were erased. */
import type pg from 'pg';

export interface Remaining {
  /** People of whom something is left. */
  remaining: number;
  /** Of those, the ones who are still in the list, because somebody else has locked their row. */
  listed: number;
  /** Transactions that began before the erasure and may have written about them. */
  waitingFor: { process: number | null; login: string | null; since: string | null }[];
}

/** Instances get this long to read the log before entries are blanked. */
export const graceSeconds = 3;

/** Completes pending erasures as far as possible, and says what is left. Must be called outside a transaction. */
export async function clearTraces(client: pg.ClientBase): Promise<Remaining> {
  await client.query('select clientele.analyze_erased()');
  await client.query('select clientele.clear_erasures(make_interval(secs => $1))', [graceSeconds]);
  return remainingTraces(client);
}

async function remainingTraces(client: pg.ClientBase): Promise<Remaining> {
  const { rows } = await client.query<Remaining>(`
    with pending as materialized (
      select e.uuid, e.xid from clientele.erasures as e where e.cleared_at is null
    )
    select (select count(distinct p.uuid)::int from pending as p) as remaining,
      (select count(distinct p.uuid)::int from pending as p join public.customers as c on c.uuid = p.uuid) as listed,
      (select coalesce(json_agg(w), '[]') from clientele.customer_writers((select max(p.xid) from pending as p)) as w)
        as "waitingFor"`);
  return rows[0]!;
}
