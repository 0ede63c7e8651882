-- Hides contact details from callers without customers:contact: docs/decisions/masking.md. Until masking is prepared,
-- nothing below is used: the columns are null, and there is no role, trigger or index.

-- One row once masked callers can be served.
create table clientele.masking (
  only_row boolean primary key default true check (only_row),
  -- The triggers that have kept name_text right since it was filled: see masking_triggers().
  kept_by text not null,
  prepared_at timestamptz(3) not null default now()
);
grant select on clientele.masking to clientele_reader;

-- Runs as the writer. As its owner it would need a search_path of its own, and PostgreSQL, which keeps plans for one path,
-- would plan what search_text() calls several times for each row: measured, an insert took two to four times the CPU.
create function clientele.set_name_text() returns trigger
  language plpgsql
as $$
begin
  new.name_text := clientele.search_text(new.full_name, null, new.company_name, null);
  return new;
end
$$;

-- The triggers that keep name_text right, with the transaction that last changed each. Null unless all of them fire in
-- every session: as long as the value stays the same, no write has bypassed them.
create function clientele.masking_triggers() returns text
  language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select string_agg(t.oid || ' ' || t.xmin::text, ', ' order by t.tgname)
    from pg_trigger as t
    where t.tgrelid = 'public.customers'::regclass and t.tgenabled = 'A'
      and t.tgname in ('zz_new_name_text', 'zz_name_text', 'log_name_text')
    having count(*) = 3
  );
end
$$;

-- Whether masked callers can be served: the text is complete, and its index can be used.
create function clientele.is_masking_ready() returns boolean
  language sql stable set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from clientele.masking as m where m.kept_by = clientele.masking_triggers()
  ) and exists (
    select from pg_index as x
    where x.indexrelid = to_regclass('public.customers_name_search') and x.indisvalid
  )
$$;

-- The role of masked work, and its rights: on every column but the hidden ones and those derived from them. Whoever is
-- shown what customers spent and ordered may sort by it.
create function clientele.grant_masking() returns void
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  begin
    if not exists (select from pg_roles where rolname = 'clientele_masked_reader') then
      create role clientele_masked_reader nologin;
    end if;
    -- Whoever may serve may also serve less.
    if not pg_has_role('clientele_reader', 'clientele_masked_reader', 'member') then
      grant clientele_masked_reader to clientele_reader;
    end if;
  exception
    when insufficient_privilege then
      raise exception 'it may not create the role clientele_masked_reader. As a superuser, run: '
        'create role clientele_masked_reader nologin; grant clientele_masked_reader to clientele_reader'
        using errcode = 'insufficient_privilege';
  end;
  revoke all on public.customers, clientele.changes from clientele_masked_reader;
  grant usage on schema public, clientele to clientele_masked_reader;
  grant select (uuid, full_name, company_name, is_verified, total_orders, lifetime_value_cents,
    last_order_at, created_at, place, name_text) on public.customers to clientele_masked_reader;
  grant select (id, xid, move, old_place, old_name_text, old_flags, new_place, new_name_text, new_flags, nonce, oldest,
      old_by_lifetime_value_cents, old_by_total_orders, old_by_last_order_at,
      new_by_lifetime_value_cents, new_by_total_orders, new_by_last_order_at)
    on clientele.changes to clientele_masked_reader;
  grant select on clientele.changes_horizon, clientele.stored_bounds, clientele.masking,
    clientele.counted_tables, clientele.sorted_customers, clientele.orders, clientele.sorting
    to clientele_masked_reader;
  grant execute on function clientele.fold(text), clientele.mark(text),
    clientele.search_text(text, text, text, text), clientele.search_patterns(text),
    clientele.masking_triggers(), clientele.sort_triggers(), clientele.only_audited_since(xid8, xid8[])
    to clientele_masked_reader;
end
$$;

-- Creates the role and the triggers unless they are there. Returns masking_triggers(). From its commit on,
-- every row that is written has its name_text.
create function clientele.begin_masking() returns text
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  perform clientele.grant_masking();
  if clientele.masking_triggers() is not null then
    return clientele.masking_triggers();
  end if;
  lock table public.customers in share row exclusive mode;
  drop trigger if exists zz_new_name_text on public.customers;
  drop trigger if exists zz_name_text on public.customers;
  drop trigger if exists log_name_text on public.customers;
  -- Triggers fire in the order of their names: after those that might change a name.
  create trigger zz_new_name_text before insert on public.customers
    for each row execute function clientele.set_name_text();
  create trigger zz_name_text before update on public.customers
    for each row
    when (old.full_name is distinct from new.full_name
      or old.company_name is distinct from new.company_name
      or old.name_text is distinct from new.name_text or new.name_text is null)
    execute function clientele.set_name_text();
  alter table public.customers enable always trigger zz_new_name_text;
  alter table public.customers enable always trigger zz_name_text;
  perform clientele.log_name_texts();
  return clientele.masking_triggers();
end
$$;

-- Called when every name_text has been filled and the index built, with what begin_masking() returned. False if
-- the triggers have changed since: then a write may have bypassed them. Programs that know no masking would
-- show masked callers everything, so from now on they do not start.
create function clientele.finish_masking(kept_by text) returns boolean
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  insert into clientele.masking as m (kept_by)
  select t from clientele.masking_triggers() as t where t = finish_masking.kept_by
  on conflict (only_row) do update set kept_by = excluded.kept_by, prepared_at = now();
  update clientele.migrations set oldest_program = number where name like '%\_masking.sql';
  return clientele.is_masking_ready();
end
$$;

revoke execute on function clientele.set_name_text, clientele.masking_triggers, clientele.is_masking_ready,
  clientele.grant_masking, clientele.begin_masking, clientele.finish_masking from public;
grant execute on function clientele.is_masking_ready, clientele.masking_triggers to clientele_reader;
