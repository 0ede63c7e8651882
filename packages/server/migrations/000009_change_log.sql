-- The change log in the form that docs/decisions/change-log.md explains: one entry per change, trimmed in
-- bounded steps, complete under logical replication, and readable from any snapshot
-- at the cost of what is new to it.

-- A program that reads the old log must fail, not answer from a log that is no longer written.
drop trigger log_inserts on public.customers;
drop trigger log_deletes on public.customers;
drop trigger log_updates on public.customers;
drop trigger log_truncate on public.customers;
drop function clientele.log_inserts(), clientele.log_deletes(), clientele.log_update(),
  clientele.log_truncate(), clientele.lists_changes(bigint), clientele.trim_changes(bigint);
drop table clientele.changes;

-- Where a customer was in the list and the text it was found by, before and after a change. The old
-- columns of an insert and the new ones of a delete are null. All four null: too much changed to list,
-- so every search has to be counted again.
create table clientele.changes (
  -- Only for estimating how many entries there are.
  id bigint generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  old_place float8,
  old_text text collate "C",
  new_place float8,
  new_text text collate "C"
);
create index changes_by_xid on clientele.changes (xid);

-- Entries of transactions before `xid` are gone, except those of the ones in `running`, which had not
-- ended when the log was last trimmed.
alter table clientele.changes_horizon
  add column running xid8[] not null default '{}',
  -- Entries below the horizon that are still to be deleted: from here on, and those of `garbage`.
  add column cleared xid8 not null default '0',
  add column garbage xid8[] not null default '{}',
  -- A recent snapshot. Whoever sees this row sees all that the snapshot saw, on a standby too, where
  -- pg_current_snapshot() does not say which transactions are running.
  add column published pg_snapshot not null default pg_current_snapshot();

-- All entries from the oldest running transaction on are complete: the triggers' lock on the table waits
-- for every transaction that has written to it. Not the current transaction: with an older one open,
-- no count would ever be usable.
update clientele.changes_horizon
set xid = pg_snapshot_xmin(pg_current_snapshot()), cleared = pg_snapshot_xmin(pg_current_snapshot());

create or replace function clientele.adopt_changes() returns void
  language plpgsql
as $$
declare
  here constant bigint := (select c.system_identifier from pg_control_system() as c);
begin
  if exists (select from clientele.changes_horizon as h where h.cluster <> here) then
    delete from clientele.changes;
    update clientele.changes_horizon
    set xid = pg_snapshot_xmin(pg_current_snapshot()), cluster = here, running = '{}',
      cleared = pg_snapshot_xmin(pg_current_snapshot()), garbage = '{}',
      published = pg_current_snapshot();
  end if;
end
$$;

-- Keeps about `keep` entries and publishes a snapshot. Deletes at most `most` entries, all of them when
-- null. One transaction at a time, and never one that could fail for it.
create function clientele.trim_changes(keep bigint, most bigint default null) returns void
  language plpgsql
as $$
declare
  -- Running as well, although its own snapshot does not say so.
  own constant xid8 := pg_current_xact_id();
  snapshot pg_snapshot;
  horizon clientele.changes_horizon;
  listed bigint;
  upto xid8;
  doomed tid[];
begin
  if current_setting('transaction_isolation') <> 'read committed'
    or not pg_try_advisory_xact_lock(hashtextextended('clientele.trim_changes', 0))
  then
    return;
  end if;
  select h.* into horizon from clientele.changes_horizon as h for update;
  -- Only now: an older snapshot would call transactions running whose entries have been deleted, and
  -- could be older than the one that truncating the log has published.
  snapshot := pg_current_snapshot();

  listed := coalesce(
    (select c.id from clientele.changes as c order by c.xid desc limit 1)
      - (select c.id from clientele.changes as c where c.xid >= horizon.xid order by c.xid limit 1) + 1,
    0);
  upto := horizon.xid;
  if keep = 0 then
    upto := pg_snapshot_xmax(snapshot);
  elsif listed > keep then
    select c.xid into upto from clientele.changes as c
    where c.xid >= horizon.xid
    order by c.xid
    offset least(listed - keep, most)
    limit 1;
    -- Past the entries of a transaction that has more than that.
    if upto = horizon.xid then
      select c.xid into upto from clientele.changes as c
      where c.xid > horizon.xid
      order by c.xid
      limit 1;
    end if;
    upto := least(coalesce(upto, horizon.xid), pg_snapshot_xmax(snapshot));
  end if;
  if upto > horizon.xid then
    horizon.garbage := horizon.garbage || array(
      select x from unnest(horizon.running) as x
      where x <> own and x <> all (array(select pg_snapshot_xip(snapshot)))
    );
    horizon.running := array(
      select x from unnest(own || array(select pg_snapshot_xip(snapshot))) as x where x < upto
    );
    horizon.xid := upto;
  end if;

  -- Starts where the last deletion ended: dead entries before it are not visited again.
  doomed := array(
    select c.ctid from clientele.changes as c
    where c.xid >= horizon.cleared and c.xid < horizon.xid and c.xid <> all (horizon.running)
    order by c.xid
    limit most
  );
  if cardinality(doomed) < most or most is null then
    horizon.cleared := horizon.xid;
    doomed := doomed || array(
      select c.ctid from clientele.changes as c where c.xid = any (horizon.garbage) limit most
    );
    if cardinality(doomed) < most or most is null then
      horizon.garbage := '{}';
    end if;
  else
    select c.xid into horizon.cleared from clientele.changes as c
    where c.ctid = doomed[cardinality(doomed)];
  end if;
  delete from clientele.changes as c where c.ctid = any (doomed);
  update clientele.changes_horizon
  set xid = horizon.xid, running = horizon.running, cleared = horizon.cleared,
    garbage = horizon.garbage, published = snapshot;
end
$$;

-- Called after every hundredth change, and after a hundred and more at once: counts what this transaction
-- has listed, and trims the log in proportion. Past a hundred thousand changes, counting again is cheaper
-- than reading them: the transaction logs that once and then nothing more. The flag holds the
-- transaction's own id, so that no session can preset it; like the entries, it lasts until the end of the
-- transaction or the rollback to a savepoint.
create function clientele.listed_changes(n bigint) returns void
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  own constant text := pg_current_xact_id()::text;
  weight constant bigint := case when n >= 100 then n else 100 * n end;
  -- No more than log_inserts lists at once.
  most constant bigint := least(100000,
    coalesce(nullif(current_setting('clientele.changes_limit', true), ''), '100000')::bigint);
  before constant text := coalesce(current_setting('clientele.changes_listed', true), '');
  listed bigint := case when split_part(before, ':', 1) = own
    then split_part(before, ':', 2)::bigint else 0 end + weight;
begin
  perform set_config('clientele.changes_listed', own || ':' || listed, true);
  if listed > most then
    perform set_config('clientele.changes_full', own, true);
    insert into clientele.changes default values;
  end if;
  if random() * 1000 < weight then
    perform clientele.trim_changes(500000, greatest(2000, 2 * weight));
  end if;
end
$$;

-- The trigger functions run as their owner, so that the writers of customers need no right on the log.
-- They set no search_path, which would cost more than the rest: every name is qualified, operators too.
create function clientele.log_inserts() returns trigger
  language plpgsql security definer
as $$
declare
  n bigint;
begin
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
  insert into clientele.changes (new_place, new_text)
  select a.place, a.search_text from added as a limit 100001;
  get diagnostics n = row_count;
  if n operator(pg_catalog.>=) 100 or pg_catalog.random() operator(pg_catalog.<) 0.01
    or pg_catalog.current_setting('clientele.changes_limit', true) operator(pg_catalog.<>) ''
  then
    perform clientele.listed_changes(n);
  end if;
  return null;
end
$$;

-- One row at a time. For updates, so that WHEN keeps order statistics free of any cost; for deletes, which
-- would otherwise list the rows of inheriting tables too; and for logical replication, which fires no
-- statement triggers.
create function clientele.log_change() returns trigger
  language plpgsql security definer
as $$
begin
  if pg_catalog.current_setting('clientele.changes_full', true)
    operator(pg_catalog.=) pg_catalog.pg_current_xact_id()::pg_catalog.text
  then
    return null;
  end if;
  insert into clientele.changes (old_place, old_text, new_place, new_text)
  values (old.place, old.search_text, new.place, new.search_text);
  if pg_catalog.random() operator(pg_catalog.<) 0.01
    or pg_catalog.current_setting('clientele.changes_limit', true) operator(pg_catalog.<>) ''
  then
    perform clientele.listed_changes(1);
  end if;
  return null;
end
$$;

create function clientele.log_truncate() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into clientele.changes default values;
  return null;
end
$$;

create trigger log_inserts after insert on public.customers
  referencing new table as added
  for each statement execute function clientele.log_inserts();
create trigger log_replicated_inserts after insert on public.customers
  for each row execute function clientele.log_change();
create trigger log_updates after update on public.customers
  for each row
  when (old.search_text is distinct from new.search_text or old.place is distinct from new.place)
  execute function clientele.log_change();
create trigger log_deletes after delete on public.customers
  for each row execute function clientele.log_change();
create trigger log_truncate after truncate on public.customers
  for each statement execute function clientele.log_truncate();
alter table public.customers enable replica trigger log_replicated_inserts;
alter table public.customers enable always trigger log_updates;
alter table public.customers enable always trigger log_deletes;
alter table public.customers enable always trigger log_truncate;

-- Truncating the log loses entries. Its lock waits for all transactions that have written some, so those
-- that are running now have none in it yet, except this one: what it has listed is lost as well.
create function clientele.changes_truncated() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  own constant xid8 := pg_current_xact_id();
  snapshot constant pg_snapshot := pg_current_snapshot();
begin
  update clientele.changes_horizon
  set xid = pg_snapshot_xmax(snapshot), cleared = pg_snapshot_xmax(snapshot), garbage = '{}',
    running = own || array(select pg_snapshot_xip(snapshot)), published = snapshot;
  insert into clientele.changes default values;
  return null;
end
$$;
create trigger changes_truncated after truncate on clientele.changes
  for each statement execute function clientele.changes_truncated();
alter table clientele.changes enable always trigger changes_truncated;

grant select on clientele.changes to clientele_reader;
