-- Lists can be sorted by what customers spent, how often they ordered, and when they last did: docs/decisions/sort.md.
-- Until an order is added, none of it is used: tables are empty, columns of the log null, and triggers without argument.

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

-- The triggers that keep sorted_customers and the places in the log right, with the transaction that last changed each.
-- Null unless all of them fire in every session: as long as the value stays the same, no write has bypassed them. Parallel
-- safe, because PostgreSQL otherwise counts in one process, and in a language that keeps the plan.
create function clientele.sort_triggers() returns text
  language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select string_agg(t.oid || ' ' || t.xmin::text, ', ' order by t.tgname)
    from pg_trigger as t
    where t.tgrelid = 'public.customers'::regclass
      and t.tgname in ('log_inserts', 'log_replicated_inserts', 'log_updates', 'log_moves', 'log_deletes',
        'log_truncate', 'log_name_text')
    having count(*) filter (where t.tgname <> 'log_name_text') = 6
      and bool_and(t.tgnargs = 1 or t.tgname = 'log_truncate')
      and bool_and(t.tgenabled = case t.tgname
        when 'log_inserts' then 'O' when 'log_replicated_inserts' then 'R' else 'A' end)
  );
end
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
create function clientele.log_name_texts() returns void
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

revoke execute on function clientele.sort_triggers, clientele.available_orders, clientele.log_name_texts,
  clientele.log_orders, clientele.begin_order, clientele.end_orders from public;
grant execute on function clientele.sort_triggers, clientele.available_orders to clientele_reader;
