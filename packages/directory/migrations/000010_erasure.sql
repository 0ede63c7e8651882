-- Erasing a person, and keeping erased people from coming back: docs/decisions/erasure.md and suppression.md. The row goes
-- first, so that running instances stay exact; what else holds the person's text is cleared a few seconds later.

-- One row for each erased person. Nothing in it is personal but the identifier, which has to stay known.
create table clientele.erasures (
  id uuid primary key default gen_random_uuid(),
  uuid uuid not null,
  erased_at timestamptz(3) not null default now(),
  erased_by text not null default session_user,
  reason text not null default '',
  -- When there was certainly no row left. Null while somebody else holds it locked.
  removed_at timestamptz(3) default now(),
  -- The transaction of that moment. The person's entries in the log are of this one or earlier ones.
  xid xid8 not null default pg_current_xact_id(),
  -- When the statistics of the planner were last taken without the person.
  analyzed_at timestamptz(3),
  -- When nothing of the person was left. Until then the erasure is pending.
  cleared_at timestamptz(3)
);
create index erasures_of_customer on clientele.erasures (uuid);
create index erasures_pending on clientele.erasures (erased_at) where cleared_at is null;
-- Instances look every second whether there are new erasures.
create index erasures_by_cleared_at on clientele.erasures (cleared_at);

-- What nobody is imported with again: hashes with a key that is not in the database.
create table clientele.suppressions (
  hash bytea primary key,
  erasure uuid not null references clientele.erasures,
  kind text not null check (kind in ('uuid', 'email', 'phone')),
  lifted_at timestamptz(3),
  lifted_by text,
  lift_reason text,
  -- In the order in which they were added, so that an import can read what is new to it.
  number bigint generated always as identity
);
create index suppressions_of_erasure on clientele.suppressions (erasure);
create unique index suppressions_by_number on clientele.suppressions (number);

-- Customers whose address or number was written by something else than an import, and is still to be compared with
-- the suppressions. That takes the key, which a server has. Who had an erased person's number before the erasure may
-- keep it, so the row has what the customer had before the change: null for a new one.
create table clientele.unchecked_customers (
  id bigint generated always as identity primary key,
  uuid uuid not null,
  queued_at timestamptz(3) not null default clock_timestamp(),
  old_email_address text,
  old_phone_number text
);
create index unchecked_customers_by_uuid on clientele.unchecked_customers (uuid);
-- They would show text after the row is gone.
alter table clientele.unchecked_customers
  alter column old_email_address set statistics 0,
  alter column old_phone_number set statistics 0;

grant select on clientele.erasures, clientele.suppressions to clientele_reader, clientele_writer;
grant select on clientele.unchecked_customers to clientele_reader;

-- However somebody is erased, by a feed too, there is an erasure.
create function clientele.record_erasure() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op = 'UPDATE' and old.gone_at = 'infinity' then
    return null;
  end if;
  insert into clientele.erasures (uuid)
  select new.uuid
  where not exists (
    select from clientele.erasures as e where e.uuid = new.uuid and e.xid = pg_current_xact_id()
  );
  return null;
end
$$;

create trigger record_erasure after insert or update on clientele.gone_customers
  for each row when (new.gone_at = 'infinity') execute function clientele.record_erasure();

-- Erases customers. `people` is a JSON array of {"uuid", "reason", "id", "erased_at"}; the last two are given for an
-- erasure that was made before. Without them, somebody who is erased already is erased again only if there is a row.
-- A row that somebody else holds locked is left to clear_erasures(). So are all if `alone` is false: the caller could
-- not get lock_deletes(true), so that an import may be inserting some of them at this moment.
create function clientele.erase_customers(people jsonb, alone boolean default true)
  returns table (id uuid, uuid uuid, erased_at timestamptz, reason text, removed boolean,
    found boolean, email_address text, phone_number text)
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  wanted constant uuid[] := array(select (p ->> 'uuid')::uuid from jsonb_array_elements(people) as p);
  locked public.customers[];
  present public.customers[];
begin
  locked := array(
    select c from public.customers as c where c.uuid = any (wanted) order by c.uuid for update skip locked
  );
  present := array(select c from public.customers as c where c.uuid = any (wanted));
  delete from public.customers as c where c.uuid in (select k.uuid from unnest(locked) as k);
  return query
    with erased as (
      insert into clientele.erasures as e (id, uuid, erased_at, reason, removed_at)
      select distinct on (w.uuid, w.id) coalesce(w.id, gen_random_uuid()), w.uuid, coalesce(w.erased_at, now()),
        coalesce(w.reason, ''),
        case when alone and not exists (select from public.customers as c where c.uuid = w.uuid) then now() end
      from jsonb_to_recordset(people) as w(id uuid, uuid uuid, erased_at timestamptz(3), reason text)
      where w.id is not null
        or w.uuid in (select c.uuid from unnest(present) as c)
        or not exists (
          select from clientele.gone_customers as g where g.uuid = w.uuid and g.gone_at = 'infinity'
        )
      on conflict (id) do nothing
      returning e.*
    )
    select e.id, e.uuid, e.erased_at::timestamptz, e.reason, e.removed_at is not null,
      c.uuid is not null, c.email_address, c.phone_number
    from erased as e left join unnest(present) as c on c.uuid = e.uuid;
  insert into clientele.gone_customers as g (uuid, gone_at)
  select distinct w, timestamptz 'infinity' from unnest(wanted) as w
  on conflict (uuid) do update set gone_at = 'infinity' where g.gone_at <> 'infinity';
end
$$;

-- Removes a person for good: no file and no feed brings this identifier back. Returns whether there was a row.
create function clientele.erase_customer(customer uuid) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform clientele.lock_deletes(true);
  return coalesce((
    select e.found
    from clientele.erase_customers(jsonb_build_array(jsonb_build_object('uuid', customer))) as e
  ), false);
end
$$;

-- Hashes of erased people, one for each element of the arrays. Each belongs to the latest erasure that had it: a lift
-- before that does not count.
create function clientele.suppress(erasures uuid[], kinds text[], hashes bytea[]) returns void
  language sql security definer set search_path = pg_catalog, pg_temp
as $$
  insert into clientele.suppressions as s (hash, erasure, kind)
  select distinct on (n.hash) n.hash, n.erasure, n.kind
  from unnest(erasures, kinds, hashes) as n(erasure, kind, hash)
  left join clientele.erasures as e on e.id = n.erasure
  order by n.hash, e.erased_at desc
  on conflict (hash) do update
  set erasure = excluded.erasure, lifted_at = null, lifted_by = null, lift_reason = null
  where (select e.erased_at from clientele.erasures as e where e.id = excluded.erasure)
    >= (select e.erased_at from clientele.erasures as e where e.id = s.erasure)
$$;

-- The twelve bits of an identifier that are in the places of its customer, whenever it was created. Entries of the
-- log are found by them, because the log does not say whose entry is whose: some of others are found too. Of places
-- more than 69 years from 2000, some bits are rounded away: -1.
create function clientele.trace_key(place float8) returns int
  language sql immutable parallel safe
return case when abs(place) >= 2199023255552 then -1 else floor((place - floor(place)) * 4096)::int end;

create function clientele.trace_key(id uuid) returns int
  language sql immutable parallel safe
return get_byte(uuid_send(id), 0) * 16 + get_byte(uuid_send(id), 1) / 16;

-- Takes the statistics of customers again, if those there are may show somebody who was erased; those of places in orders
-- show what somebody has spent. Sampling passes over rows that a committed transaction has deleted, whatever snapshots are
-- held.
create function clientele.analyze_erased() returns void
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

-- Deletes the rows of pending erasures: those that were locked, and those that a transaction inserted that had begun
-- earlier. Whoever was brought back on purpose has no tombstone. Returns whose row is still there.
create function clientele.remove_erased() returns uuid[]
  language plpgsql set search_path = pg_catalog, pg_temp set lock_timeout = '1s'
as $$
declare
  pending constant uuid[] := array(
    select e.uuid from clientele.erasures as e
    join clientele.gone_customers as g on g.uuid = e.uuid and g.gone_at = 'infinity'
    where e.cleared_at is null and (
      e.removed_at is null or exists (select from public.customers as c where c.uuid = e.uuid)
    )
  );
begin
  if cardinality(pending) = 0 then
    return pending;
  end if;
  perform clientele.lock_deletes(true);
  with removed as (
    delete from public.customers as c
    where c.uuid = any (array(
      select k.uuid from public.customers as k where k.uuid = any (pending) order by k.uuid for update skip locked
    ))
    returning c.uuid
  )
  update clientele.erasures as e set removed_at = now(), xid = pg_current_xact_id(), analyzed_at = null
  from (
    select p as uuid, exists (select from public.customers as c where c.uuid = p) as present
    from unnest(pending) as p
  ) as w
  where e.uuid = w.uuid and e.cleared_at is null
    and (not w.present or w.uuid in (select r.uuid from removed as r));
  return array(select c.uuid from public.customers as c where c.uuid = any (pending));
exception when lock_not_available then
  return pending;
end
$$;

-- The transactions up to this one that are running and have written customers, oldest first. Ids are those of the
-- whole cluster; locks tell which transactions are of this database, to every role.
create function clientele.customer_writers(until xid8)
  returns table (process int, login text, since timestamptz)
  language sql stable set search_path = pg_catalog, pg_temp
as $$
  select t.pid, coalesce(a.usename, p.owner)::text, coalesce(a.xact_start, p.prepared)
  from pg_locks as t
  left join pg_stat_activity as a on a.pid = t.pid
  left join pg_prepared_xacts as p on p.transaction = t.transactionid
  where t.locktype = 'transactionid' and t.mode = 'ExclusiveLock' and t.granted
    and age(t.transactionid) >= age(until::xid)
    and t.pid is distinct from pg_backend_pid()
    and exists (
      select from pg_locks as l
      where l.virtualtransaction = t.virtualtransaction and l.locktype = 'relation' and l.granted
        and l.database = (select d.oid from pg_database as d where d.datname = current_database())
        and l.relation in ('public.customers'::regclass, 'clientele.changes'::regclass)
        and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
    )
  order by age(t.transactionid) desc
$$;

-- Completes pending erasures as far as possible. Entries of the log are blanked: all null, with the transaction of
-- the entry, they say "count again" to maps that are older than the entry and nothing to those that are not. Younger
-- erasures than `grace` are left alone, so that instances can catch up first. An erasure is complete when all
-- transactions have ended that could have written about the person before it.
create function clientele.clear_erasures(grace interval default '3 seconds') returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  present uuid[];
  unfinished boolean;
  due uuid[];
  people uuid[];
  keys int[];
  last xid8;
begin
  if current_setting('transaction_isolation') <> 'read committed'
    or not exists (select from clientele.erasures as e where e.cleared_at is null)
    or not pg_try_advisory_xact_lock(hashtextextended('clientele.clear_erasures', 0))
  then
    return;
  end if;
  -- Of a database that was restored to another cluster, ids may be greater than any that were assigned here.
  update clientele.erasures as e set xid = pg_current_xact_id()
  where e.cleared_at is null and e.xid > pg_current_xact_id();
  -- Brought back on purpose before it was gone: the row stays, the traces do not.
  update clientele.erasures as e set removed_at = now()
  where e.cleared_at is null and e.removed_at is null and not exists (
    select from clientele.gone_customers as g where g.uuid = e.uuid and g.gone_at = 'infinity'
  );
  present := clientele.remove_erased();

  select array_agg(e.id), array_agg(e.uuid), array_agg(distinct clientele.trace_key(e.uuid)) || -1, max(e.xid)
  into due, people, keys, last
  from clientele.erasures as e
  where e.cleared_at is null and e.removed_at <= now() - grace;
  if due is null then
    return;
  end if;
  -- Looked up first: what has ended by now is visible to the next statement.
  unfinished := exists (select from clientele.customer_writers(last));
  -- Trimming deletes entries by where they are stored, and is left out meanwhile. This does not wait for it.
  perform pg_try_advisory_xact_lock(hashtextextended('clientele.trim_changes', 0));
  update clientele.changes as c
  set old_place = null, old_text = null, old_name_text = null,
    new_place = null, new_text = null, new_name_text = null
  where c.ctid = any (array(
    select k.ctid from clientele.changes as k
    where k.xid <= last
      and (clientele.trace_key(k.old_place) = any (keys) or clientele.trace_key(k.new_place) = any (keys))
    for update skip locked
  ));
  update clientele.unchecked_customers as q set old_email_address = null, old_phone_number = null
  where q.id = any (array(
    select k.id from clientele.unchecked_customers as k
    where k.uuid = any (people) and k.old_email_address is not null
    for update skip locked
  ));
  if unfinished or exists (
    select from clientele.changes as k
    where k.xid <= last
      and (clientele.trace_key(k.old_place) = any (keys) or clientele.trace_key(k.new_place) = any (keys))
  ) or exists (
    select from clientele.unchecked_customers as k
    where k.uuid = any (people) and k.old_email_address is not null
  ) then
    return;
  end if;
  update clientele.erasures as e set cleared_at = now()
  where e.id = any (due) and e.analyzed_at is not null and e.uuid <> all (present);
end
$$;

create function clientele.refuse_erased(customer uuid) returns void
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'customer % was erased', customer
    using errcode = 'check_violation',
      hint = format('If the person wants to be a customer again: clientele suppression lift %s --reason REASON',
        customer);
end
$$;

-- The trigger functions run as their owner, so that whoever may write customers need not reach these tables. As those
-- of the change log, they set no search_path: every name is qualified. An import has compared what it writes, and
-- says so with the id of its transaction.
create function clientele.check_inserts() returns trigger
  language plpgsql security definer
as $$
declare
  erased pg_catalog.uuid;
begin
  -- Not a join, which could be planned for many rows and then run for one.
  select a.uuid into erased
  from added as a
  where (
    select g.gone_at from clientele.gone_customers as g where g.uuid operator(pg_catalog.=) a.uuid
  ) operator(pg_catalog.=) 'infinity'
  limit 1;
  if found then
    perform clientele.refuse_erased(erased);
  end if;
  if pg_catalog.current_setting('clientele.checked', true)
    operator(pg_catalog.=) pg_catalog.pg_current_xact_id()::pg_catalog.text
  then
    return null;
  end if;
  insert into clientele.unchecked_customers (uuid)
  select a.uuid from added as a where exists (select from clientele.suppressions);
  return null;
end
$$;

-- Of updates, and of inserts by logical replication, which must not fail.
create function clientele.check_change() returns trigger
  language plpgsql security definer
as $$
begin
  if tg_op operator(pg_catalog.=) 'UPDATE' then
    if old.uuid operator(pg_catalog.<>) new.uuid and exists (
      select from clientele.gone_customers as g
      where g.uuid operator(pg_catalog.=) new.uuid and g.gone_at operator(pg_catalog.=) 'infinity'
    ) then
      perform clientele.refuse_erased(new.uuid);
    end if;
  end if;
  if pg_catalog.current_setting('clientele.checked', true)
    operator(pg_catalog.=) pg_catalog.pg_current_xact_id()::pg_catalog.text
  then
    return null;
  end if;
  if not exists (select from clientele.suppressions) then
    return null;
  end if;
  if old.uuid operator(pg_catalog.<>) new.uuid then
    -- Changes before that of the identifier are the customer's, too.
    insert into clientele.unchecked_customers (uuid, queued_at, old_email_address, old_phone_number)
    select new.uuid, q.queued_at, q.old_email_address, q.old_phone_number
    from clientele.unchecked_customers as q where q.uuid operator(pg_catalog.=) old.uuid
    order by q.id;
  end if;
  insert into clientele.unchecked_customers (uuid, old_email_address, old_phone_number)
  values (new.uuid, old.email_address, old.phone_number);
  return null;
end
$$;

create trigger check_inserts after insert on public.customers
  referencing new table as added
  for each statement execute function clientele.check_inserts();
create trigger check_replicated_inserts after insert on public.customers
  for each row execute function clientele.check_change();
create trigger check_updates after update on public.customers
  for each row
  when (old.email_address is distinct from new.email_address
    or old.phone_number is distinct from new.phone_number
    or old.uuid <> new.uuid)
  execute function clientele.check_change();
alter table public.customers enable replica trigger check_replicated_inserts;
alter table public.customers enable always trigger check_updates;

-- Takes customers off the queue, and erases those among them that are suppressed. Those that have changed since they
-- were compared stay on it, to be compared again: `versions` are their xmin. Only what is on the queue can be erased, so whoever serves cannot
-- erase anybody else. Returns who was erased.
create function clientele.settle_unchecked(ids bigint[], suppressed uuid[], versions text[]) returns setof uuid
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  -- As lock_deletes(true), but without waiting.
  alone boolean := true;
begin
  if cardinality(suppressed) > 0 then
    alone := pg_try_advisory_xact_lock(hashtextextended('clientele deletes', 0));
    return query
      select e.uuid
      from clientele.erase_customers((
        select coalesce(jsonb_agg(distinct jsonb_build_object('uuid', c.uuid, 'reason', 'suppressed')), '[]')
        from unnest(suppressed, versions) as s(uuid, version)
        join clientele.unchecked_customers as q on q.uuid = s.uuid and q.id = any (ids)
        join public.customers as c on c.uuid = s.uuid and c.xmin::text = s.version
      ), alone) as e
      where e.found;
  end if;
  delete from clientele.unchecked_customers as q
  where q.id = any (ids) and not exists (
    select from unnest(suppressed, versions) as s(uuid, version)
    join public.customers as c on c.uuid = s.uuid
    where s.uuid = q.uuid and c.xmin::text <> s.version
  );
end
$$;

-- Lets people be customers again: by hashes of addresses and numbers, and by identifiers. A number has several hashes,
-- one for each way to write it, and all begin with the same four bytes, so the others of its erasure are lifted with it.
create function clientele.lift_suppressions(hashes bytea[], customers uuid[], reason text)
  returns table (hash bytea, kind text, uuid uuid)
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    update clientele.suppressions as s
    set lifted_at = now(), lifted_by = session_user, lift_reason = reason
    from clientele.erasures as e
    where e.id = s.erasure and s.lifted_at is null and (s.erasure, s.kind, substr(s.hash, 1, 4)) in (
      select m.erasure, m.kind, substr(m.hash, 1, 4) from clientele.suppressions as m
      where m.hash = any (hashes) and m.lifted_at is null
    )
    returning s.hash, s.kind, e.uuid;
  delete from clientele.gone_customers as g where g.uuid = any (customers) and g.gone_at = 'infinity';
end
$$;

revoke execute on function clientele.record_erasure, clientele.erase_customers, clientele.erase_customer,
  clientele.suppress, clientele.trace_key(float8), clientele.trace_key(uuid), clientele.analyze_erased,
  clientele.remove_erased, clientele.customer_writers, clientele.clear_erasures, clientele.refuse_erased,
  clientele.check_inserts, clientele.check_change, clientele.settle_unchecked, clientele.lift_suppressions from public;
grant execute on function clientele.erase_customers, clientele.erase_customer, clientele.suppress,
  clientele.lift_suppressions to clientele_writer;
grant execute on function clientele.settle_unchecked to clientele_reader;
grant execute on function clientele.analyze_erased, clientele.customer_writers, clientele.clear_erasures
  to clientele_reader, clientele_writer;
