-- As it is sent. `vitest --update` writes this file again.

-- places-1
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
  ) end as witnessed, (
    select string_agg(float8send(p.place), '' order by p.place desc)
    from (
      select m.place as place
      from only public.customers as m where (m.search_text like $2 or (m.search_text like $3 or m.search_text like $4)) limit $1
    ) as p
  ) as places
from here;

-- blocks-all-1
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
  ) end as witnessed, (
    select string_agg(int4send(b.block) || int4send(b.matches), '')
    from (
      select width_bucket(m.place, $1::float8[]) as block, count(*)::int as matches
      from only public.customers as m
      where (m.search_text like $2 or (m.search_text like $3 or m.search_text like $4))
      group by 1
    ) as b
  ) as blocks
from here;
