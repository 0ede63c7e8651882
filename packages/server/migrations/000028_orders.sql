-- Lists can be sorted by what customers spent, how often they ordered, and when they last did: docs/decisions/sort.md.
-- Until `clientele orders add` has run, none of it is used: tables are empty, columns null, and triggers as they were.
-- oldest program: 000013

-- In the order in which readers and writers lock them.
lock table public.customers in share row exclusive mode;

-- A customer's place in an order: a number that never falls along it. The value comes first, then the place in the list
-- as a fraction. Among equal places, the columns themselves decide.
create function clientele.sort_place(value bigint, place float8) returns float8
  language sql immutable parallel safe
return value + least(greatest((place + 2199023255552) / 4398046511104, 0), 1);

-- By milliseconds since 2000. Those without an instant come before all others, by their place in the list.
create function clientele.sort_place(instant timestamptz, place float8) returns float8
  language sql immutable parallel safe
return coalesce(
  round(date_part('epoch', instant - timestamptz '2000-01-01 00:00:00+00') * 1000)
    + least(greatest((place + 2199023255552) / 4398046511104, 0), 1),
  place - 1125899906842624);
grant execute on function clientele.sort_place(bigint, float8), clientele.sort_place(timestamptz, float8) to public;

-- The places of every customer in all orders, once one of them is on. Each order that is on has an index here and not
-- on public.customers, where it would make every order event much slower.
create table clientele.sorted_customers (
  uuid uuid primary key,
  by_lifetime_value_cents float8 not null,
  by_total_orders float8 not null,
  by_last_order_at float8 not null
);

-- The orders that are on, or are being built.
create table clientele.orders (
  name text primary key check (name in ('lifetime_value_cents', 'total_orders', 'last_order_at')),
  added_at timestamptz(3) not null default now()
);

-- One row while there are orders.
create table clientele.sorting (
  only_row boolean primary key default true check (only_row),
  -- The triggers that have kept sorted_customers right since filling began: see sort_triggers().
  kept_by text not null,
  -- How far it has been filled, in the order of identifiers.
  filled_to uuid,
  filled bigint not null default 0,
  is_complete boolean not null default false
);

grant select on clientele.sorted_customers, clientele.orders, clientele.sorting to clientele_reader;

alter table clientele.changes
  -- Only places in orders have changed. Lists without an order pass over such entries.
  add column move boolean not null default false,
  -- Places in orders, before and after. Null while no order is on.
  add column old_by_lifetime_value_cents float8,
  add column old_by_total_orders float8,
  add column old_by_last_order_at float8,
  add column new_by_lifetime_value_cents float8,
  add column new_by_total_orders float8,
  add column new_by_last_order_at float8;
-- Statistics would show places after they were blanked.
alter table clientele.changes
  alter column old_by_lifetime_value_cents set statistics 0,
  alter column old_by_total_orders set statistics 0,
  alter column old_by_last_order_at set statistics 0,
  alter column new_by_lifetime_value_cents set statistics 0,
  alter column new_by_total_orders set statistics 0,
  alter column new_by_last_order_at set statistics 0;

-- Entries are updated only to blank them.
create function clientele.blank_orders() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  new.old_by_lifetime_value_cents := null;
  new.old_by_total_orders := null;
  new.old_by_last_order_at := null;
  new.new_by_lifetime_value_cents := null;
  new.new_by_total_orders := null;
  new.new_by_last_order_at := null;
  return new;
end
$$;
create trigger blank_orders before update on clientele.changes
  for each row when (new.old_place is null and new.new_place is null)
  execute function clientele.blank_orders();
alter table clientele.changes enable always trigger blank_orders;

-- The triggers have an argument while there are orders.
create or replace function clientele.log_inserts() returns trigger
  language plpgsql security definer
as $$
declare
  sorted constant pg_catalog.bool := tg_nargs operator(pg_catalog.>) 0;
  n bigint;
begin
  if sorted then
    insert into clientele.sorted_customers as s
      (uuid, by_lifetime_value_cents, by_total_orders, by_last_order_at)
    select a.uuid, clientele.sort_place(a.lifetime_value_cents, a.place),
      clientele.sort_place(a.total_orders, a.place), clientele.sort_place(a.last_order_at, a.place)
    from added as a
    on conflict (uuid) do update
    set by_lifetime_value_cents = excluded.by_lifetime_value_cents,
      by_total_orders = excluded.by_total_orders, by_last_order_at = excluded.by_last_order_at;
  end if;
  if pg_catalog.current_setting('clientele.changes_full', true)
    operator(pg_catalog.=) pg_catalog.pg_current_xact_id()::pg_catalog.text
  then
    return null;
  end if;
  -- Nothing is to be listed, as in a first import: searches are counted again.
  if pg_catalog.current_setting('clientele.changes_limit', true) operator(pg_catalog.=) '0' then
    perform clientele.listed_changes(1);
    return null;
  end if;
  if sorted then
    insert into clientele.changes (new_place, new_text, new_name_text, new_flags,
      new_by_lifetime_value_cents, new_by_total_orders, new_by_last_order_at)
    select a.place, a.search_text, a.name_text,
      case when a.is_verified then 1 else 0 end
        operator(pg_catalog.+) case when a.total_orders operator(pg_catalog.>) 0 then 2 else 0 end,
      clientele.sort_place(a.lifetime_value_cents, a.place), clientele.sort_place(a.total_orders, a.place),
      clientele.sort_place(a.last_order_at, a.place)
    from added as a limit 100001;
  else
    insert into clientele.changes (new_place, new_text, new_name_text, new_flags)
    select a.place, a.search_text, a.name_text,
      case when a.is_verified then 1 else 0 end
        operator(pg_catalog.+) case when a.total_orders operator(pg_catalog.>) 0 then 2 else 0 end
    from added as a limit 100001;
  end if;
  get diagnostics n = row_count;
  if n operator(pg_catalog.>=) 100 or pg_catalog.random() operator(pg_catalog.<) 0.01
    or pg_catalog.current_setting('clientele.changes_limit', true) operator(pg_catalog.<>) ''
  then
    perform clientele.listed_changes(n);
  end if;
  return null;
end
$$;

create or replace function clientele.log_change() returns trigger
  language plpgsql security definer
as $$
declare
  sorted constant pg_catalog.bool := tg_nargs operator(pg_catalog.>) 0;
begin
  if sorted then
    if tg_op operator(pg_catalog.=) 'DELETE' then
      delete from clientele.sorted_customers as s where s.uuid operator(pg_catalog.=) old.uuid;
    else
      if tg_op operator(pg_catalog.=) 'UPDATE' then
        update clientele.sorted_customers as s
        set uuid = new.uuid,
          by_lifetime_value_cents = clientele.sort_place(new.lifetime_value_cents, new.place),
          by_total_orders = clientele.sort_place(new.total_orders, new.place),
          by_last_order_at = clientele.sort_place(new.last_order_at, new.place)
        where s.uuid operator(pg_catalog.=) old.uuid;
      end if;
      -- New, or not filled yet.
      if not found then
        insert into clientele.sorted_customers as s
          (uuid, by_lifetime_value_cents, by_total_orders, by_last_order_at)
        values (new.uuid, clientele.sort_place(new.lifetime_value_cents, new.place),
          clientele.sort_place(new.total_orders, new.place), clientele.sort_place(new.last_order_at, new.place))
        on conflict (uuid) do update
        set by_lifetime_value_cents = excluded.by_lifetime_value_cents,
          by_total_orders = excluded.by_total_orders, by_last_order_at = excluded.by_last_order_at;
      end if;
    end if;
  end if;
  if pg_catalog.current_setting('clientele.changes_full', true)
    operator(pg_catalog.=) pg_catalog.pg_current_xact_id()::pg_catalog.text
  then
    return null;
  end if;
  if sorted then
    -- Of somebody who is new, or gone, the places on the other side are null.
    insert into clientele.changes
      (move, old_place, old_text, old_name_text, old_flags, new_place, new_text, new_name_text, new_flags,
       old_by_lifetime_value_cents, old_by_total_orders, old_by_last_order_at,
       new_by_lifetime_value_cents, new_by_total_orders, new_by_last_order_at)
    values (
      tg_argv[0] operator(pg_catalog.=) 'move',
      old.place, old.search_text, old.name_text,
      case when old.is_verified then 1 when not old.is_verified then 0 end
        operator(pg_catalog.+) case when old.total_orders operator(pg_catalog.>) 0 then 2 else 0 end,
      new.place, new.search_text, new.name_text,
      case when new.is_verified then 1 when not new.is_verified then 0 end
        operator(pg_catalog.+) case when new.total_orders operator(pg_catalog.>) 0 then 2 else 0 end,
      clientele.sort_place(old.lifetime_value_cents, old.place), clientele.sort_place(old.total_orders, old.place),
      clientele.sort_place(old.last_order_at, old.place),
      clientele.sort_place(new.lifetime_value_cents, new.place), clientele.sort_place(new.total_orders, new.place),
      clientele.sort_place(new.last_order_at, new.place)
    );
  else
    insert into clientele.changes
      (old_place, old_text, old_name_text, old_flags, new_place, new_text, new_name_text, new_flags)
    values (
      old.place, old.search_text, old.name_text,
      case when old.is_verified then 1 when not old.is_verified then 0 end
        operator(pg_catalog.+) case when old.total_orders operator(pg_catalog.>) 0 then 2 else 0 end,
      new.place, new.search_text, new.name_text,
      case when new.is_verified then 1 when not new.is_verified then 0 end
        operator(pg_catalog.+) case when new.total_orders operator(pg_catalog.>) 0 then 2 else 0 end
    );
  end if;
  if pg_catalog.random() operator(pg_catalog.<) 0.01
    or pg_catalog.current_setting('clientele.changes_limit', true) operator(pg_catalog.<>) ''
  then
    perform clientele.listed_changes(1);
  end if;
  return null;
end
$$;

create or replace function clientele.log_truncate() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into clientele.changes default values;
  if exists (select from clientele.sorting) then
    truncate clientele.sorted_customers;
  end if;
  return null;
end
$$;

-- The triggers that keep sorted_customers and the places in the log right, with the transaction that last changed each.
-- Null unless all of them fire in every session: as long as the value stays the same, no write has bypassed them.
create function clientele.sort_triggers() returns text
  language sql stable set search_path = pg_catalog, pg_temp
as $$
  select string_agg(t.oid || ' ' || t.xmin::text, ', ' order by t.tgname)
  from pg_trigger as t
  where t.tgrelid = 'public.customers'::regclass
    and t.tgname in ('log_inserts', 'log_replicated_inserts', 'log_updates', 'log_moves', 'log_deletes',
      'log_truncate', 'log_name_text')
  having count(*) filter (where t.tgname <> 'log_name_text') = 6
    and bool_and(t.tgnargs = 1 or t.tgname = 'log_truncate')
    and bool_and(t.tgenabled = case t.tgname
      when 'log_inserts' then 'O' when 'log_replicated_inserts' then 'R' else 'A' end)
$$;

-- The orders that lists can have now.
create function clientele.available_orders() returns text[]
  language sql stable set search_path = pg_catalog, pg_temp
as $$
  select array(
    select o.name from clientele.orders as o, clientele.sorting as s
    where s.is_complete and s.kept_by = clientele.sort_triggers()
      and exists (
        select from pg_index as x
        where x.indexrelid = to_regclass('clientele.sorted_by_' || o.name) and x.indisvalid
      )
    order by o.name
  )
$$;

-- Creates the trigger that logs what log_updates does not: words that move between a name and a hidden field can
-- leave search_text as it was. Filling is no change.
create or replace function clientele.log_name_texts() returns void
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  before constant text := clientele.sort_triggers();
begin
  execute format(
    'create or replace trigger log_name_text after update on public.customers
      for each row
      when (old.name_text <> new.name_text
        and old.search_text = new.search_text and old.place = new.place
        and old.is_verified = new.is_verified and (old.total_orders > 0) = (new.total_orders > 0))
      execute function clientele.log_change(%s)',
    case when exists (select from clientele.sorting) then '''sorted''' end);
  alter table public.customers enable always trigger log_name_text;
  update clientele.sorting set kept_by = clientele.sort_triggers() where kept_by = before;
end
$$;

-- Creates the triggers of the log again, with or without places in orders. Their lock waits for all writers, so no write
-- bypasses them meanwhile. Maps belong to triggers, so every search is counted again.
create function clientele.log_orders(sorted boolean) returns void
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  argument constant text := case when sorted then '''sorted''' else '' end;
  masked constant text := clientele.masking_triggers();
  listed constant text := 'old.search_text is distinct from new.search_text or old.place is distinct from new.place
    or old.is_verified <> new.is_verified or (old.total_orders > 0) <> (new.total_orders > 0)';
begin
  execute format(
    'create or replace trigger log_inserts after insert on public.customers
      referencing new table as added for each statement execute function clientele.log_inserts(%s)', argument);
  execute format(
    'create or replace trigger log_replicated_inserts after insert on public.customers
      for each row execute function clientele.log_change(%s)', argument);
  execute format(
    'create or replace trigger log_updates after update on public.customers
      for each row when (%s) execute function clientele.log_change(%s)', listed, argument);
  execute format(
    'create or replace trigger log_deletes after delete on public.customers
      for each row execute function clientele.log_change(%s)', argument);
  alter table public.customers enable trigger log_inserts;
  alter table public.customers enable replica trigger log_replicated_inserts;
  alter table public.customers enable always trigger log_updates;
  alter table public.customers enable always trigger log_deletes;
  if sorted then
    execute format(
      'create or replace trigger log_moves after update on public.customers
        for each row
        when (not (%s) and (old.name_text <> new.name_text) is not true
          and (old.lifetime_value_cents <> new.lifetime_value_cents or old.total_orders <> new.total_orders
            or old.last_order_at is distinct from new.last_order_at or old.uuid <> new.uuid))
        execute function clientele.log_change(''move'')', listed);
    alter table public.customers enable always trigger log_moves;
  else
    drop trigger if exists log_moves on public.customers;
  end if;
  if exists (
    select from pg_trigger as t where t.tgrelid = 'public.customers'::regclass and t.tgname = 'log_name_text'
  ) then
    perform clientele.log_name_texts();
    update clientele.masking set kept_by = clientele.masking_triggers() where kept_by = masked;
  end if;
end
$$;

-- Called first to add an order. From its commit on, whoever is written has places in all orders.
create function clientele.begin_order(name text) returns void
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  if not exists (select from clientele.sorting as s where s.kept_by = clientele.sort_triggers()) then
    lock table public.customers in share row exclusive mode;
    -- What is there may have been written while a trigger was missing.
    truncate clientele.sorted_customers;
    delete from clientele.sorting;
    insert into clientele.sorting (kept_by) values ('');
    perform clientele.log_orders(true);
    update clientele.sorting set kept_by = clientele.sort_triggers();
    -- As with places: told that there are few groups, the planner has each process group what it reads.
    alter table public.customers
      alter column lifetime_value_cents set (n_distinct = 1),
      alter column total_orders set (n_distinct = 1),
      alter column last_order_at set (n_distinct = 1);
  end if;
  insert into clientele.orders (name) values (begin_order.name) on conflict do nothing;
end
$$;

-- Called when the last order has been removed. Nothing of it is left.
create function clientele.end_orders() returns void
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from clientele.orders) or not exists (select from clientele.sorting) then
    return;
  end if;
  lock table public.customers in access exclusive mode;
  delete from clientele.sorting;
  perform clientele.log_orders(false);
  truncate clientele.sorted_customers;
  alter table public.customers
    alter column lifetime_value_cents reset (n_distinct),
    alter column total_orders reset (n_distinct),
    alter column last_order_at reset (n_distinct);
end
$$;

revoke execute on function clientele.blank_orders(), clientele.sort_triggers(), clientele.available_orders(),
  clientele.log_orders(boolean), clientele.begin_order(text), clientele.end_orders() from public;
grant execute on function clientele.sort_triggers(), clientele.available_orders() to clientele_reader;

-- Locking this view locks all three tables. With rights on some columns only, a role cannot lock the tables.
create or replace view clientele.counted_tables as
  select true as locked
  from only public.customers as c, clientele.changes as e, clientele.sorted_customers as s where false;

-- Whoever is shown what customers spent and ordered may sort by it.
create or replace function clientele.grant_masking() returns void
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  begin
    if not exists (select from pg_roles where rolname = 'clientele_masked_reader') then
      create role clientele_masked_reader nologin;
    end if;
    -- Whoever may serve may also serve less.
    if not pg_has_role('clientele_reader', 'clientele_masked_reader', 'member') then
      grant clientele_masked_reader to clientele_reader;
    end if;
  exception
    when insufficient_privilege then
      raise exception 'it may not create the role clientele_masked_reader. As a superuser, run: '
        'create role clientele_masked_reader nologin; grant clientele_masked_reader to clientele_reader'
        using errcode = 'insufficient_privilege';
  end;
  revoke all on public.customers, clientele.changes from clientele_masked_reader;
  grant usage on schema public, clientele to clientele_masked_reader;
  grant select (uuid, full_name, company_name, is_verified, total_orders, lifetime_value_cents,
    last_order_at, created_at, place, name_text) on public.customers to clientele_masked_reader;
  grant select (id, xid, move, old_place, old_name_text, old_flags, new_place, new_name_text, new_flags, nonce, oldest,
      old_by_lifetime_value_cents, old_by_total_orders, old_by_last_order_at,
      new_by_lifetime_value_cents, new_by_total_orders, new_by_last_order_at)
    on clientele.changes to clientele_masked_reader;
  grant select on clientele.changes_horizon, clientele.stored_bounds, clientele.masking,
    clientele.counted_tables, clientele.sorted_customers, clientele.orders, clientele.sorting
    to clientele_masked_reader;
  grant execute on function clientele.fold(text), clientele.mark(text),
    clientele.search_text(text, text, text, text), clientele.search_patterns(text),
    clientele.masking_triggers(), clientele.sort_triggers(), clientele.only_audited_since(xid8, xid8[])
    to clientele_masked_reader;
end
$$;

do $$ begin
  if exists (
    select from pg_roles as r
    where r.rolname = 'clientele_masked_reader'
      and has_column_privilege(r.oid, 'clientele.changes', 'new_place', 'select')
  ) then
    perform clientele.grant_masking();
  end if;
end $$;

-- The statistics of places show what somebody has spent.
create or replace function clientele.analyze_erased() returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
  -- Autovacuum lets others pass after deadlock_timeout, a second by default.
  set lock_timeout = '3s'
as $$
declare
  sampled constant uuid[] := array(
    select e.id from clientele.erasures as e
    where e.cleared_at is null and e.removed_at is not null and e.analyzed_at is null
  );
begin
  -- One at a time: several instances may ask for it.
  if cardinality(sampled) = 0 or not pg_try_advisory_xact_lock(hashtextextended('clientele.analyze_erased', 0)) then
    return;
  end if;
  analyze public.customers;
  if exists (select from clientele.sorting) then
    analyze clientele.sorted_customers;
  end if;
  update clientele.erasures as e set analyzed_at = now() where e.id = any (sampled);
exception when lock_not_available or deadlock_detected then
  -- Somebody else analyzes or vacuums the table: next time.
  null;
end
$$;

-- Adds the order of lists to what the audit shows.
create or replace view clientele.audit_entries as
select b.chain, b.number, e.ordinality::int as position, b.stored_at,
  (e.entry ->> 'at')::timestamptz(3) as at,
  e.entry ->> 'kind' as caller_kind,
  e.entry ->> 'caller' as caller_id,
  e.entry ->> 'name' as caller_name,
  e.entry ->> 'address' as address,
  e.entry ->> 'action' as action,
  e.entry ->> 'request' as request_id,
  (e.entry ->> 'page')::int as page,
  (e.entry ->> 'per_page')::int as per_page,
  (e.entry ->> 'total')::bigint as total,
  (e.entry ->> 'shown')::int as shown,
  e.entry ->> 'search' as search_hash,
  array(
    select encode(substr(b.customers, i, 16), 'hex')::uuid
    from generate_series(1 + 16 * e.before, 16 * (e.before + (e.entry ->> 'shown')::int) - 15, 16) as i
  ) as customers,
  -- Of all entries of the batch, to find those that show a customer without taking each apart.
  b.customers as batch_customers,
  -- What the list was narrowed by, as parameters of the API; null for nothing.
  e.entry -> 'filters' as filters,
  -- Null for the newest first.
  e.entry ->> 'sort' as sort
from clientele.audit_batches as b, lateral (
  select a.entry, a.ordinality,
    (sum((a.entry ->> 'shown')::int) over (order by a.ordinality) - (a.entry ->> 'shown')::int)::int as before
  from jsonb_array_elements(convert_from(b.entries, 'UTF8')::jsonb) with ordinality as a(entry, ordinality)
) as e;
