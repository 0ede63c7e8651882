-- As it is sent. `vitest --update` writes this file again.

-- walk-1
with
here as materialized (
  select concat_ws(' ', h.cluster, 'public.customers'::regclass::oid,
      pg_relation_filepath('public.customers')) || (
        select string_agg(' ' || t.xmin::text, '' order by t.tgname) from pg_trigger as t
        where t.tgrelid = 'public.customers'::regclass and (t.tgname, t.tgenabled) in (('log_inserts', 'O'), ('log_replicated_inserts', 'R'), ('log_updates', 'A'),
            ('log_deletes', 'A'), ('log_truncate', 'A'), ('no_parent', t.tgenabled))
        having count(*) = 6
      ) || (
        select '' from pg_class as c where c.oid = 'public.customers'::regclass and c.relpersistence = 'p'
      ) as identity, concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time()) as run, h.xid as horizon, h.running, h.cluster, h.nonce,
    h.oldest, pg_is_in_recovery() as standby,
    case when pg_is_in_recovery() then h.published else pg_current_snapshot() end as snapshot
  from clientele.changes_horizon as h
)
select
  here.identity, here.run, here.snapshot::text, here.horizon::text, here.running::text[],
  case when true then
  case when here.standby then array(
    select e.xid::text from clientele.changes as e
    where e.xid >= pg_snapshot_xmax(here.snapshot) and not e.move
    union
    select e.xid::text from clientele.changes as e
    where e.xid = any (array(select pg_snapshot_xip(here.snapshot))) and not e.move
  ) end end as beyond,
  case when true then (
    select json_build_object(
        'xmin', w.xmin, 'xid', w.xid, 'oldest', w.oldest, 'nonce', w.nonce, 'recent', array(
          with recursive recent(xid) as (
              (
                select e.xid from clientele.changes as e
                where e.xid >= least(w.xmin, w.oldest) and not e.move order by e.xid limit 1
              )
            union all
            select (
              select e.xid from clientele.changes as e where e.xid > r.xid and not e.move
              order by e.xid limit 1
            )
            from recent as r where r.xid is not null
          )
          select r.xid from recent as r where r.xid is not null limit 1001
        ))
    from (
      select pg_snapshot_xmin(pg_current_snapshot()) as xmin, coalesce(e.xid, '0') as xid,
        coalesce(e.oldest, here.oldest) as oldest, coalesce(e.nonce, here.nonce) as nonce
      from (select) as one
      left join (
        select e.xid, e.oldest, e.nonce from clientele.changes as e where not e.move
        order by e.xid desc limit 1
      ) as e on true
    ) as w
  ) end as witnessed, r.customers, r.shown, r.found, r.places,
  (select c.reltuples::float8 from pg_class as c where c.oid = 'public.customers'::regclass) as everybody
from here, (
  select string_agg(row_to_json(w)::text, ',') as customers,
    string_agg(uuid_send(c.uuid), '') as shown, count(*)::int as found,
    string_agg(float8send(c.place_here), '') as places
  from (
    select m.*
    from (
      select m.*, m.place as place_here
      from only public.customers as m
      order by m.place desc, m.created_at desc, m.uuid desc
      limit $3
    ) as m
    where (m.search_text like $4 or (m.search_text like $5 or m.search_text like $6))
    order by m.place desc, m.created_at desc, m.uuid desc
    limit $1 offset $2) as c, lateral (select c.uuid,
        c.full_name,
        c.email_address,
        c.phone_number,
        c.company_name,
        c.is_verified,
        c.total_orders,
        c.lifetime_value_cents,
        to_char(c.last_order_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_order_at,
        to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at) as w
) as r;

-- rows-by-index-1
with
here as materialized (
  select concat_ws(' ', h.cluster, 'public.customers'::regclass::oid,
      pg_relation_filepath('public.customers')) || (
        select string_agg(' ' || t.xmin::text, '' order by t.tgname) from pg_trigger as t
        where t.tgrelid = 'public.customers'::regclass and (t.tgname, t.tgenabled) in (('log_inserts', 'O'), ('log_replicated_inserts', 'R'), ('log_updates', 'A'),
            ('log_deletes', 'A'), ('log_truncate', 'A'), ('no_parent', t.tgenabled))
        having count(*) = 6
      ) || (
        select '' from pg_class as c where c.oid = 'public.customers'::regclass and c.relpersistence = 'p'
      ) as identity, concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time()) as run, h.xid as horizon, h.running, h.cluster, h.nonce,
    h.oldest, pg_is_in_recovery() as standby,
    case when pg_is_in_recovery() then h.published else pg_current_snapshot() end as snapshot
  from clientele.changes_horizon as h
)
select
  here.identity, here.run, here.snapshot::text, here.horizon::text, here.running::text[],
  case when true then
  case when here.standby then array(
    select e.xid::text from clientele.changes as e
    where e.xid >= pg_snapshot_xmax(here.snapshot) and not e.move
    union
    select e.xid::text from clientele.changes as e
    where e.xid = any (array(select pg_snapshot_xip(here.snapshot))) and not e.move
  ) end end as beyond,
  case when true then (
    select json_build_object(
        'xmin', w.xmin, 'xid', w.xid, 'oldest', w.oldest, 'nonce', w.nonce, 'recent', array(
          with recursive recent(xid) as (
              (
                select e.xid from clientele.changes as e
                where e.xid >= least(w.xmin, w.oldest) and not e.move order by e.xid limit 1
              )
            union all
            select (
              select e.xid from clientele.changes as e where e.xid > r.xid and not e.move
              order by e.xid limit 1
            )
            from recent as r where r.xid is not null
          )
          select r.xid from recent as r where r.xid is not null limit 1001
        ))
    from (
      select pg_snapshot_xmin(pg_current_snapshot()) as xmin, coalesce(e.xid, '0') as xid,
        coalesce(e.oldest, here.oldest) as oldest, coalesce(e.nonce, here.nonce) as nonce
      from (select) as one
      left join (
        select e.xid, e.oldest, e.nonce from clientele.changes as e where not e.move
        order by e.xid desc limit 1
      ) as e on true
    ) as w
  ) end as witnessed, r.customers, r.shown, r.found, r.places,
  (select c.reltuples::float8 from pg_class as c where c.oid = 'public.customers'::regclass) as everybody
from here, (
  select string_agg(row_to_json(w)::text, ',') as customers,
    string_agg(uuid_send(c.uuid), '') as shown, count(*)::int as found,
    string_agg(float8send(c.place_here), '') as places
  from (
    select m.*, m.place as place_here
    from only public.customers as m
    where (m.search_text like $3 or (m.search_text like $4 or m.search_text like $5)) order by (m.place + 0) desc, m.created_at desc, m.uuid desc limit $1 offset $2) as c, lateral (select c.uuid,
        c.full_name,
        c.email_address,
        c.phone_number,
        c.company_name,
        c.is_verified,
        c.total_orders,
        c.lifetime_value_cents,
        to_char(c.last_order_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_order_at,
        to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at) as w
) as r;
