-- What makes any page of any search exact and quick (docs/decisions/page-maps.md): each customer's
-- place in the list as one number, and a log of what changed there.

-- A number that never falls along the list's order: milliseconds since 2000, then twelve bits of the
-- identifier. Equal places are told apart by created_at and uuid themselves.
create function clientele.place(created timestamptz, id uuid) returns float8
  language sql immutable parallel safe
return case when isfinite(created) then
  round(date_part('epoch', created - timestamptz '2000-01-01 00:00:00+00') * 1000)
    + (get_byte(uuid_send(id), 0) * 16 + get_byte(uuid_send(id), 1) / 16) / 4096::float8
-- No such customer is let in, but it is for the constraint to say so.
else 0 end;

alter table public.customers
  add column place float8 not null generated always as (clientele.place(created_at, uuid)) stored;

create index customers_by_place on public.customers (place desc, created_at desc, uuid desc);
drop index public.customers_newest_first;

-- The planner's guess of how many customers a search matches decides how it is counted, so the
-- sample behind that guess is larger than usual.
alter table public.customers alter column search_text set statistics 1000;

-- Every searchable change, with the transaction that made it. A search's count, once made, stays exact
-- by adding the entries that a later snapshot sees. Changes of order statistics leave no entry.
create table clientele.changes (
  id bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  -- A customer came to this place (1) or left it (-1). 0: too much changed to list; count again.
  sign smallint not null,
  place float8,
  search_text text collate "C"
);
create index changes_by_xid on clientele.changes (xid);

-- Entries of transactions before this one are gone. Transaction ids mean something in one cluster only.
create table clientele.changes_horizon (
  xid xid8 not null,
  cluster bigint not null,
  only_row boolean primary key default true check (only_row)
);
insert into clientele.changes_horizon (xid, cluster)
select pg_current_xact_id(), c.system_identifier from pg_control_system() as c;

-- Starts the log anew where it came from another cluster, by dump and restore. `migrate` calls it.
create function clientele.adopt_changes() returns void
  language plpgsql
as $$
declare
  here constant bigint := (select c.system_identifier from pg_control_system() as c);
begin
  if exists (select from clientele.changes_horizon as h where h.cluster <> here) then
    delete from clientele.changes;
    update clientele.changes_horizon set xid = pg_current_xact_id(), cluster = here;
  end if;
end
$$;

-- Whether n more changes of this transaction are listed one by one. Past a hundred thousand they are
-- not: counting again is then cheaper than reading them.
create function clientele.lists_changes(n bigint) returns boolean
  language plpgsql
as $$
declare
  most constant bigint :=
    coalesce(nullif(current_setting('clientele.changes_limit', true), ''), '100000')::bigint;
  before constant text :=
    coalesce(nullif(current_setting('clientele.changes_listed', true), ''), '0');
begin
  if before = 'too many' then
    return false;
  end if;
  -- Both the setting and the entry last as long as each other: to the end of the transaction, or
  -- until a savepoint before them is rolled back to.
  if before::bigint + n > most then
    perform set_config('clientele.changes_listed', 'too many', true);
    insert into clientele.changes (sign) values (0);
    return false;
  end if;
  perform set_config('clientele.changes_listed', (before::bigint + n)::text, true);
  return true;
end
$$;

-- Keeps the log short: about half a million entries. One transaction at a time, and never one that
-- could fail for it. What a running transaction may still add to stays whole: a count made while it
-- runs starts at its entries.
create function clientele.trim_changes(keep bigint) returns void
  language plpgsql
as $$
declare
  until xid8;
begin
  if current_setting('transaction_isolation') <> 'read committed'
    or not pg_try_advisory_xact_lock(hashtextextended('clientele.trim_changes', 0))
  then
    return;
  end if;
  select least(c.xid, pg_snapshot_xmin(pg_current_snapshot())) into until
  from clientele.changes as c
  where c.id > (select max(m.id) - keep from clientele.changes as m)
  order by c.id
  limit 1;
  if exists (select from clientele.changes as c where c.xid < until) then
    delete from clientele.changes as c where c.xid < until;
    update clientele.changes_horizon set xid = greatest(xid, until);
  end if;
end
$$;

-- The functions run as their owner, so that whoever may write customers need not reach the log.
create function clientele.log_inserts() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if clientele.lists_changes((select count(*) from added)) then
    insert into clientele.changes (sign, place, search_text)
    select 1, a.place, a.search_text from added as a;
  end if;
  if random() < 0.001 then
    perform clientele.trim_changes(500000);
  end if;
  return null;
end
$$;

create function clientele.log_deletes() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if clientele.lists_changes((select count(*) from removed)) then
    insert into clientele.changes (sign, place, search_text)
    select -1, r.place, r.search_text from removed as r;
  end if;
  if random() < 0.001 then
    perform clientele.trim_changes(500000);
  end if;
  return null;
end
$$;

create function clientele.log_update() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if clientele.lists_changes(2) then
    insert into clientele.changes (sign, place, search_text)
    values (-1, old.place, old.search_text), (1, new.place, new.search_text);
  end if;
  if random() < 0.001 then
    perform clientele.trim_changes(500000);
  end if;
  return null;
end
$$;

create function clientele.log_truncate() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into clientele.changes (sign) values (0);
  return null;
end
$$;

create trigger log_inserts after insert on public.customers
  referencing new table as added for each statement execute function clientele.log_inserts();
create trigger log_deletes after delete on public.customers
  referencing old table as removed for each statement execute function clientele.log_deletes();
create trigger log_updates after update on public.customers
  for each row
  when (old.search_text is distinct from new.search_text or old.place is distinct from new.place)
  execute function clientele.log_update();
create trigger log_truncate after truncate on public.customers
  for each statement execute function clientele.log_truncate();

-- Also for rows that replication brings: an entry left out would make totals wrong.
alter table public.customers enable always trigger log_inserts;
alter table public.customers enable always trigger log_deletes;
alter table public.customers enable always trigger log_updates;
alter table public.customers enable always trigger log_truncate;

grant select on clientele.changes, clientele.changes_horizon to clientele_reader;
