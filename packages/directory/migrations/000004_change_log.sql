-- Every change of what lists show, with the transaction that made it: docs/decisions/change-log.md. A search's count,
-- once made, stays exact by adding the entries that a later snapshot sees. Order events that leave a customer's flags as
-- they were have no entry while no list is sorted by them.

-- Where a customer was in the list and the text it was found by, before and after a change. The old columns of an insert
-- and the new ones of a delete are null. All places and texts null: too much changed to list, so every search has to be
-- counted again.
create table clientele.changes (
  -- Only for estimating how many entries there are.
  id bigint generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  old_place float8,
  old_text text collate "C",
  new_place float8,
  new_text text collate "C",
  -- Whoever sees it shares the history up to the commit of this entry: docs/decisions/maps-that-travel.md.
  nonce uuid not null default gen_random_uuid(),
  -- Every transaction before this one had ended when the entry was written.
  oldest xid8 not null default pg_snapshot_xmin(pg_current_snapshot()),
  old_name_text text collate "C",
  new_name_text text collate "C",
  -- 1: verified, 2: has orders; added up. Beside a place that is null, they mean nothing.
  old_flags smallint,
  new_flags smallint,
  -- Only places in orders have changed. Lists without an order pass over such entries.
  move boolean not null default false,
  -- Places in orders, before and after. Null while no order is on.
  old_by_lifetime_value_cents float8,
  old_by_total_orders float8,
  old_by_last_order_at float8,
  new_by_lifetime_value_cents float8,
  new_by_total_orders float8,
  new_by_last_order_at float8
);
create index changes_by_xid on clientele.changes (xid);
-- Nothing is planned by statistics of these, and they would show texts and places after they were blanked.
alter table clientele.changes
  alter column old_text set statistics 0,
  alter column new_text set statistics 0,
  alter column old_name_text set statistics 0,
  alter column new_name_text set statistics 0,
  alter column old_by_lifetime_value_cents set statistics 0,
  alter column old_by_total_orders set statistics 0,
  alter column old_by_last_order_at set statistics 0,
  alter column new_by_lifetime_value_cents set statistics 0,
  alter column new_by_total_orders set statistics 0,
  alter column new_by_last_order_at set statistics 0;

-- One row. Entries of transactions before `xid` are gone, except those of the ones in `running`, which had not ended when
-- the log was last trimmed. Transaction ids mean something in one cluster only.
create table clientele.changes_horizon (
  xid xid8 not null,
  cluster bigint not null,
  only_row boolean primary key default true check (only_row),
  running xid8[] not null default '{}',
  -- Entries below the horizon that are still to be deleted: from here on, and those of `garbage`.
  cleared xid8 not null default '0',
  garbage xid8[] not null default '{}',
  -- A recent snapshot. Whoever sees this row sees all that the snapshot saw, on a standby too, where
  -- pg_current_snapshot() does not say which transactions are running.
  published pg_snapshot not null default pg_current_snapshot(),
  -- As those of an entry, for a log without entries.
  nonce uuid not null default gen_random_uuid(),
  oldest xid8 not null default pg_snapshot_xmin(pg_current_snapshot())
);
-- All entries from the oldest running transaction on are complete: the triggers' lock on the table waits for every
-- transaction that has written to it. Not the current transaction: with an older one open, no count would ever be usable.
insert into clientele.changes_horizon (xid, cluster, cleared)
select pg_snapshot_xmin(pg_current_snapshot()), c.system_identifier, pg_snapshot_xmin(pg_current_snapshot())
from pg_control_system() as c;

create function clientele.renew_horizon() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  new.nonce := gen_random_uuid();
  new.oldest := pg_snapshot_xmin(pg_current_snapshot());
  return new;
end
$$;

create trigger renew_horizon before update on clientele.changes_horizon
  for each row execute function clientele.renew_horizon();
alter table clientele.changes_horizon enable always trigger renew_horizon;

-- The log keeps text for 24 hours at most. Entries of the transaction `xid` and of later ones were written after `at`.
create table clientele.change_marks (
  at timestamptz(3) primary key default now(),
  xid xid8 not null default pg_current_xact_id()
);
insert into clientele.change_marks default values;

grant select on clientele.changes, clientele.changes_horizon, clientele.change_marks to clientele_reader;

-- Starts the log anew where it came from another cluster, by dump and restore. `migrate` calls it.
create function clientele.adopt_changes() returns void
  language plpgsql
as $$
declare
  here constant bigint := (select c.system_identifier from pg_control_system() as c);
begin
  if exists (select from clientele.changes_horizon as h where h.cluster <> here) then
    delete from clientele.changes;
    delete from clientele.change_marks;
    update clientele.changes_horizon
    set xid = pg_snapshot_xmin(pg_current_snapshot()), cluster = here, running = '{}',
      cleared = pg_snapshot_xmin(pg_current_snapshot()), garbage = '{}',
      published = pg_current_snapshot();
  end if;
end
$$;

-- Keeps about `keep` entries and publishes a snapshot. Deletes at most `most` entries, all of them when null. One
-- transaction at a time, and never one that could fail for it.
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

-- With every page, a standby reads what the log has listed since the last published snapshot. Trimming publishes one after
-- about a thousand changes, or several thousand by chance. Instances that read from standbys ask for one every second.
create function clientele.publish_changes() returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  published pg_snapshot;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    return;
  end if;
  select h.published into published from clientele.changes_horizon as h;
  if not exists (select from clientele.changes as c where c.xid >= pg_snapshot_xmax(published))
    and not exists (
      select from clientele.changes as c where c.xid = any (array(select pg_snapshot_xip(published)))
    )
  then
    return;
  end if;
  -- Whoever trims publishes as well. Nobody waits for this, and this waits for nobody.
  if not pg_try_advisory_xact_lock(hashtextextended('clientele.trim_changes', 0)) then
    return;
  end if;
  perform from clientele.changes_horizon for update skip locked;
  if found then
    -- The snapshot of this statement, which began after the row was locked.
    update clientele.changes_horizon set published = pg_current_snapshot();
  end if;
end
$$;

-- Blanks at most `most` entries that may be too old, and returns whether there may be more. An entry may be as old as
-- the mark before it, so it is blanked half an hour before that mark is 24 hours old. Waits for nobody: entries that
-- an open transaction has trimmed are left to the next time, in case it is rolled back. Then trims the log: writers with
-- another isolation level than read committed cannot. Running servers call this every five minutes.
create function clientele.clear_old_text(most int default 10000) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  kept xid8;
  blanked bigint;
  before clientele.changes_horizon;
  after clientele.changes_horizon;
begin
  if current_setting('transaction_isolation') <> 'read committed'
    or not pg_try_advisory_xact_lock(hashtextextended('clientele.clear_old_text', 0))
  then
    return false;
  end if;
  if not exists (select from clientele.change_marks as m where m.at > now() - interval '10 minutes') then
    insert into clientele.change_marks default values;
  end if;
  delete from clientele.change_marks as m where m.at <= now() - interval '23 hours 30 minutes';
  select min(m.xid) into kept from clientele.change_marks as m;
  -- Trimming deletes entries by where they are stored, and is left out meanwhile. This does not wait for it.
  perform pg_try_advisory_xact_lock(hashtextextended('clientele.trim_changes', 0));
  update clientele.changes as c
  set old_place = null, old_text = null, old_name_text = null,
    new_place = null, new_text = null, new_name_text = null
  where c.ctid = any (array(
    select k.ctid from clientele.changes as k
    where k.xid < kept and (k.old_place is not null or k.new_place is not null)
    order by k.xid
    limit most
    for update skip locked
  ));
  get diagnostics blanked = row_count;
  select h.* into before from clientele.changes_horizon as h;
  -- At least what a transaction lists.
  perform clientele.trim_changes(500000, greatest(most, 110000));
  select h.* into after from clientele.changes_horizon as h;
  return blanked = most or (after.xid, after.cleared) is distinct from (before.xid, before.cleared)
    and (select c.id from clientele.changes as c order by c.xid desc limit 1)
      - (select c.id from clientele.changes as c where c.xid >= after.xid order by c.xid limit 1) >= 500000;
end
$$;

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

-- The trigger functions run as their owner, so that the writers of customers need no right on the log. They set no
-- search_path, which would cost more than the rest: every name is qualified, operators too. The triggers have an argument
-- while there are orders. Places in orders are taken from the row as it is, because a trigger of the operator may have
-- written to it since: docs/decisions/operators-settings.md.
create function clientele.log_inserts() returns trigger
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

-- One row at a time. For updates, so that WHEN keeps order statistics free of any cost; for deletes, which
-- would otherwise list the rows of inheriting tables too; and for logical replication, which fires no
-- statement triggers.
create function clientele.log_change() returns trigger
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

create function clientele.log_truncate() returns trigger
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

create trigger log_inserts after insert on public.customers
  referencing new table as added
  for each statement execute function clientele.log_inserts();
-- Never fires. PostgreSQL refuses to make a table with such a trigger a partition: inserts through a partitioned table
-- fire no statement triggers of its partitions.
create trigger no_parent after insert on public.customers
  referencing new table as added
  for each row when (false) execute function clientele.log_change();
create trigger log_replicated_inserts after insert on public.customers
  for each row execute function clientele.log_change();
create trigger log_updates after update on public.customers
  for each row
  when (old.search_text is distinct from new.search_text or old.place is distinct from new.place
    or old.is_verified <> new.is_verified or (old.total_orders > 0) <> (new.total_orders > 0))
  execute function clientele.log_change();
create trigger log_deletes after delete on public.customers
  for each row execute function clientele.log_change();
create trigger log_truncate after truncate on public.customers
  for each statement execute function clientele.log_truncate();
alter table public.customers enable replica trigger log_replicated_inserts;
alter table public.customers enable always trigger log_updates;
alter table public.customers enable always trigger log_deletes;
alter table public.customers enable always trigger log_truncate;

-- Truncating the log loses entries. Its lock waits for all transactions that have written some, so those that are running
-- now have none in it yet, except this one: what it has listed is lost as well. Only transactions before the horizon are
-- listed as running; entries from the horizon on stay anyway.
create function clientele.changes_truncated() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  own constant xid8 := pg_current_xact_id();
  snapshot constant pg_snapshot := pg_current_snapshot();
begin
  update clientele.changes_horizon
  set xid = pg_snapshot_xmax(snapshot), cleared = pg_snapshot_xmax(snapshot), garbage = '{}', published = snapshot,
    running = array(
      select x from unnest(own || array(select pg_snapshot_xip(snapshot))) as x where x < pg_snapshot_xmax(snapshot)
    );
  insert into clientele.changes default values;
  return null;
end
$$;

create trigger changes_truncated after truncate on clientele.changes
  for each statement execute function clientele.changes_truncated();
alter table clientele.changes enable always trigger changes_truncated;

revoke execute on function clientele.renew_horizon, clientele.adopt_changes, clientele.trim_changes,
  clientele.publish_changes, clientele.clear_old_text, clientele.blank_orders, clientele.listed_changes,
  clientele.log_inserts, clientele.log_change, clientele.log_truncate, clientele.changes_truncated from public;
grant execute on function clientele.publish_changes to clientele_reader;
grant execute on function clientele.clear_old_text to clientele_reader, clientele_writer;
