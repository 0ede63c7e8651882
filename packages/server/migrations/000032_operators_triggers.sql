-- A customer could be at the wrong place of a sorted list, or missing from it, if a trigger of the operator wrote to
-- customers after a customer was written: docs/decisions/operators-settings.md. Its write was followed by ours, which
-- took the places from the first one. Now they are taken from the row as it is. `clientele orders add` corrects what is
-- wrong already.
-- oldest program: 000013

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
    select c.uuid, clientele.sort_place(c.lifetime_value_cents, c.place),
      clientele.sort_place(c.total_orders, c.place), clientele.sort_place(c.last_order_at, c.place)
    from only public.customers as c where c.uuid operator(pg_catalog.=) any (select a.uuid from added as a)
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
    -- Somebody else may have the identifier by now.
    if tg_op operator(pg_catalog.=) 'DELETE'
      or (tg_op operator(pg_catalog.=) 'UPDATE' and old.uuid operator(pg_catalog.<>) new.uuid)
    then
      delete from clientele.sorted_customers as s
      where s.uuid operator(pg_catalog.=) old.uuid
        and not exists (select from only public.customers as c where c.uuid operator(pg_catalog.=) old.uuid);
    end if;
    if tg_op operator(pg_catalog.<>) 'DELETE' then
      update clientele.sorted_customers as s
      set by_lifetime_value_cents = clientele.sort_place(c.lifetime_value_cents, c.place),
        by_total_orders = clientele.sort_place(c.total_orders, c.place),
        by_last_order_at = clientele.sort_place(c.last_order_at, c.place)
      from only public.customers as c
      where c.uuid operator(pg_catalog.=) new.uuid and s.uuid operator(pg_catalog.=) new.uuid;
      -- New, or not filled yet, or deleted by now.
      if not found then
        insert into clientele.sorted_customers as s
          (uuid, by_lifetime_value_cents, by_total_orders, by_last_order_at)
        select c.uuid, clientele.sort_place(c.lifetime_value_cents, c.place),
          clientele.sort_place(c.total_orders, c.place), clientele.sort_place(c.last_order_at, c.place)
        from only public.customers as c where c.uuid operator(pg_catalog.=) new.uuid
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
    insert into clientele.sorted_customers (uuid, by_lifetime_value_cents, by_total_orders, by_last_order_at)
    select c.uuid, clientele.sort_place(c.lifetime_value_cents, c.place),
      clientele.sort_place(c.total_orders, c.place), clientele.sort_place(c.last_order_at, c.place)
    from only public.customers as c;
  end if;
  return null;
end
$$;
