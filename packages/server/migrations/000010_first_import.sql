-- Into an empty directory, `clientele import` writes the rows first and then builds the trigram index, which
-- takes a third of the time of keeping it up to date: docs/decisions/import.md.

-- The indexes that are dropped until a first import has finished, and the statements that create them.
create table clientele.deferred_indexes (
  name text primary key,
  definition text not null
);

-- Drops the trigram index if there are no customers. Returns whether it is to be built later. Never waits
-- long, because readers would have to wait behind it; the import then keeps the index up to date instead.
create function clientele.begin_first_import() returns boolean
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '1s'
as $$
begin
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
exception when lock_not_available or insufficient_privilege or dependent_objects_still_exist then
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

revoke execute on function clientele.begin_first_import(), clientele.finish_first_import() from public;
grant execute on function clientele.begin_first_import(), clientele.finish_first_import()
  to clientele_writer;
grant select on clientele.deferred_indexes to clientele_writer;
