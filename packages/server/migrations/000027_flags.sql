-- Lists can be filtered by who is verified and who has orders: docs/decisions/filters.md. The log says both
-- of a customer before and after a change, and lists changes of them. An order event that leaves both as they
-- were is still not listed.
-- oldest program: 000013

-- In the order in which readers and writers lock them.
lock table public.customers in share row exclusive mode;

-- 1: verified, 2: has orders; added up. Null in entries that were written before. Beside a place that is null, they mean
-- nothing.
alter table clientele.changes
  add column old_flags smallint,
  add column new_flags smallint;

create or replace function clientele.log_inserts() returns trigger
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
  insert into clientele.changes (new_place, new_text, new_name_text, new_flags)
  select a.place, a.search_text, a.name_text,
    case when a.is_verified then 1 else 0 end
      operator(pg_catalog.+) case when a.total_orders operator(pg_catalog.>) 0 then 2 else 0 end
  from added as a limit 100001;
  get diagnostics n = row_count;
  if n operator(pg_catalog.>=) 100 or pg_catalog.random() operator(pg_catalog.<) 0.01
    or pg_catalog.current_setting('clientele.changes_limit', true) operator(pg_catalog.<>) ''
  then
    perform clientele.listed_changes(n);
  end if;
  return null;
end
$$;

create or replace function clientele.log_change() returns trigger
  language plpgsql security definer
as $$
begin
  if pg_catalog.current_setting('clientele.changes_full', true)
    operator(pg_catalog.=) pg_catalog.pg_current_xact_id()::pg_catalog.text
  then
    return null;
  end if;
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
  if pg_catalog.random() operator(pg_catalog.<) 0.01
    or pg_catalog.current_setting('clientele.changes_limit', true) operator(pg_catalog.<>) ''
  then
    perform clientele.listed_changes(1);
  end if;
  return null;
end
$$;

-- A map belongs to the triggers that were there when it was counted, so those counted before, wherever they are,
-- are counted again. Since the lock has waited for all writers, no entry without flags is new to a later map.
create or replace trigger log_updates after update on public.customers
  for each row
  when (old.search_text is distinct from new.search_text or old.place is distinct from new.place
    or old.is_verified <> new.is_verified or (old.total_orders > 0) <> (new.total_orders > 0))
  execute function clientele.log_change();
alter table public.customers enable always trigger log_updates;

-- Creates the trigger that logs what log_updates does not: words that move between a name and a hidden field can
-- leave search_text as it was. Filling is no change.
create function clientele.log_name_texts() returns void
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  create or replace trigger log_name_text after update on public.customers
    for each row
    when (old.name_text <> new.name_text
      and old.search_text = new.search_text and old.place = new.place
      and old.is_verified = new.is_verified and (old.total_orders > 0) = (new.total_orders > 0))
    execute function clientele.log_change();
  alter table public.customers enable always trigger log_name_text;
end
$$;
revoke execute on function clientele.log_name_texts() from public;

-- No write has bypassed the triggers meanwhile, so masked callers can be served without another preparation.
do $$
declare
  before constant text := clientele.masking_triggers();
begin
  if exists (
    select from pg_trigger as t
    where t.tgrelid = 'public.customers'::regclass and t.tgname = 'log_name_text' and t.tgenabled = 'A'
  ) then
    perform clientele.log_name_texts();
    update clientele.masking set kept_by = clientele.masking_triggers() where kept_by = before;
  end if;
end
$$;

create or replace function clientele.begin_masking() returns text
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

create or replace function clientele.grant_masking() returns void
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
  grant select (id, xid, old_place, old_name_text, old_flags, new_place, new_name_text, new_flags, nonce, oldest)
    on clientele.changes to clientele_masked_reader;
  grant select on clientele.changes_horizon, clientele.stored_bounds, clientele.masking,
    clientele.counted_tables to clientele_masked_reader;
  grant execute on function clientele.fold(text), clientele.mark(text),
    clientele.search_text(text, text, text, text), clientele.search_patterns(text),
    clientele.masking_triggers(), clientele.only_audited_since(xid8, xid8[]) to clientele_masked_reader;
end
$$;

do $$ begin
  if exists (
    select from pg_roles as r
    where r.rolname = 'clientele_masked_reader'
      and has_column_privilege(r.oid, 'clientele.changes', 'new_place', 'select')
  ) then
    grant select (old_flags, new_flags) on clientele.changes to clientele_masked_reader;
  end if;
end $$;

-- Adds the filters to what the audit shows.
create or replace view clientele.audit_entries as
select b.chain, b.number, e.ordinality::int as position, b.stored_at,
  (e.entry ->> 'at')::timestamptz(3) as at,
  e.entry ->> 'kind' as caller_kind,
  e.entry ->> 'caller' as caller_id,
  e.entry ->> 'name' as caller_name,
  e.entry ->> 'address' as address,
  e.entry ->> 'action' as action,
  e.entry ->> 'request' as request_id,
  (e.entry ->> 'page')::int as page,
  (e.entry ->> 'per_page')::int as per_page,
  (e.entry ->> 'total')::bigint as total,
  (e.entry ->> 'shown')::int as shown,
  e.entry ->> 'search' as search_hash,
  array(
    select encode(substr(b.customers, i, 16), 'hex')::uuid
    from generate_series(1 + 16 * e.before, 16 * (e.before + (e.entry ->> 'shown')::int) - 15, 16) as i
  ) as customers,
  -- Of all entries of the batch, to find those that show a customer without taking each apart.
  b.customers as batch_customers,
  -- What the list was narrowed by, as parameters of the API; null for nothing.
  e.entry -> 'filters' as filters
from clientele.audit_batches as b, lateral (
  select a.entry, a.ordinality,
    (sum((a.entry ->> 'shown')::int) over (order by a.ordinality) - (a.entry ->> 'shown')::int)::int as before
  from jsonb_array_elements(convert_from(b.entries, 'UTF8')::jsonb) with ordinality as a(entry, ordinality)
) as e;
