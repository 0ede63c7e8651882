-- What keeps `clientele import` and `clientele sync` from losing customers: docs/data-model.md.

alter table clientele.imports
  -- Set if the run must not be resumed: the table was emptied, or the file is read from the start again.
  add column abandoned_at timestamptz(3),
  -- SHA-256 of a feed's first `bytes` bytes. A file that differs from it is read from the start.
  add column prefix_hash text,
  -- The parts of `superseded`, by cause.
  add column superseded_by jsonb not null default '{}';

-- A checkpoint says that the records before it are in the table. After a truncate they are not.
create function clientele.abandon_imports() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update clientele.imports set abandoned_at = now()
  where finished_at is null and abandoned_at is null;
  return null;
end
$$;
create trigger abandon_imports after truncate on public.customers
  for each statement execute function clientele.abandon_imports();
alter table public.customers enable always trigger abandon_imports;

-- A writer that has looked up who is deleted must not insert while another session deletes: the customer
-- would stay. Batches that only insert and update share this lock; those that delete hold it alone.
create function clientele.lock_deletes(exclusive boolean) returns void
  language plpgsql
as $$
begin
  if exclusive then
    perform pg_advisory_xact_lock(hashtextextended('clientele deletes', 0));
  else
    perform pg_advisory_xact_lock_shared(hashtextextended('clientele deletes', 0));
  end if;
end
$$;

create or replace function clientele.erase_customer(customer uuid) returns boolean
  language sql
as $$
  select clientele.lock_deletes(true);
  insert into clientele.gone_customers (uuid, gone_at) values (customer, 'infinity')
  on conflict (uuid) do update set gone_at = 'infinity';
  with erased as (delete from public.customers as c where c.uuid = customer returning c.uuid)
  select exists (select from erased);
$$;
