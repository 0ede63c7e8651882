-- What `clientele import` and `clientele sync` keep: docs/decisions/import.md, docs/data-model.md.

-- The namespace of identifiers that imports derive from a column. It is random, because whoever may look up customers
-- could otherwise compute the identifier of a customer number and test whether it exists.
create table clientele.id_namespace (
  only_row boolean primary key default true check (only_row),
  namespace uuid not null
);
insert into clientele.id_namespace (namespace) values (gen_random_uuid());
grant select on clientele.id_namespace to clientele_writer;

-- Who was deleted by a feed, and when. A record comes back only if it says that it is newer; of who
-- was erased ('infinity'), none is.
create table clientele.gone_customers (
  uuid uuid primary key,
  gone_at timestamptz(3) not null
);

-- One row for each run; committed with the customers of each batch. Not who, only how many.
create table clientele.imports (
  id bigint generated always as identity primary key,
  -- Of the file and of how it is read. An unfinished run with the same one is continued.
  fingerprint text not null,
  -- Its records without a time get the time when they were read, so no file overtakes them or is overtaken.
  feed boolean not null default false,
  started_at timestamptz(3) not null default now(),
  saved_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  -- Where the next record starts, after decompression.
  bytes bigint not null default 0,
  line bigint not null default 1,
  read bigint not null default 0,
  inserted bigint not null default 0,
  updated bigint not null default 0,
  unchanged bigint not null default 0,
  deleted bigint not null default 0,
  rejected bigint not null default 0,
  superseded bigint not null default 0,
  -- How long the file of rejects was then.
  reject_bytes bigint not null default 0,
  -- SHA-256 of its end, by which a feed's list is told from another one. Null for a pipe or a device.
  reject_hash text,
  -- Set if the run must not be resumed: the table was emptied, or the file is read from the start again.
  abandoned_at timestamptz(3),
  -- SHA-256 of a feed's first `bytes` bytes. A file that differs from it is read from the start.
  prefix_hash text,
  -- The parts of `superseded`, by cause.
  superseded_by jsonb not null default '{}',
  suppressed bigint not null default 0,
  -- The lines of the records of a file that only the database refused, and its constraints, to list them again.
  refused jsonb not null default '{}',
  constraint adds_up
    check (read = inserted + updated + unchanged + deleted + rejected + superseded + suppressed)
);

create index imports_unfinished on clientele.imports (fingerprint) where finished_at is null;

grant select, insert, update on clientele.imports, clientele.gone_customers to clientele_writer;
-- For the metrics, when customers were last imported; not which file, nor how many.
grant select (id, saved_at) on clientele.imports to clientele_reader;

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

-- Into an empty directory, `clientele import` writes the rows first and then builds the trigram index, which takes a third
-- of the time of keeping it up to date.

-- The indexes that are dropped until a first import has finished, and the statements that create them.
create table clientele.deferred_indexes (
  name text primary key,
  definition text not null
);

grant select on clientele.deferred_indexes to clientele_writer;

-- Drops the trigram index if there are no customers. Returns whether it is to be built later. Never waits long, because
-- readers would have to wait behind it; the import then keeps the index up to date instead. Of two imports that begin at
-- the same time, the second waits until the first has dropped the index, and both write without it.
create function clientele.begin_first_import() returns boolean
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '1s'
as $$
begin
  if to_regclass('public.customers_search') is not null then
    perform pg_advisory_xact_lock(hashtextextended('clientele.begin_first_import', 0));
  end if;
  if to_regclass('public.customers_search') is null then
    -- Unless somebody else has dropped it: then it is not for an import to create it.
    return exists (select from clientele.deferred_indexes);
  end if;
  if exists (select from public.customers) then
    return false;
  end if;
  lock table public.customers in access exclusive mode;
  if exists (select from public.customers) then
    return false;
  end if;
  -- The definition names no tablespace. Creating an index needs a right that dropping it does not.
  insert into clientele.deferred_indexes (name, definition)
  select 'public.customers_search', pg_get_indexdef(c.oid)
  from pg_class as c
  where c.oid = to_regclass('public.customers_search') and c.reltablespace = 0
    and has_schema_privilege(current_user, 'public', 'create')
  on conflict (name) do update set definition = excluded.definition;
  if found then
    drop index if exists public.customers_search;
  end if;
  return exists (select from clientele.deferred_indexes);
exception
  when lock_not_available or deadlock_detected or insufficient_privilege or dependent_objects_still_exist then
    return false;
end
$$;

-- Builds what begin_first_import dropped. Readers continue; other writers wait until it is built.
create function clientele.finish_first_import() returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  missing clientele.deferred_indexes;
begin
  -- A second caller waits here, and then finds nothing to do.
  for missing in select d.* from clientele.deferred_indexes as d for update loop
    -- An operator may have started to create it.
    lock table public.customers in share mode;
    if to_regclass(missing.name) is null then
      execute missing.definition;
    elsif not (select x.indisvalid from pg_index as x where x.indexrelid = to_regclass(missing.name)) then
      execute format('reindex index %s', to_regclass(missing.name));
    end if;
    delete from clientele.deferred_indexes as d where d.name = missing.name;
  end loop;
end
$$;

revoke execute on function clientele.abandon_imports, clientele.lock_deletes, clientele.begin_first_import,
  clientele.finish_first_import from public;
grant execute on function clientele.lock_deletes, clientele.begin_first_import, clientele.finish_first_import
  to clientele_writer;
