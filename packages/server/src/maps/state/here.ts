/** Where and when a statement runs: the table, the run of the server, and the snapshot. */
import type { Order, Shape } from '@clientele/directory';

/**
 * The triggers that write the log, and the sessions in which each fires: the doctor names them too. `no_parent` never
 * fires; while it exists, PostgreSQL does not make the table a partition.
 */
const logTriggers = `('log_inserts', 'O'), ('log_replicated_inserts', 'R'), ('log_updates', 'A'),
  ('log_deletes', 'A'), ('log_truncate', 'A'), ('no_parent', t.tgenabled)`;

/**
 * A map means nothing to another table: another oid (a restore), or another file (a rewritten table, or
 * a copy of the database). Neither leaves an entry in the log. Nor do writes while a trigger is missing
 * or disabled, so the triggers are part of it, with the transaction that last changed each. Null unless all of them
 * are as they should be, and null for an unlogged table: a crash empties it, and leaves the log. The same on every
 * physical replica.
 */
const identity = `concat_ws(' ', h.cluster, 'public.customers'::regclass::oid,
  pg_relation_filepath('public.customers')) || (
    select string_agg(' ' || t.xmin::text, '' order by t.tgname) from pg_trigger as t
    where t.tgrelid = 'public.customers'::regclass and (t.tgname, t.tgenabled) in (${logTriggers})
    having count(*) = 6
  ) || (
    select '' from pg_class as c where c.oid = 'public.customers'::regclass and c.relpersistence = 'p'
  )`;

/** For masked maps, the triggers that keep their text right belong to it as well; null until it is complete. */
const maskedIdentity = `${identity} || (
    select ' ' || m.kept_by from clientele.masking as m where m.kept_by = clientele.masking_triggers()
  )`;

/** The orders `o` that are on: the triggers that keep their places right are as they were when they were added. */
export const ordersOn = `clientele.orders as o, clientele.sorting as s
    where s.is_complete and s.kept_by = clientele.sort_triggers()`;

/** For maps in an order; null unless it is on. */
const orderIdentity = (order: Order): string => `(
    select ' by ' || o.name from ${ordersOn} and o.name = '${order}'
  )`;

const identityOf = ({ view, order }: Pick<Shape, 'view' | 'order'>): string =>
  [view === 'full' ? identity : maskedIdentity, order ? orderIdentity(order) : []]
    .flat()
    .join(' || ');

/**
 * Within one run, snapshots follow each other. A crash can undo commits that were visible and reuse their
 * ids while the postmaster keeps running, but it always resets the background writer's statistics.
 */
const serverRun = `concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())`;

/** The CTE `here`: the snapshot of the statement. */
export const here = (search: Pick<Shape, 'view' | 'order'>): string => `
  here as materialized (
    select ${identityOf(search)} as identity, ${serverRun} as run, h.xid as horizon, h.running, h.cluster, h.nonce,
      h.oldest, pg_is_in_recovery() as standby,
      case when pg_is_in_recovery() then h.published else pg_current_snapshot() end as snapshot
    from clientele.changes_horizon as h
  )`;
