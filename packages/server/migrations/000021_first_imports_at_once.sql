-- Two imports that began at the same time into an empty directory looked into the table and then both waited to
-- lock it: a deadlock, which failed one of them. Now the second waits until the first has dropped the index, and
-- both write without it.
-- oldest program: 000013

create or replace function clientele.begin_first_import() returns boolean
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
