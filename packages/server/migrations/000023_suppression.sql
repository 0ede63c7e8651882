-- What keeps erased people from coming back: docs/decisions/suppression.md.
-- oldest program: 000013

-- In the order in which they were added, so that an import can read what is new to it.
alter table clientele.suppressions add column number bigint generated always as identity;
create unique index suppressions_by_number on clientele.suppressions (number);

alter table clientele.imports
  add column suppressed bigint not null default 0,
  drop constraint adds_up,
  add constraint adds_up
    check (read = inserted + updated + unchanged + deleted + rejected + superseded + suppressed);

-- Customers whose address or number was written by something else than an import, and is still to be compared with
-- the suppressions. That takes the key, which a server has.
create table clientele.unchecked_customers (
  id bigint generated always as identity primary key,
  uuid uuid not null,
  queued_at timestamptz(3) not null default now()
);
grant select on clientele.unchecked_customers to clientele_reader;

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
  insert into clientele.unchecked_customers (uuid)
  select new.uuid where exists (select from clientele.suppressions);
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
-- one for each way to write it, so the others of its kind and erasure are lifted with it.
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
    where e.id = s.erasure and s.lifted_at is null and (s.erasure, s.kind) in (
      select m.erasure, m.kind from clientele.suppressions as m
      where m.hash = any (hashes) and m.lifted_at is null
    )
    returning s.hash, s.kind, e.uuid;
  delete from clientele.gone_customers as g where g.uuid = any (customers) and g.gone_at = 'infinity';
end
$$;

revoke execute on function clientele.refuse_erased, clientele.check_inserts,
  clientele.check_change, clientele.settle_unchecked, clientele.lift_suppressions from public;
grant execute on function clientele.settle_unchecked to clientele_reader;
grant execute on function clientele.lift_suppressions to clientele_writer;
