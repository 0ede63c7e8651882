-- As it is sent. `vitest --update` writes this file again.

-- page-below-1
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
),
entries as materialized (
  select e.* from clientele.changes as e where e.xid >= $1::xid8 and not e.move
  union all
  select e.* from clientele.changes as e where e.xid = any ($2::xid8[]) and not e.move
),
news as materialized (
  select e.old_place, e.new_place,
    e.old_place is not null and (e.old_text like $7 or (e.old_text like $8 or e.old_text like $9)) as was,
    e.new_place is not null and (e.new_text like $7 or (e.new_text like $8 or e.new_text like $9)) as is
  from entries as e
  where e.xid not in (select unnest($3::xid8[]))
),
delta as materialized (
  select count(*)::int as entries,
    coalesce(bool_or(n.old_place is null and n.new_place is null), false) as recount,
    (count(*) filter (where n.is) - count(*) filter (where n.was))::int as total,
    (count(*) filter (where n.is and n.new_place >= $4::float8)
        - count(*) filter (where n.was and n.old_place >= $4::float8))::int as before
  from news as n
)
select
  here.identity, here.run, here.snapshot::text, here.horizon::text, here.running::text[],
  case when (d.entries > 64 or d.before > $5::int) then
  case when here.standby then array(
    select e.xid::text from clientele.changes as e
    where e.xid >= pg_snapshot_xmax(here.snapshot) and not e.move
    union
    select e.xid::text from clientele.changes as e
    where e.xid = any (array(select pg_snapshot_xip(here.snapshot))) and not e.move
  ) end end as beyond,
  case when (d.entries > 64 or d.before > $5::int) then (
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
  ) end as witnessed,
  d.entries, d.recount, d.total, d.before,
  case when cardinality($3::xid8[]) = 0 then 0 else (
    select count(distinct e.xid)::int from entries as e where (e.xid in (select unnest($3::xid8[]))) is true
  ) end as seen,
  case when (d.entries > 64 or d.before > $5::int) then (
    select coalesce(string_agg(float8send(n.new_place), ''), '') from news as n where n.is
  ) end as added,
  case when (d.entries > 64 or d.before > $5::int) then (
    select coalesce(string_agg(float8send(n.old_place), ''), '') from news as n where n.was
  ) end as removed,
  case when not here.standby then here.identity || ' ' || here.run || ' ' || here.snapshot end as name,
  p.customers, p.shown
from here, delta as d,
  (
    select string_agg(row_to_json(w)::text, ',') as customers, string_agg(uuid_send(w.uuid), '') as shown
    from (select c.uuid,
        c.full_name,
        c.email_address,
        c.phone_number,
        c.company_name,
        c.is_verified,
        c.total_orders,
        c.lifetime_value_cents,
        to_char(c.last_order_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_order_at,
        to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at from (
          select m.*
          from only public.customers as m
          where m.place < $4::float8 and (m.search_text like $7 or (m.search_text like $8 or m.search_text like $9))
          order by m.place desc, m.created_at desc, m.uuid desc
          limit $6 offset greatest($5::int - (select d.before from delta as d), 0)) as c) as w
  ) as p;

-- quiet-page-below-0
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
  case when false then
  case when here.standby then array(
    select e.xid::text from clientele.changes as e
    where e.xid >= pg_snapshot_xmax(here.snapshot) and not e.move
    union
    select e.xid::text from clientele.changes as e
    where e.xid = any (array(select pg_snapshot_xip(here.snapshot))) and not e.move
  ) end end as beyond,
  case when false then (
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
  ) end as witnessed,
  case when not here.standby then here.identity || ' ' || here.run || ' ' || here.snapshot end as name, p.customers, p.shown,
  cardinality($3::xid8[]) = 0
  and not exists (select from clientele.changes as e where not e.move and e.xid >= $1::xid8)
  and not exists (select from clientele.changes as e where not e.move and e.xid = any ($2::xid8[])) as quiet
from here,
  (
    select string_agg(row_to_json(w)::text, ',') as customers, string_agg(uuid_send(w.uuid), '') as shown
    from (select c.uuid,
        c.full_name,
        c.email_address,
        c.phone_number,
        c.company_name,
        c.is_verified,
        c.total_orders,
        c.lifetime_value_cents,
        to_char(c.last_order_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_order_at,
        to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at from (
          select m.*
          from only public.customers as m
          where (m.place, m.created_at, m.uuid) <= (
            select k.place, k.created_at, k.uuid
            from only public.customers as k
            where k.place < $4::float8
            order by k.place desc, k.created_at desc, k.uuid desc
            limit 1 offset $5
          )
          order by m.place desc, m.created_at desc, m.uuid desc
          limit $6) as c) as w
  ) as p;
