CREATE SCHEMA clientele;

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';

CREATE FUNCTION clientele.abandon_imports() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  update clientele.imports set abandoned_at = now()
  where finished_at is null and abandoned_at is null;
  return null;
end
$$;

CREATE FUNCTION clientele.add_audit_month(month date) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  name constant text := 'audit_' || to_char(month, 'YYYY_MM');
begin
  perform pg_advisory_xact_lock(hashtextextended('clientele.audit_months', 0));
  if to_regclass('clientele.' || name) is not null then
    return;
  end if;
  execute format('create table clientele.%I (like clientele.audit_batches including all)', name);
  execute format('alter table clientele.audit_batches attach partition clientele.%I for values from (%L) to (%L)',
    name, month::timestamp at time zone 'UTC', (month + interval '1 month')::timestamp at time zone 'UTC');
end
$$;

CREATE FUNCTION clientele.adopt_changes() RETURNS void
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION clientele.analyze_erased() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '3s'
    AS $$
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

CREATE FUNCTION clientele.append_audit(of_chain uuid, of_number bigint, of_previous bytea, of_entries bytea, of_customers bytea, of_hash bytea) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  moment constant timestamptz := clock_timestamp();
  month constant date := date_trunc('month', moment at time zone 'UTC');
  list jsonb;
  head clientele.audit_chains;
begin
  if not pg_has_role(session_user, 'clientele_reader', 'member') then
    if of_hash is distinct from sha256(of_previous || uuid_send(of_chain) || int8send(of_number)
      || int4send(length(of_entries)) || of_entries || of_customers) then
      raise exception 'the hash does not follow from the batch' using errcode = 'integrity_constraint_violation';
    end if;
    list := clientele.audit_json(of_entries, of_customers);
    if list is null then
      raise exception 'the batch cannot be read' using errcode = 'integrity_constraint_violation';
    end if;
    if exists (
      select from jsonb_array_elements(list) as e
      where e ->> 'kind' is distinct from 'login' or e ->> 'caller' is distinct from session_user::text
    ) then
      raise exception 'only a server records what others do' using errcode = 'insufficient_privilege';
    end if;
  end if;
  if of_number = 1 then
    insert into clientele.audit_chains (chain, number, hash, changed_at)
    values (of_chain, 1, of_hash, moment) on conflict do nothing;
  else
    update clientele.audit_chains as c set number = of_number, hash = of_hash, changed_at = moment
    where c.chain = of_chain and c.number = of_number - 1 and c.hash = of_previous;
  end if;
  if not found then
    select c.* into head from clientele.audit_chains as c where c.chain = of_chain;
    if head.number = of_number - 1 or head.number >= of_number and not exists (
      select from clientele.audit_batches as b
      where b.chain = of_chain and b.number = of_number and b.hash = of_hash
    ) then
      raise exception 'the batch does not fit into its chain' using errcode = 'integrity_constraint_violation';
    end if;
    return coalesce(head.number, 0);
  end if;
  if to_regclass('clientele.audit_' || to_char(month, 'YYYY_MM')) is null then
    perform clientele.add_audit_month(month);
  end if;
  insert into clientele.audit_batches (chain, number, stored_at, entries, customers, hash)
  values (of_chain, of_number, moment, of_entries, of_customers, of_hash);
  -- The reader cannot have done anything else in this transaction.
  if current_setting('role') = 'clientele_reader' then
    insert into clientele.audit_commits (xid) values (pg_current_xact_id()) on conflict do nothing;
    if random() < 0.002 then
      delete from clientele.audit_commits as c
      where c.xid < greatest(pg_current_xact_id()::text::bigint - 20000, 0)::text::xid8;
    end if;
  end if;
  return of_number;
end
$$;

CREATE FUNCTION clientele.append_audit_checkpoint(of_chain uuid, of_number bigint, of_hash bytea, of_at timestamp with time zone, of_key text, of_signature bytea) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  update clientele.audit_chains as c set checked_number = of_number
  where c.chain = of_chain and c.checked_number < of_number and c.number >= of_number;
  if found then
    insert into clientele.audit_checkpoints (chain, number, hash, at, key, signature)
    values (of_chain, of_number, of_hash, of_at, of_key, of_signature);
  end if;
end
$$;

CREATE FUNCTION clientele.audit_json(of_entries bytea, of_customers bytea) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  list jsonb;
begin
  list := convert_from(of_entries, 'UTF8')::jsonb;
  if (
    select 16 * coalesce(sum(e.shown), 0) = length(of_customers)
      and coalesce(bool_and(e.at is not null and e.shown >= 0), true)
    from jsonb_to_recordset(list) as e(at timestamptz, page int, per_page int, total bigint, shown int)
  ) then
    return list;
  end if;
  return null;
exception when others then
  return null;
end
$$;

CREATE FUNCTION clientele.available_orders() RETURNS text[]
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select array(
    select o.name from clientele.orders as o, clientele.sorting as s
    where s.is_complete and s.kept_by = clientele.sort_triggers()
      and exists (
        select from pg_index as x
        where x.indexrelid = to_regclass('clientele.sorted_by_' || o.name) and x.indisvalid
      )
    order by o.name
  )
$$;

CREATE FUNCTION clientele.begin_first_import() RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '1s'
    AS $$
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

CREATE FUNCTION clientele.begin_masking() RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION clientele.begin_order(name text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
begin
  if not exists (select from clientele.sorting as s where s.kept_by = clientele.sort_triggers()) then
    lock table public.customers in share row exclusive mode;
    -- What is there may have been written while a trigger was missing.
    truncate clientele.sorted_customers;
    delete from clientele.sorting;
    insert into clientele.sorting (kept_by) values ('');
    perform clientele.log_orders(true);
    update clientele.sorting set kept_by = clientele.sort_triggers();
    -- As with places: told that there are few groups, the planner has each process group what it reads.
    alter table public.customers
      alter column lifetime_value_cents set (n_distinct = 1),
      alter column total_orders set (n_distinct = 1),
      alter column last_order_at set (n_distinct = 1);
  end if;
  insert into clientele.orders (name) values (begin_order.name) on conflict do nothing;
end
$$;

CREATE FUNCTION clientele.blank_orders() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION clientele.changes_truncated() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION clientele.check_change() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
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

CREATE FUNCTION clientele.check_inserts() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
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

CREATE FUNCTION clientele.clear_erasures(grace interval DEFAULT '00:00:03'::interval) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION clientele.clear_old_text(most integer DEFAULT 10000) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION clientele.customer_writers(until xid8) RETURNS TABLE(process integer, login text, since timestamp with time zone)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION clientele.end_orders() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if exists (select from clientele.orders) or not exists (select from clientele.sorting) then
    return;
  end if;
  lock table public.customers in access exclusive mode;
  delete from clientele.sorting;
  perform clientele.log_orders(false);
  truncate clientele.sorted_customers;
  alter table public.customers
    alter column lifetime_value_cents reset (n_distinct),
    alter column total_orders reset (n_distinct),
    alter column last_order_at reset (n_distinct);
end
$$;

CREATE FUNCTION clientele.end_provider_sessions(issuer text, subject text, provider_session text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  delete from clientele.sessions as s using clientele.people as p
  where p.id = s.person and p.issuer = $1
    and case
      when $2 is null then s.provider_session = $3
      else p.subject = $2 and ($3 is null or s.provider_session is null or s.provider_session = $3)
    end;
$_$;

CREATE FUNCTION clientele.end_session(session_id uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  delete from clientele.sessions as s where s.id = session_id;
$$;

CREATE FUNCTION clientele.erase_customer(customer uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform clientele.lock_deletes(true);
  return coalesce((
    select e.found
    from clientele.erase_customers(jsonb_build_array(jsonb_build_object('uuid', customer))) as e
  ), false);
end
$$;

CREATE FUNCTION clientele.erase_customers(people jsonb, alone boolean DEFAULT true) RETURNS TABLE(id uuid, uuid uuid, erased_at timestamp with time zone, reason text, removed boolean, found boolean, email_address text, phone_number text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION clientele.finish_first_import() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION clientele.finish_masking(kept_by text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  insert into clientele.masking as m (kept_by)
  select t from clientele.masking_triggers() as t where t = finish_masking.kept_by
  on conflict (only_row) do update set kept_by = excluded.kept_by, prepared_at = now();
  update clientele.migrations set oldest_program = number where name like '%\_masking.sql';
  return clientele.is_masking_ready();
end
$$;

CREATE FUNCTION clientele.fold(value text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
declare
  folded text;
begin
  if octet_length(value) = length(value) then -- plain ASCII, as most text is
    if value ~ '[''`\u0001-\u001F\u007F]' then
      value := regexp_replace(
        replace(replace(value, '''', ''), '`', ''), '[\u0001-\u001F\u007F]', ' ', 'g');
    end if;
    return lower(value collate "C");
  end if;
  -- Before decomposition, which would make a space of some: ' ` ´ and what stands in their place.
  folded := regexp_replace(value, '[''`\u00B4\u1FBD\u1FBF\u1FEF\u1FFD\u1FFE]', '', 'g');
  folded := regexp_replace(normalize(folded, NFKD), '['
    '''`\u02B9\u02BB-\u02BF\u02C8\u02CA\u02CB\u02EE\u055A\u05F3\u07F4\u07F5' -- apostrophes
    '\u2018\u2019\u201B\u2032\u2035\u275B\u275C\uA78B\uA78C'
    '\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F'      -- accents
    '\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\uFB1E'                -- Hebrew points
    '\u0610-\u061A\u0640\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4'       -- Arabic vowel signs
    '\u06E7\u06E8\u06EA-\u06ED\u0897-\u089F\u08CA-\u08E1\u08E3-\u08FF'
    '\U000102E0\U00010EFC-\U00010EFF'
    '\u00AD\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F'         -- what nobody sees:
    '\u202A-\u202E\u2060-\u206F\uFE00-\uFE0F\uFEFF\uFFF0-\uFFF8'             -- Unicode's default
    '\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF'        -- ignorables
    ']', '', 'g');
  folded := lower(folded collate "und-x-icu");
  if folded ~ '[ßæœþøłđðıς]' then
    folded := replace(replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
    folded := translate(folded, 'øłđðıς', 'olddiσ');
  end if;
  if folded is not nfkc normalized then
    folded := normalize(folded, NFKC);
  end if;
  -- All other white space is a space by now.
  return regexp_replace(folded, '[\u0001-\u001F\u007F-\u009F\u1680\u2028\u2029]', ' ', 'g');
end
$$;

CREATE FUNCTION clientele.grant_masking() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION clientele.is_masking_ready() RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select exists (
    select from clientele.masking as m where m.kept_by = clientele.masking_triggers()
  ) and exists (
    select from pg_index as x
    where x.indexrelid = to_regclass('public.customers_name_search') and x.indisvalid
  )
$$;

CREATE FUNCTION clientele.keep_audit() RETURNS date
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '200ms'
    AS $_$
declare
  this_month constant date := date_trunc('month', now() at time zone 'UTC');
  first_kept constant date := this_month - make_interval(months => (select r.months from clientele.audit_retention as r));
  old record;
begin
  for i in 0..2 loop
    perform clientele.add_audit_month((this_month + make_interval(months => i))::date);
  end loop;
  select c.relname, to_date(substr(c.relname, 7), 'YYYY_MM') as month into old
  from pg_inherits as i join pg_class as c on c.oid = i.inhrelid
  where i.inhparent = 'clientele.audit_batches'::regclass
    and to_date(substr(c.relname, 7), 'YYYY_MM') < first_kept
  order by c.relname limit 1;
  if not found then
    return null;
  end if;
  -- From the last batch of one chain to that of the next, by the index: a month may have millions of batches.
  execute format(
    'with recursive last as (
       (select b.chain, b.number, b.hash from clientele.%1$I as b order by b.chain desc, b.number desc limit 1)
       union all
       select before.chain, before.number, before.hash from last cross join lateral (
         select b.chain, b.number, b.hash from clientele.%1$I as b
         where b.chain < last.chain order by b.chain desc, b.number desc limit 1
       ) as before
     )
     insert into clientele.audit_closings (month, chain, number, hash)
     select %2$L::date, last.chain, last.number, last.hash from last on conflict do nothing', old.relname, old.month);
  delete from clientele.audit_checkpoints as p where p.stored_at < (old.month + interval '1 month') at time zone 'UTC';
  execute format('alter table clientele.audit_batches detach partition clientele.%I', old.relname);
  execute format('drop table clientele.%I', old.relname);
  return old.month;
end
$_$;

CREATE FUNCTION clientele.lift_suppressions(hashes bytea[], customers uuid[], reason text) RETURNS TABLE(hash bytea, kind text, uuid uuid)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION clientele.listed_changes(n bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION clientele.lock_deletes(exclusive boolean) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  if exclusive then
    perform pg_advisory_xact_lock(hashtextextended('clientele deletes', 0));
  else
    perform pg_advisory_xact_lock_shared(hashtextextended('clientele deletes', 0));
  end if;
end
$$;

CREATE FUNCTION clientele.log_change() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
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

CREATE FUNCTION clientele.log_inserts() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
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

CREATE FUNCTION clientele.log_name_texts() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  before constant text := clientele.sort_triggers();
begin
  execute format(
    'create or replace trigger log_name_text after update on public.customers
      for each row
      when (old.name_text <> new.name_text
        and old.search_text = new.search_text and old.place = new.place
        and old.is_verified = new.is_verified and (old.total_orders > 0) = (new.total_orders > 0))
      execute function clientele.log_change(%s)',
    case when exists (select from clientele.sorting) then '''sorted''' end);
  alter table public.customers enable always trigger log_name_text;
  update clientele.sorting set kept_by = clientele.sort_triggers() where kept_by = before;
end
$$;

CREATE FUNCTION clientele.log_orders(sorted boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  argument constant text := case when sorted then '''sorted''' else '' end;
  masked constant text := clientele.masking_triggers();
  listed constant text := 'old.search_text is distinct from new.search_text or old.place is distinct from new.place
    or old.is_verified <> new.is_verified or (old.total_orders > 0) <> (new.total_orders > 0)';
begin
  execute format(
    'create or replace trigger log_inserts after insert on public.customers
      referencing new table as added for each statement execute function clientele.log_inserts(%s)', argument);
  execute format(
    'create or replace trigger log_replicated_inserts after insert on public.customers
      for each row execute function clientele.log_change(%s)', argument);
  execute format(
    'create or replace trigger log_updates after update on public.customers
      for each row when (%s) execute function clientele.log_change(%s)', listed, argument);
  execute format(
    'create or replace trigger log_deletes after delete on public.customers
      for each row execute function clientele.log_change(%s)', argument);
  alter table public.customers enable trigger log_inserts;
  alter table public.customers enable replica trigger log_replicated_inserts;
  alter table public.customers enable always trigger log_updates;
  alter table public.customers enable always trigger log_deletes;
  if sorted then
    execute format(
      'create or replace trigger log_moves after update on public.customers
        for each row
        when (not (%s) and (old.name_text <> new.name_text) is not true
          and (old.lifetime_value_cents <> new.lifetime_value_cents or old.total_orders <> new.total_orders
            or old.last_order_at is distinct from new.last_order_at or old.uuid <> new.uuid))
        execute function clientele.log_change(''move'')', listed);
    alter table public.customers enable always trigger log_moves;
  else
    drop trigger if exists log_moves on public.customers;
  end if;
  if exists (
    select from pg_trigger as t where t.tgrelid = 'public.customers'::regclass and t.tgname = 'log_name_text'
  ) then
    perform clientele.log_name_texts();
    update clientele.masking set kept_by = clientele.masking_triggers() where kept_by = masked;
  end if;
end
$$;

CREATE FUNCTION clientele.log_truncate() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION clientele.mark(folded text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
declare
  marked constant text := regexp_replace(folded collate "und-x-icu", '([^[:alnum:] ])', E'\\1 ', 'g');
begin
  if octet_length(marked) = length(marked) then
    return marked;
  end if;
  return regexp_replace(marked, '([\u1100-\u11FF\u2E80-\u2FDF\u3005-\u3007\u3021-\u302F\u3031-\u3035'
    '\u3038-\u303C\u3041-\u309F\u30A1-\u30FA\u30FC-\u30FF\u3131-\u318E\u31F0-\u31FF'
    '\u3400-\u4DBF\u4E00-\u9FFF\uA960-\uA97F\uAC00-\uD7FF\uF900-\uFAFF'
    '\U00016FE2\U00016FE3\U00016FF0\U00016FF1\U0001AFF0-\U0001B16F\U00020000-\U000323AF])',
    E'\\1\\1\\1', 'g');
end
$$;

CREATE FUNCTION clientele.masking_triggers() RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION clientele.note_key_use(ids text[], seconds_ago double precision[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with used as (
    select u.id, now() - make_interval(secs => greatest(u.seconds_ago, 0)) as used_at
    from unnest(note_key_use.ids, note_key_use.seconds_ago) as u (id, seconds_ago)
  ), free as (
    select k.id from clientele.access_keys as k
    where k.id = any (note_key_use.ids)
    for no key update skip locked
  )
  update clientele.access_keys as k
  set last_used_at = used.used_at
  from used, free
  where k.id = used.id and k.id = free.id
    and (k.last_used_at is null or k.last_used_at < used.used_at - interval '30 seconds');
$$;

CREATE FUNCTION clientele.only_audited_since(since_xmax xid8, since_xip xid8[]) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  here constant pg_snapshot := pg_current_snapshot();
  running constant xid8[] := array(select pg_snapshot_xip(here));
  passed constant bigint := pg_snapshot_xmax(here)::text::bigint - since_xmax::text::bigint;
begin
  if passed is null or passed not between 0 and 10000 then
    return false;
  end if;
  return passed
    - (select count(*) from unnest(running) as x where x >= since_xmax)
    + (select count(*) from unnest(since_xip) as x where x <> all (running))
    = (
      select count(*) from clientele.audit_commits as c
      where (c.xid >= since_xmax or c.xid = any (since_xip))
        and c.xmin::text::bigint = c.xid::text::bigint % 4294967296
    );
end
$$;

CREATE FUNCTION clientele.other_spellings(names text, spelled_out text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $_$
declare
  words constant text[] := string_to_array(names, ' ');
  others constant text[] := string_to_array(spelled_out, ' ');
  found text := '';
begin
  for n in 1..cardinality(words) loop
    if others[n] <> words[n] and position(' ' || others[n] || ' ' in found || ' ') = 0 then
      found := found || ' ' || others[n];
    end if;
    if position('.' in words[n]) > 0
      and words[n] ~ '^[^[:alnum:]]*[[:alpha:]]([.][[:alpha:]])+[^[:alnum:]]*$' collate "und-x-icu"
    then
      found := found || ' ' || replace(words[n], '.', '');
    end if;
  end loop;
  return nullif(found, '');
end
$_$;

CREATE FUNCTION clientele.place(created timestamp with time zone, id uuid) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN isfinite(created) THEN (round((date_part('epoch'::text, (created - '2000-01-01 00:00:00+00'::timestamp with time zone)) * (1000)::double precision)) + ((((get_byte(uuid_send(id), 0) * 16) + (get_byte(uuid_send(id), 1) / 16)))::double precision / (4096)::double precision)) ELSE (0)::double precision END;

CREATE FUNCTION clientele.publish_changes() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION clientele.record_erasure() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION clientele.refuse_erased(customer uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  raise exception 'customer % was erased', customer
    using errcode = 'check_violation',
      hint = format('If the person wants to be a customer again: clientele suppression lift %s --reason REASON',
        customer);
end
$$;

CREATE FUNCTION clientele.remove_erased() RETURNS uuid[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '1s'
    AS $$
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

CREATE FUNCTION clientele.renew_horizon() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  new.nonce := gen_random_uuid();
  new.oldest := pg_snapshot_xmin(pg_current_snapshot());
  return new;
end
$$;

CREATE FUNCTION clientele.search_patterns(search text) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $_$
declare
  phone_signs constant text := U&'0123456789+-()./\2010\2011\2012\2013\2014\2212';
  folded constant text := clientele.fold(search);
  digits text;
  phone text;
  term text;
  term_length int;
  marked text;
  terms jsonb := '[]';
begin
  -- Rule 5 for the whole search: the parts of '06 28 12 34 56' are too short to say anything.
  digits := regexp_replace(folded, '[^0-9]+', '', 'g');
  if length(digits) >= 4 and translate(folded, phone_signs || ' ', '') = '' then
    phone := E'%\x01%' || nullif(ltrim(digits, '0'), '') || '%';
  end if;

  for term, term_length in
    select distinct part, length(part)
    from string_to_table(folded, ' ') as part
    where part <> ''
    order by length(part) desc, part
  loop
    marked := clientele.mark(term);
    -- Rule 4: anywhere, or at the start of a word. No character has been repeated if only spaces have been added.
    if term_length < 3 and term ~ '[[:alnum:]]' collate "und-x-icu" and replace(marked, ' ', '') = term then
      marked := ' ' || marked;
    end if;
    -- Rule 6: LIKE's own signs are only text.
    marked := regexp_replace(marked, '([\\%_])', '\\\1', 'g');
    -- Rule 5 for one term. Bare digits without a leading zero reach the phone's digits as they are.
    digits := regexp_replace(term, '[^0-9]+', '', 'g');
    if length(digits) < 3 or translate(term, phone_signs, '') <> '' or term ~ '^[1-9][0-9]+$' then
      digits := null;
    end if;
    -- Zeros alone say nothing about a phone: keep them off its digits, at the end.
    if term ~ '^0+$' then
      marked := marked || E'%\x01';
    end if;
    terms := terms || jsonb_build_object(
      'text', '%' || marked || '%',
      'digits', E'%\x01%' || nullif(ltrim(digits, '0'), '') || '%');
  end loop;
  return jsonb_build_object('phone', phone, 'terms', terms);
end
$_$;

CREATE FUNCTION clientele.spell_out(names text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
begin
  if names !~ '[\u00C4\u00C5\u00D6\u00D8\u00DC\u00E4\u00E5\u00F6\u00F8\u00FC\u0308\u030A\u212B]' then
    return names;
  end if;
  names := regexp_replace(names, '[\u00C4\u00E4]|[Aa]\u0308', 'ae', 'g');
  names := regexp_replace(names, '[\u00D6\u00D8\u00F6\u00F8]|[Oo]\u0308', 'oe', 'g');
  names := regexp_replace(names, '[\u00DC\u00FC]|[Uu]\u0308', 'ue', 'g');
  return regexp_replace(names, '[\u00C5\u00E5\u212B]|[Aa]\u030A', 'aa', 'g');
end
$$;

CREATE FUNCTION clientele.search_text(full_name text, email_address text, company_name text, phone_number text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((((' '::text || clientele.mark(clientele.fold(substr((((COALESCE((' '::text || full_name), ''::text) || COALESCE((' '::text || email_address), ''::text)) || COALESCE((' '::text || company_name), ''::text)) || COALESCE((' '::text || phone_number), ''::text)), 2)))) || CASE WHEN ((COALESCE(full_name, ''::text) || COALESCE((' '::text || company_name), ''::text)) ~ '[\u00C4\u00C5\u00D6\u00D8\u00DC\u00E4\u00E5\u00F6\u00F8\u00FC\u0308\u030A\u212B\u2024-\u2026\u2488-\u249B\u33C2\u33C7\u33D8\uFE19\uFE30\uFE52\uFF0E\U0001F100]|[^ ]\.[^ ]'::text) THEN COALESCE((''::text || clientele.mark(clientele.other_spellings(clientele.fold(substr((COALESCE((' '::text || full_name), ''::text) || COALESCE((' '::text || company_name), ''::text)), 2)), clientele.fold(clientele.spell_out(substr((COALESCE((' '::text || full_name), ''::text) || COALESCE((' '::text || company_name), ''::text)), 2)))))), ''::text) ELSE ''::text END) || ''::text) || COALESCE(regexp_replace(clientele.fold(phone_number), '[^0-9]+'::text, ''::text, 'g'::text), ''::text));

CREATE FUNCTION clientele.set_name_text() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.name_text := clientele.search_text(new.full_name, null, new.company_name, null);
  return new;
end
$$;

CREATE FUNCTION clientele.settle_unchecked(ids bigint[], suppressed uuid[], versions text[]) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION clientele.sort_place(value bigint, place double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((value)::double precision + LEAST(GREATEST(((place + ('2199023255552'::bigint)::double precision) / ('4398046511104'::bigint)::double precision), (0)::double precision), (1)::double precision));

CREATE FUNCTION clientele.sort_place(instant timestamp with time zone, place double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN COALESCE((round((date_part('epoch'::text, (instant - '2000-01-01 00:00:00+00'::timestamp with time zone)) * (1000)::double precision)) + LEAST(GREATEST(((place + ('2199023255552'::bigint)::double precision) / ('4398046511104'::bigint)::double precision), (0)::double precision), (1)::double precision)), (place - ('1125899906842624'::bigint)::double precision));

CREATE FUNCTION clientele.sort_triggers() RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return (
    select string_agg(t.oid || ' ' || t.xmin::text, ', ' order by t.tgname)
    from pg_trigger as t
    where t.tgrelid = 'public.customers'::regclass
      and t.tgname in ('log_inserts', 'log_replicated_inserts', 'log_updates', 'log_moves', 'log_deletes',
        'log_truncate', 'log_name_text')
    having count(*) filter (where t.tgname <> 'log_name_text') = 6
      and bool_and(t.tgnargs = 1 or t.tgname = 'log_truncate')
      and bool_and(t.tgenabled = case t.tgname
        when 'log_inserts' then 'O' when 'log_replicated_inserts' then 'R' else 'A' end)
  );
end
$$;

CREATE FUNCTION clientele.start_key_session(session_id uuid, token_hash bytea, key_id text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  delete from clientele.sessions as s where s.forget_at < now();
  insert into clientele.sessions (id, token_hash, key_id) values ($1, $2, $3) on conflict do nothing;
$_$;

CREATE FUNCTION clientele.start_person_session(session_id uuid, token_hash bytea, issuer text, subject text, name text, account text, roles text[], provider_session text, sign_out_hint text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
#variable_conflict use_column
declare
  known clientele.people;
begin
  delete from clientele.sessions as s where s.forget_at < now();
  insert into clientele.people as p (issuer, subject, name, account, roles) values ($3, $4, $5, $6, $7)
  on conflict (issuer, subject) do update
  set name = excluded.name, account = excluded.account, roles = excluded.roles, last_sign_in_at = now()
  where p.disabled_at is null
  returning p.* into known;
  if known.id is not null then
    insert into clientele.sessions (id, token_hash, person, roles, provider_session, sign_out_hint)
    values ($1, $2, known.id, $7, $8, $9) on conflict do nothing;
  end if;
  return known.id;
end
$_$;

CREATE FUNCTION clientele.store_bounds(bounds uuid, cuts bytea) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  insert into clientele.stored_bounds as b (id, places) values (store_bounds.bounds, cuts)
  on conflict (only_row) do update
  set id = excluded.id, places = excluded.places, stored_at = excluded.stored_at
  where b.stored_at < now() - interval '10 minutes';
  if found then
    delete from clientele.stored_maps;
  end if;
end
$$;

CREATE FUNCTION clientele.store_map(search text, bounds uuid, counts bytea, identity text, since xid8, seen xid8[], witness xid8, nonce uuid, entries bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
begin
  -- One at a time, so that the number of maps is known.
  perform from clientele.stored_bounds as b where b.id = store_map.bounds for update;
  if not found or (
    select count(*) from clientele.stored_maps as m where m.search <> store_map.search
  ) >= 70 then
    return;
  end if;
  insert into clientele.stored_maps as m
    (search, bounds, counts, identity, since, seen, witness, nonce, entries)
  values (store_map.search, store_map.bounds, store_map.counts, store_map.identity, store_map.since,
    store_map.seen, store_map.witness, store_map.nonce, store_map.entries)
  on conflict (search) do update
  set bounds = excluded.bounds, counts = excluded.counts, identity = excluded.identity,
    since = excluded.since, seen = excluded.seen, witness = excluded.witness,
    nonce = excluded.nonce, entries = excluded.entries, stored_at = excluded.stored_at
  where m.stored_at < now() - interval '1 minute';
end
$$;

CREATE FUNCTION clientele.suppress(erasures uuid[], kinds text[], hashes bytea[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION clientele.take_records(callers text[], amounts bigint[], limits bigint[]) RETURNS TABLE(item integer, taken boolean, shown bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  today constant date := (now() at time zone 'utc')::date;
  wanted record;
begin
  -- A crash of the database may lose the last second's counts; requests do not wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  -- In the order of the callers, so that two instances never wait for each other.
  for wanted in
    select w.position::int as position, w.caller, greatest(w.amount, 0) as amount, w.most
    from unnest(callers, amounts, limits) with ordinality as w (caller, amount, most, position)
    order by w.caller, w.position
  loop
    insert into clientele.records_shown as r (caller, day, records) values (wanted.caller, today, 0)
    on conflict (caller) do update set day = today, records = 0 where r.day < today;
    update clientele.records_shown as r
    set records = r.records + wanted.amount
    where r.caller = wanted.caller and r.records + wanted.amount <= wanted.most;
    item := wanted.position;
    taken := found;
    select r.records into shown from clientele.records_shown as r where r.caller = wanted.caller;
    return next;
  end loop;
end
$$;

CREATE FUNCTION clientele.trace_key(place double precision) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (abs(place) >= ('2199023255552'::bigint)::double precision) THEN '-1'::integer ELSE (floor(((place - floor(place)) * (4096)::double precision)))::integer END;

CREATE FUNCTION clientele.trace_key(id uuid) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((get_byte(uuid_send(id), 0) * 16) + (get_byte(uuid_send(id), 1) / 16));

CREATE FUNCTION clientele.trim_changes(keep bigint, most bigint DEFAULT NULL::bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION clientele.unchecked_audit_chains() RETURNS TABLE(chain uuid, number text, hash bytea)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select c.chain, c.number::text, c.hash from clientele.audit_chains as c
  where c.number > c.checked_number and c.changed_at < now() - interval '2 minutes'
  limit 100;
$$;

CREATE TABLE clientele.access_keys (
    id text NOT NULL,
    name text NOT NULL,
    secret_hash bytea NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revoked_at timestamp(3) with time zone,
    expires_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone,
    records_per_day bigint,
    CONSTRAINT access_keys_id_check CHECK ((id ~ '^[0-9a-z]{12}$'::text)),
    CONSTRAINT access_keys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT access_keys_records_per_day_check CHECK ((records_per_day > 0)),
    CONSTRAINT access_keys_scopes_check CHECK ((cardinality(scopes) > 0)),
    CONSTRAINT access_keys_secret_hash_check CHECK ((length(secret_hash) = 32))
);

CREATE TABLE clientele.audit_batches (
    chain uuid NOT NULL,
    number bigint NOT NULL,
    stored_at timestamp(3) with time zone NOT NULL,
    entries bytea NOT NULL,
    customers bytea NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT audit_batches_customers_check CHECK (((octet_length(customers) % 16) = 0)),
    CONSTRAINT audit_batches_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT audit_batches_number_check CHECK ((number > 0))
)
PARTITION BY RANGE (stored_at);
ALTER TABLE ONLY clientele.audit_batches ALTER COLUMN entries SET STORAGE EXTERNAL;
ALTER TABLE ONLY clientele.audit_batches ALTER COLUMN customers SET STORAGE EXTERNAL;

CREATE TABLE clientele.audit_chains (
    chain uuid NOT NULL,
    number bigint NOT NULL,
    hash bytea NOT NULL,
    changed_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    checked_number bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE clientele.audit_checkpoints (
    chain uuid NOT NULL,
    number bigint NOT NULL,
    hash bytea NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    key text,
    signature bytea,
    stored_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE clientele.audit_closings (
    month date NOT NULL,
    chain uuid NOT NULL,
    number bigint NOT NULL,
    hash bytea NOT NULL,
    dropped_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE clientele.audit_commits (
    xid xid8 NOT NULL
);

CREATE VIEW clientele.audit_entries AS
 SELECT b.chain,
    b.number,
    (e.ordinality)::integer AS "position",
    b.stored_at,
    ((e.entry ->> 'at'::text))::timestamp(3) with time zone AS at,
    (e.entry ->> 'kind'::text) AS caller_kind,
    (e.entry ->> 'caller'::text) AS caller_id,
    (e.entry ->> 'name'::text) AS caller_name,
    (e.entry ->> 'address'::text) AS address,
    (e.entry ->> 'action'::text) AS action,
    (e.entry ->> 'request'::text) AS request_id,
    ((e.entry ->> 'page'::text))::integer AS page,
    ((e.entry ->> 'per_page'::text))::integer AS per_page,
    ((e.entry ->> 'total'::text))::bigint AS total,
    ((e.entry ->> 'shown'::text))::integer AS shown,
    (e.entry ->> 'search'::text) AS search_hash,
    ARRAY( SELECT (encode(substr(b.customers, i.i, 16), 'hex'::text))::uuid AS encode
           FROM generate_series((1 + (16 * e.before)), ((16 * (e.before + ((e.entry ->> 'shown'::text))::integer)) - 15), 16) i(i)) AS customers,
    b.customers AS batch_customers,
    (e.entry -> 'filters'::text) AS filters,
    (e.entry ->> 'sort'::text) AS sort,
    (e.entry ->> 'target'::text) AS target
   FROM clientele.audit_batches b,
    LATERAL ( SELECT a.entry,
            a.ordinality,
            ((sum(((a.entry ->> 'shown'::text))::integer) OVER (ORDER BY a.ordinality) - ((a.entry ->> 'shown'::text))::integer))::integer AS before
           FROM jsonb_array_elements(COALESCE(clientele.audit_json(b.entries, b.customers), jsonb_build_array(jsonb_build_object('at', b.stored_at, 'kind', 'none', 'caller', '', 'name', '', 'address', '', 'action', 'unreadable', 'request', '', 'page', 0, 'per_page', 0, 'shown', 0)))) WITH ORDINALITY a(entry, ordinality)) e;

CREATE TABLE clientele.audit_retention (
    only_row boolean DEFAULT true NOT NULL,
    months integer DEFAULT 24 NOT NULL,
    CONSTRAINT audit_retention_months_check CHECK (((months >= 1) AND (months <= 1200))),
    CONSTRAINT audit_retention_only_row_check CHECK (only_row)
);

CREATE TABLE clientele.change_marks (
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL
);

CREATE TABLE clientele.changes (
    id bigint NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    old_place double precision,
    old_text text COLLATE pg_catalog."C",
    new_place double precision,
    new_text text COLLATE pg_catalog."C",
    nonce uuid DEFAULT gen_random_uuid() NOT NULL,
    oldest xid8 DEFAULT pg_snapshot_xmin(pg_current_snapshot()) NOT NULL,
    old_name_text text COLLATE pg_catalog."C",
    new_name_text text COLLATE pg_catalog."C",
    old_flags smallint,
    new_flags smallint,
    move boolean DEFAULT false NOT NULL,
    old_by_lifetime_value_cents double precision,
    old_by_total_orders double precision,
    old_by_last_order_at double precision,
    new_by_lifetime_value_cents double precision,
    new_by_total_orders double precision,
    new_by_last_order_at double precision
);
ALTER TABLE ONLY clientele.changes ALTER COLUMN old_text SET STATISTICS 0;
ALTER TABLE ONLY clientele.changes ALTER COLUMN new_text SET STATISTICS 0;
ALTER TABLE ONLY clientele.changes ALTER COLUMN old_name_text SET STATISTICS 0;
ALTER TABLE ONLY clientele.changes ALTER COLUMN new_name_text SET STATISTICS 0;
ALTER TABLE ONLY clientele.changes ALTER COLUMN old_by_lifetime_value_cents SET STATISTICS 0;
ALTER TABLE ONLY clientele.changes ALTER COLUMN old_by_total_orders SET STATISTICS 0;
ALTER TABLE ONLY clientele.changes ALTER COLUMN old_by_last_order_at SET STATISTICS 0;
ALTER TABLE ONLY clientele.changes ALTER COLUMN new_by_lifetime_value_cents SET STATISTICS 0;
ALTER TABLE ONLY clientele.changes ALTER COLUMN new_by_total_orders SET STATISTICS 0;
ALTER TABLE ONLY clientele.changes ALTER COLUMN new_by_last_order_at SET STATISTICS 0;

CREATE TABLE clientele.changes_horizon (
    xid xid8 NOT NULL,
    cluster bigint NOT NULL,
    only_row boolean DEFAULT true NOT NULL,
    running xid8[] DEFAULT '{}'::xid8[] NOT NULL,
    cleared xid8 DEFAULT '0'::xid8 NOT NULL,
    garbage xid8[] DEFAULT '{}'::xid8[] NOT NULL,
    published pg_snapshot DEFAULT pg_current_snapshot() NOT NULL,
    nonce uuid DEFAULT gen_random_uuid() NOT NULL,
    oldest xid8 DEFAULT pg_snapshot_xmin(pg_current_snapshot()) NOT NULL,
    CONSTRAINT changes_horizon_only_row_check CHECK (only_row)
);

ALTER TABLE clientele.changes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME clientele.changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE clientele.sorted_customers (
    uuid uuid NOT NULL,
    by_lifetime_value_cents double precision NOT NULL,
    by_total_orders double precision NOT NULL,
    by_last_order_at double precision NOT NULL
);

CREATE TABLE public.customers (
    uuid uuid DEFAULT gen_random_uuid() NOT NULL,
    full_name text NOT NULL,
    email_address text NOT NULL,
    phone_number text,
    company_name text,
    is_verified boolean DEFAULT false NOT NULL,
    total_orders bigint DEFAULT 0 NOT NULL,
    lifetime_value_cents bigint DEFAULT 0 NOT NULL,
    last_order_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    search_text text GENERATED ALWAYS AS (clientele.search_text(full_name, email_address, company_name, phone_number)) STORED NOT NULL COLLATE pg_catalog."C",
    place double precision GENERATED ALWAYS AS (clientele.place(created_at, uuid)) STORED NOT NULL,
    updated_at timestamp(3) with time zone,
    name_text text COLLATE pg_catalog."C",
    CONSTRAINT company_name_length CHECK ((length(company_name) <= 300)),
    CONSTRAINT created_at_range CHECK (((created_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (created_at < '10000-01-01 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT email_address_length CHECK ((length(email_address) <= 320)),
    CONSTRAINT email_address_not_blank CHECK (((email_address COLLATE "und-x-icu") ~ '[^[:space:][:cntrl:]]'::text)),
    CONSTRAINT full_name_length CHECK ((length(full_name) <= 300)),
    CONSTRAINT full_name_not_blank CHECK (((full_name COLLATE "und-x-icu") ~ '[^[:space:][:cntrl:]]'::text)),
    CONSTRAINT last_order_at_range CHECK (((last_order_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (last_order_at < '10000-01-01 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT lifetime_value_cents_range CHECK (((lifetime_value_cents >= '-9007199254740991'::bigint) AND (lifetime_value_cents <= '9007199254740991'::bigint))),
    CONSTRAINT phone_number_length CHECK ((length(phone_number) <= 64)),
    CONSTRAINT total_orders_range CHECK (((total_orders >= 0) AND (total_orders <= '9007199254740991'::bigint)))
);
ALTER TABLE ONLY public.customers ALTER COLUMN search_text SET STATISTICS 1000;
ALTER TABLE ONLY public.customers ALTER COLUMN place SET (n_distinct=8192);
ALTER TABLE ONLY public.customers ALTER COLUMN name_text SET STATISTICS 1000;

COMMENT ON TABLE public.customers IS 'Customers as GET /v3/customers shows them. search_text, name_text and place are derived; write the others.';

CREATE VIEW clientele.counted_tables AS
 SELECT true AS locked
   FROM ONLY public.customers c,
    clientele.changes e,
    clientele.sorted_customers s
  WHERE false;

CREATE TABLE clientele.deferred_indexes (
    name text NOT NULL,
    definition text NOT NULL
);

CREATE TABLE clientele.erasures (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    uuid uuid NOT NULL,
    erased_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    erased_by text DEFAULT SESSION_USER NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    removed_at timestamp(3) with time zone DEFAULT now(),
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    analyzed_at timestamp(3) with time zone,
    cleared_at timestamp(3) with time zone
);

CREATE TABLE clientele.gone_customers (
    uuid uuid NOT NULL,
    gone_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE clientele.id_namespace (
    only_row boolean DEFAULT true NOT NULL,
    namespace uuid NOT NULL,
    CONSTRAINT id_namespace_only_row_check CHECK (only_row)
);

CREATE TABLE clientele.imports (
    id bigint NOT NULL,
    fingerprint text NOT NULL,
    feed boolean DEFAULT false NOT NULL,
    started_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    saved_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    finished_at timestamp(3) with time zone,
    bytes bigint DEFAULT 0 NOT NULL,
    line bigint DEFAULT 1 NOT NULL,
    read bigint DEFAULT 0 NOT NULL,
    inserted bigint DEFAULT 0 NOT NULL,
    updated bigint DEFAULT 0 NOT NULL,
    unchanged bigint DEFAULT 0 NOT NULL,
    deleted bigint DEFAULT 0 NOT NULL,
    rejected bigint DEFAULT 0 NOT NULL,
    superseded bigint DEFAULT 0 NOT NULL,
    reject_bytes bigint DEFAULT 0 NOT NULL,
    reject_hash text,
    abandoned_at timestamp(3) with time zone,
    prefix_hash text,
    superseded_by jsonb DEFAULT '{}'::jsonb NOT NULL,
    suppressed bigint DEFAULT 0 NOT NULL,
    refused jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT adds_up CHECK ((read = ((((((inserted + updated) + unchanged) + deleted) + rejected) + superseded) + suppressed)))
);

ALTER TABLE clientele.imports ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME clientele.imports_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE clientele.masking (
    only_row boolean DEFAULT true NOT NULL,
    kept_by text NOT NULL,
    prepared_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT masking_only_row_check CHECK (only_row)
);

CREATE TABLE clientele.migrations (
    number integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    oldest_program integer NOT NULL
);

CREATE TABLE clientele.orders (
    name text NOT NULL,
    added_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT orders_name_check CHECK ((name = ANY (ARRAY['lifetime_value_cents'::text, 'total_orders'::text, 'last_order_at'::text])))
);

CREATE TABLE clientele.people (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    issuer text NOT NULL,
    subject text NOT NULL,
    name text NOT NULL,
    account text,
    roles text[] NOT NULL,
    first_sign_in_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_sign_in_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    disabled_at timestamp(3) with time zone,
    CONSTRAINT people_account_check CHECK ((length(account) <= 320)),
    CONSTRAINT people_issuer_check CHECK ((length(issuer) <= 1000)),
    CONSTRAINT people_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT people_roles_check CHECK (((cardinality(roles) >= 1) AND (cardinality(roles) <= 100))),
    CONSTRAINT people_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 255)))
);

CREATE TABLE clientele.records_shown (
    caller text NOT NULL,
    day date NOT NULL,
    records bigint NOT NULL,
    CONSTRAINT records_shown_caller_check CHECK (((length(caller) >= 1) AND (length(caller) <= 200))),
    CONSTRAINT records_shown_records_check CHECK ((records >= 0))
);

CREATE TABLE clientele.search_refresh (
    only_row boolean DEFAULT true NOT NULL,
    upto uuid,
    compared bigint DEFAULT 0 NOT NULL,
    CONSTRAINT search_refresh_only_row_check CHECK (only_row)
);

CREATE TABLE clientele.session_secret (
    only_row boolean DEFAULT true NOT NULL,
    secret bytea DEFAULT sha256((uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))) NOT NULL,
    CONSTRAINT session_secret_only_row_check CHECK (only_row),
    CONSTRAINT session_secret_secret_check CHECK ((length(secret) = 32))
);

CREATE TABLE clientele.sessions (
    id uuid NOT NULL,
    token_hash bytea NOT NULL,
    key_id text,
    person uuid,
    roles text[],
    provider_session text,
    sign_out_hint text,
    forget_at timestamp(3) with time zone DEFAULT (now() + '13:00:00'::interval) NOT NULL,
    CONSTRAINT sessions_check CHECK ((num_nonnulls(key_id, person) = 1)),
    CONSTRAINT sessions_provider_session_check CHECK ((length(provider_session) <= 255)),
    CONSTRAINT sessions_roles_check CHECK ((cardinality(roles) <= 100)),
    CONSTRAINT sessions_sign_out_hint_check CHECK ((length(sign_out_hint) <= 8000)),
    CONSTRAINT sessions_token_hash_check CHECK ((length(token_hash) = 32))
);

CREATE TABLE clientele.sorting (
    only_row boolean DEFAULT true NOT NULL,
    kept_by text NOT NULL,
    filled_to uuid,
    filled bigint DEFAULT 0 NOT NULL,
    is_complete boolean DEFAULT false NOT NULL,
    CONSTRAINT sorting_only_row_check CHECK (only_row)
);

CREATE TABLE clientele.stored_bounds (
    only_row boolean DEFAULT true NOT NULL,
    id uuid NOT NULL,
    places bytea NOT NULL,
    stored_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT stored_bounds_only_row_check CHECK (only_row),
    CONSTRAINT stored_bounds_places_check CHECK ((octet_length(places) <= (8 * 131072)))
);

CREATE TABLE clientele.stored_maps (
    search text NOT NULL,
    bounds uuid NOT NULL,
    counts bytea NOT NULL,
    identity text NOT NULL,
    since xid8 NOT NULL,
    seen xid8[] NOT NULL,
    witness xid8 NOT NULL,
    nonce uuid NOT NULL,
    entries bigint NOT NULL,
    stored_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT stored_maps_counts_check CHECK ((octet_length(counts) <= (5 * 131073))),
    CONSTRAINT stored_maps_search_check CHECK ((length(search) <= 8)),
    CONSTRAINT stored_maps_seen_check CHECK ((cardinality(seen) <= 1001))
);

CREATE TABLE clientele.suppressions (
    hash bytea NOT NULL,
    erasure uuid NOT NULL,
    kind text NOT NULL,
    lifted_at timestamp(3) with time zone,
    lifted_by text,
    lift_reason text,
    number bigint NOT NULL,
    CONSTRAINT suppressions_kind_check CHECK ((kind = ANY (ARRAY['uuid'::text, 'email'::text, 'phone'::text])))
);

ALTER TABLE clientele.suppressions ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME clientele.suppressions_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE clientele.unchecked_customers (
    id bigint NOT NULL,
    uuid uuid NOT NULL,
    queued_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    old_email_address text,
    old_phone_number text
);
ALTER TABLE ONLY clientele.unchecked_customers ALTER COLUMN old_email_address SET STATISTICS 0;
ALTER TABLE ONLY clientele.unchecked_customers ALTER COLUMN old_phone_number SET STATISTICS 0;

ALTER TABLE clientele.unchecked_customers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME clientele.unchecked_customers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY clientele.access_keys
    ADD CONSTRAINT access_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY clientele.audit_chains
    ADD CONSTRAINT audit_chains_pkey PRIMARY KEY (chain);

ALTER TABLE ONLY clientele.audit_closings
    ADD CONSTRAINT audit_closings_pkey PRIMARY KEY (chain, number);

ALTER TABLE ONLY clientele.audit_commits
    ADD CONSTRAINT audit_commits_pkey PRIMARY KEY (xid);

ALTER TABLE ONLY clientele.audit_retention
    ADD CONSTRAINT audit_retention_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY clientele.change_marks
    ADD CONSTRAINT change_marks_pkey PRIMARY KEY (at);

ALTER TABLE ONLY clientele.changes_horizon
    ADD CONSTRAINT changes_horizon_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY clientele.deferred_indexes
    ADD CONSTRAINT deferred_indexes_pkey PRIMARY KEY (name);

ALTER TABLE ONLY clientele.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (id);

ALTER TABLE ONLY clientele.gone_customers
    ADD CONSTRAINT gone_customers_pkey PRIMARY KEY (uuid);

ALTER TABLE ONLY clientele.id_namespace
    ADD CONSTRAINT id_namespace_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY clientele.imports
    ADD CONSTRAINT imports_pkey PRIMARY KEY (id);

ALTER TABLE ONLY clientele.masking
    ADD CONSTRAINT masking_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY clientele.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (number);

ALTER TABLE ONLY clientele.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (name);

ALTER TABLE ONLY clientele.people
    ADD CONSTRAINT people_issuer_subject_key UNIQUE (issuer, subject);

ALTER TABLE ONLY clientele.people
    ADD CONSTRAINT people_pkey PRIMARY KEY (id);

ALTER TABLE ONLY clientele.records_shown
    ADD CONSTRAINT records_shown_pkey PRIMARY KEY (caller);

ALTER TABLE ONLY clientele.search_refresh
    ADD CONSTRAINT search_refresh_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY clientele.session_secret
    ADD CONSTRAINT session_secret_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY clientele.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY clientele.sorted_customers
    ADD CONSTRAINT sorted_customers_pkey PRIMARY KEY (uuid);

ALTER TABLE ONLY clientele.sorting
    ADD CONSTRAINT sorting_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY clientele.stored_bounds
    ADD CONSTRAINT stored_bounds_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY clientele.stored_maps
    ADD CONSTRAINT stored_maps_pkey PRIMARY KEY (search);

ALTER TABLE ONLY clientele.suppressions
    ADD CONSTRAINT suppressions_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY clientele.unchecked_customers
    ADD CONSTRAINT unchecked_customers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (uuid);

CREATE UNIQUE INDEX audit_batches_chain ON ONLY clientele.audit_batches USING btree (chain, number, stored_at);

CREATE INDEX audit_batches_stored_at ON ONLY clientele.audit_batches USING btree (stored_at);

CREATE INDEX audit_checkpoints_stored_at ON clientele.audit_checkpoints USING btree (stored_at);

CREATE INDEX changes_by_xid ON clientele.changes USING btree (xid);

CREATE INDEX erasures_by_cleared_at ON clientele.erasures USING btree (cleared_at);

CREATE INDEX erasures_of_customer ON clientele.erasures USING btree (uuid);

CREATE INDEX erasures_pending ON clientele.erasures USING btree (erased_at) WHERE (cleared_at IS NULL);

CREATE INDEX imports_unfinished ON clientele.imports USING btree (fingerprint) WHERE (finished_at IS NULL);

CREATE INDEX sessions_forget_at ON clientele.sessions USING btree (forget_at);

CREATE INDEX sessions_key_id ON clientele.sessions USING btree (key_id);

CREATE INDEX sessions_person ON clientele.sessions USING btree (person);

CREATE UNIQUE INDEX suppressions_by_number ON clientele.suppressions USING btree (number);

CREATE INDEX suppressions_of_erasure ON clientele.suppressions USING btree (erasure);

CREATE INDEX unchecked_customers_by_uuid ON clientele.unchecked_customers USING btree (uuid);

CREATE INDEX customers_by_place ON public.customers USING btree (place DESC, created_at DESC, uuid DESC);

CREATE INDEX customers_search ON public.customers USING gin (search_text public.gin_trgm_ops);

CREATE TRIGGER blank_orders BEFORE UPDATE ON clientele.changes FOR EACH ROW WHEN (((new.old_place IS NULL) AND (new.new_place IS NULL))) EXECUTE FUNCTION clientele.blank_orders();

ALTER TABLE clientele.changes ENABLE ALWAYS TRIGGER blank_orders;

CREATE TRIGGER changes_truncated AFTER TRUNCATE ON clientele.changes FOR EACH STATEMENT EXECUTE FUNCTION clientele.changes_truncated();

ALTER TABLE clientele.changes ENABLE ALWAYS TRIGGER changes_truncated;

CREATE TRIGGER record_erasure AFTER INSERT OR UPDATE ON clientele.gone_customers FOR EACH ROW WHEN ((new.gone_at = 'infinity'::timestamp with time zone)) EXECUTE FUNCTION clientele.record_erasure();

CREATE TRIGGER renew_horizon BEFORE UPDATE ON clientele.changes_horizon FOR EACH ROW EXECUTE FUNCTION clientele.renew_horizon();

ALTER TABLE clientele.changes_horizon ENABLE ALWAYS TRIGGER renew_horizon;

CREATE TRIGGER abandon_imports AFTER TRUNCATE ON public.customers FOR EACH STATEMENT EXECUTE FUNCTION clientele.abandon_imports();

ALTER TABLE public.customers ENABLE ALWAYS TRIGGER abandon_imports;

CREATE TRIGGER check_inserts AFTER INSERT ON public.customers REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION clientele.check_inserts();

CREATE TRIGGER check_replicated_inserts AFTER INSERT ON public.customers FOR EACH ROW EXECUTE FUNCTION clientele.check_change();

ALTER TABLE public.customers ENABLE REPLICA TRIGGER check_replicated_inserts;

CREATE TRIGGER check_updates AFTER UPDATE ON public.customers FOR EACH ROW WHEN (((old.email_address IS DISTINCT FROM new.email_address) OR (old.phone_number IS DISTINCT FROM new.phone_number) OR (old.uuid <> new.uuid))) EXECUTE FUNCTION clientele.check_change();

ALTER TABLE public.customers ENABLE ALWAYS TRIGGER check_updates;

CREATE TRIGGER log_deletes AFTER DELETE ON public.customers FOR EACH ROW EXECUTE FUNCTION clientele.log_change();

ALTER TABLE public.customers ENABLE ALWAYS TRIGGER log_deletes;

CREATE TRIGGER log_inserts AFTER INSERT ON public.customers REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION clientele.log_inserts();

CREATE TRIGGER log_replicated_inserts AFTER INSERT ON public.customers FOR EACH ROW EXECUTE FUNCTION clientele.log_change();

ALTER TABLE public.customers ENABLE REPLICA TRIGGER log_replicated_inserts;

CREATE TRIGGER log_truncate AFTER TRUNCATE ON public.customers FOR EACH STATEMENT EXECUTE FUNCTION clientele.log_truncate();

ALTER TABLE public.customers ENABLE ALWAYS TRIGGER log_truncate;

CREATE TRIGGER log_updates AFTER UPDATE ON public.customers FOR EACH ROW WHEN (((old.search_text IS DISTINCT FROM new.search_text) OR (old.place IS DISTINCT FROM new.place) OR (old.is_verified <> new.is_verified) OR ((old.total_orders > 0) <> (new.total_orders > 0)))) EXECUTE FUNCTION clientele.log_change();

ALTER TABLE public.customers ENABLE ALWAYS TRIGGER log_updates;

CREATE TRIGGER no_parent AFTER INSERT ON public.customers REFERENCING NEW TABLE AS added FOR EACH ROW WHEN (false) EXECUTE FUNCTION clientele.log_change();

ALTER TABLE ONLY clientele.sessions
    ADD CONSTRAINT sessions_key_id_fkey FOREIGN KEY (key_id) REFERENCES clientele.access_keys(id) ON DELETE CASCADE;

ALTER TABLE ONLY clientele.sessions
    ADD CONSTRAINT sessions_person_fkey FOREIGN KEY (person) REFERENCES clientele.people(id) ON DELETE CASCADE;

ALTER TABLE ONLY clientele.suppressions
    ADD CONSTRAINT suppressions_erasure_fkey FOREIGN KEY (erasure) REFERENCES clientele.erasures(id);

GRANT USAGE ON SCHEMA clientele TO clientele_reader;
GRANT USAGE ON SCHEMA clientele TO clientele_writer;
GRANT USAGE ON SCHEMA clientele TO PUBLIC;

GRANT USAGE ON SCHEMA public TO clientele_reader;
GRANT USAGE ON SCHEMA public TO clientele_writer;

REVOKE ALL ON FUNCTION clientele.abandon_imports() FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.add_audit_month(month date) FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.adopt_changes() FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.analyze_erased() FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.analyze_erased() TO clientele_reader;
GRANT ALL ON FUNCTION clientele.analyze_erased() TO clientele_writer;

REVOKE ALL ON FUNCTION clientele.append_audit(of_chain uuid, of_number bigint, of_previous bytea, of_entries bytea, of_customers bytea, of_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.append_audit(of_chain uuid, of_number bigint, of_previous bytea, of_entries bytea, of_customers bytea, of_hash bytea) TO clientele_reader;
GRANT ALL ON FUNCTION clientele.append_audit(of_chain uuid, of_number bigint, of_previous bytea, of_entries bytea, of_customers bytea, of_hash bytea) TO clientele_writer;

REVOKE ALL ON FUNCTION clientele.append_audit_checkpoint(of_chain uuid, of_number bigint, of_hash bytea, of_at timestamp with time zone, of_key text, of_signature bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.append_audit_checkpoint(of_chain uuid, of_number bigint, of_hash bytea, of_at timestamp with time zone, of_key text, of_signature bytea) TO clientele_reader;

REVOKE ALL ON FUNCTION clientele.audit_json(of_entries bytea, of_customers bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.available_orders() FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.available_orders() TO clientele_reader;

REVOKE ALL ON FUNCTION clientele.begin_first_import() FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.begin_first_import() TO clientele_writer;

REVOKE ALL ON FUNCTION clientele.begin_masking() FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.begin_order(name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.blank_orders() FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.changes_truncated() FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.check_change() FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.check_inserts() FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.clear_erasures(grace interval) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.clear_erasures(grace interval) TO clientele_reader;
GRANT ALL ON FUNCTION clientele.clear_erasures(grace interval) TO clientele_writer;

REVOKE ALL ON FUNCTION clientele.clear_old_text(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.clear_old_text(most integer) TO clientele_reader;
GRANT ALL ON FUNCTION clientele.clear_old_text(most integer) TO clientele_writer;

REVOKE ALL ON FUNCTION clientele.customer_writers(until xid8) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.customer_writers(until xid8) TO clientele_reader;
GRANT ALL ON FUNCTION clientele.customer_writers(until xid8) TO clientele_writer;

REVOKE ALL ON FUNCTION clientele.end_orders() FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.end_provider_sessions(issuer text, subject text, provider_session text) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.end_provider_sessions(issuer text, subject text, provider_session text) TO clientele_reader;

REVOKE ALL ON FUNCTION clientele.end_session(session_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.end_session(session_id uuid) TO clientele_reader;

REVOKE ALL ON FUNCTION clientele.erase_customer(customer uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.erase_customer(customer uuid) TO clientele_writer;

REVOKE ALL ON FUNCTION clientele.erase_customers(people jsonb, alone boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.erase_customers(people jsonb, alone boolean) TO clientele_writer;

REVOKE ALL ON FUNCTION clientele.finish_first_import() FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.finish_first_import() TO clientele_writer;

REVOKE ALL ON FUNCTION clientele.finish_masking(kept_by text) FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.grant_masking() FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.is_masking_ready() FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.is_masking_ready() TO clientele_reader;

REVOKE ALL ON FUNCTION clientele.keep_audit() FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.keep_audit() TO clientele_reader;

REVOKE ALL ON FUNCTION clientele.lift_suppressions(hashes bytea[], customers uuid[], reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.lift_suppressions(hashes bytea[], customers uuid[], reason text) TO clientele_writer;

REVOKE ALL ON FUNCTION clientele.listed_changes(n bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.lock_deletes(exclusive boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.lock_deletes(exclusive boolean) TO clientele_writer;

REVOKE ALL ON FUNCTION clientele.log_change() FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.log_inserts() FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.log_name_texts() FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.log_orders(sorted boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.log_truncate() FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.masking_triggers() FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.masking_triggers() TO clientele_reader;

REVOKE ALL ON FUNCTION clientele.note_key_use(ids text[], seconds_ago double precision[]) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.note_key_use(ids text[], seconds_ago double precision[]) TO clientele_reader;

REVOKE ALL ON FUNCTION clientele.only_audited_since(since_xmax xid8, since_xip xid8[]) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.only_audited_since(since_xmax xid8, since_xip xid8[]) TO clientele_reader;

REVOKE ALL ON FUNCTION clientele.publish_changes() FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.publish_changes() TO clientele_reader;

REVOKE ALL ON FUNCTION clientele.record_erasure() FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.refuse_erased(customer uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.remove_erased() FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.renew_horizon() FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.set_name_text() FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.settle_unchecked(ids bigint[], suppressed uuid[], versions text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.settle_unchecked(ids bigint[], suppressed uuid[], versions text[]) TO clientele_reader;

REVOKE ALL ON FUNCTION clientele.sort_triggers() FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.sort_triggers() TO clientele_reader;

REVOKE ALL ON FUNCTION clientele.start_key_session(session_id uuid, token_hash bytea, key_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.start_key_session(session_id uuid, token_hash bytea, key_id text) TO clientele_reader;

REVOKE ALL ON FUNCTION clientele.start_person_session(session_id uuid, token_hash bytea, issuer text, subject text, name text, account text, roles text[], provider_session text, sign_out_hint text) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.start_person_session(session_id uuid, token_hash bytea, issuer text, subject text, name text, account text, roles text[], provider_session text, sign_out_hint text) TO clientele_reader;

REVOKE ALL ON FUNCTION clientele.store_bounds(bounds uuid, cuts bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.store_bounds(bounds uuid, cuts bytea) TO clientele_reader;

REVOKE ALL ON FUNCTION clientele.store_map(search text, bounds uuid, counts bytea, identity text, since xid8, seen xid8[], witness xid8, nonce uuid, entries bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.store_map(search text, bounds uuid, counts bytea, identity text, since xid8, seen xid8[], witness xid8, nonce uuid, entries bigint) TO clientele_reader;

REVOKE ALL ON FUNCTION clientele.suppress(erasures uuid[], kinds text[], hashes bytea[]) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.suppress(erasures uuid[], kinds text[], hashes bytea[]) TO clientele_writer;

REVOKE ALL ON FUNCTION clientele.take_records(callers text[], amounts bigint[], limits bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.take_records(callers text[], amounts bigint[], limits bigint[]) TO clientele_reader;

REVOKE ALL ON FUNCTION clientele.trace_key(place double precision) FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.trace_key(id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.trim_changes(keep bigint, most bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION clientele.unchecked_audit_chains() FROM PUBLIC;
GRANT ALL ON FUNCTION clientele.unchecked_audit_chains() TO clientele_reader;

GRANT SELECT ON TABLE clientele.access_keys TO clientele_reader;

GRANT SELECT ON TABLE clientele.change_marks TO clientele_reader;

GRANT SELECT ON TABLE clientele.changes TO clientele_reader;

GRANT SELECT ON TABLE clientele.changes_horizon TO clientele_reader;

GRANT SELECT ON TABLE clientele.sorted_customers TO clientele_reader;

GRANT SELECT ON TABLE public.customers TO clientele_reader;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.customers TO clientele_writer;

GRANT SELECT ON TABLE clientele.deferred_indexes TO clientele_writer;

GRANT SELECT ON TABLE clientele.erasures TO clientele_reader;
GRANT SELECT ON TABLE clientele.erasures TO clientele_writer;

GRANT SELECT,INSERT,UPDATE ON TABLE clientele.gone_customers TO clientele_writer;

GRANT SELECT ON TABLE clientele.id_namespace TO clientele_writer;

GRANT SELECT,INSERT,UPDATE ON TABLE clientele.imports TO clientele_writer;

GRANT SELECT(id) ON TABLE clientele.imports TO clientele_reader;

GRANT SELECT(saved_at) ON TABLE clientele.imports TO clientele_reader;

GRANT SELECT ON TABLE clientele.masking TO clientele_reader;

GRANT SELECT ON TABLE clientele.migrations TO clientele_reader;
GRANT SELECT ON TABLE clientele.migrations TO clientele_writer;

GRANT SELECT ON TABLE clientele.orders TO clientele_reader;

GRANT SELECT ON TABLE clientele.people TO clientele_reader;

GRANT SELECT ON TABLE clientele.records_shown TO clientele_reader;

GRANT SELECT ON TABLE clientele.search_refresh TO clientele_reader;

GRANT SELECT ON TABLE clientele.session_secret TO clientele_reader;

GRANT SELECT ON TABLE clientele.sessions TO clientele_reader;

GRANT SELECT ON TABLE clientele.sorting TO clientele_reader;

GRANT SELECT ON TABLE clientele.stored_bounds TO clientele_reader;

GRANT SELECT ON TABLE clientele.stored_maps TO clientele_reader;

GRANT SELECT ON TABLE clientele.suppressions TO clientele_reader;
GRANT SELECT ON TABLE clientele.suppressions TO clientele_writer;

GRANT SELECT ON TABLE clientele.unchecked_customers TO clientele_reader;
