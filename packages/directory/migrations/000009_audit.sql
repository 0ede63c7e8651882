-- Who saw which customers: docs/decisions/read-audit.md. The reader may append to these tables through the functions
-- below, and read nothing back.

-- One row for the answers that were recorded together. Each process has a chain of its own, and its rows are
-- numbered from 1 without gaps.
create table clientele.audit_batches (
  chain uuid not null,
  number bigint not null check (number > 0),
  -- By the clock of the database, so that a batch is always of the current month.
  stored_at timestamptz(3) not null,
  -- A JSON array with an object for each answer; the view below has its fields.
  entries bytea not null,
  -- The identifiers of the customers that were shown, 16 bytes each, in the order of the entries.
  customers bytea not null check (octet_length(customers) % 16 = 0),
  -- SHA-256 of the previous row's hash and of this row.
  hash bytea not null check (octet_length(hash) = 32)
) partition by range (stored_at);
-- Not a primary key: pg_restore --clean cannot drop those of partitions.
create unique index audit_batches_chain on clientele.audit_batches (chain, number, stored_at);
create index audit_batches_stored_at on clientele.audit_batches (stored_at);
-- Identifiers do not compress, so trying to costs time in vain.
alter table clientele.audit_batches alter column entries set storage external;
alter table clientele.audit_batches alter column customers set storage external;

-- The end of each chain. A row is updated with every batch.
create table clientele.audit_chains (
  chain uuid primary key,
  number bigint not null,
  hash bytea not null,
  changed_at timestamptz(3) not null default now(),
  -- The latest batch that a checkpoint vouches for.
  checked_number bigint not null default 0
) with (fillfactor = 50);

-- The latest transactions that did nothing but append a batch; see only_audited_since below.
create table clientele.audit_commits (xid xid8 primary key);

-- Signed statements that a chain had a batch with this hash. They are in the log as well.
create table clientele.audit_checkpoints (
  chain uuid not null,
  number bigint not null,
  hash bytea not null,
  at timestamptz(3) not null,
  -- The beginning of the SHA-256 of the public key, and the signature; null if there was no key.
  key text,
  signature bytea,
  stored_at timestamptz(3) not null default now()
);
create index audit_checkpoints_stored_at on clientele.audit_checkpoints (stored_at);

-- The last batch of each chain in a month that was dropped: the next batch is verified against its hash.
create table clientele.audit_closings (
  month date not null,
  chain uuid not null,
  number bigint not null,
  hash bytea not null,
  dropped_at timestamptz(3) not null default now(),
  primary key (chain, number)
);

-- One row: how many whole months are kept besides the current one.
create table clientele.audit_retention (
  only_row boolean primary key default true check (only_row),
  months int not null default 24 check (months between 1 and 1200)
);
insert into clientele.audit_retention default values;

-- The entries of a batch; null if they cannot be read, or do not fit its customers.
create function clientele.audit_json(of_entries bytea, of_customers bytea) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
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

-- A batch that cannot be read is one entry that says so; `clientele audit verify` names it.
create view clientele.audit_entries as
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
  e.entry -> 'filters' as filters,
  -- Null for the newest first.
  e.entry ->> 'sort' as sort,
  -- The id of the key or person that a command did something to; null for customers.
  e.entry ->> 'target' as target
from clientele.audit_batches as b, lateral (
  select a.entry, a.ordinality,
    (sum((a.entry ->> 'shown')::int) over (order by a.ordinality) - (a.entry ->> 'shown')::int)::int as before
  from jsonb_array_elements(coalesce(
    clientele.audit_json(b.entries, b.customers),
    jsonb_build_array(jsonb_build_object('at', b.stored_at, 'kind', 'none', 'caller', '', 'name', '', 'address', '',
      'action', 'unreadable', 'request', '', 'page', 0, 'per_page', 0, 'shown', 0))
  )) with ordinality as a(entry, ordinality)
) as e;

-- Creates the table of a month. Attaching, unlike `partition of`, does not wait for those who append.
create function clientele.add_audit_month(month date) returns void
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
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

-- Appends a batch unless it is there already. Returns the number of the chain's last batch: a smaller one than that of
-- the batch if others are missing in between, and then nothing is appended. A server's login records what keys and people
-- read; another login only what it does itself, in a batch that can be read. A server's batches are not checked here,
-- which would take a third of the time: `clientele audit verify` names those that cannot be read, or have a wrong hash.
create function clientele.append_audit(of_chain uuid, of_number bigint, of_previous bytea, of_entries bytea,
  of_customers bytea, of_hash bytea) returns bigint
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
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

-- Whether nothing but audited reads was committed since a snapshot, given by its xmax and xip: then every customer
-- is as it was. Each transaction that has become visible since must be that of a batch. A row that was restored
-- has the id of a transaction of another server, and an xmin that differs from it.
create function clientele.only_audited_since(since_xmax xid8, since_xip xid8[]) returns boolean
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
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

-- The ends of chains that no checkpoint vouches for, and that nobody has appended to for two minutes.
create function clientele.unchecked_audit_chains() returns table (chain uuid, number text, hash bytea)
  language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select c.chain, c.number::text, c.hash from clientele.audit_chains as c
  where c.number > c.checked_number and c.changed_at < now() - interval '2 minutes'
  limit 100;
$$;

create function clientele.append_audit_checkpoint(of_chain uuid, of_number bigint, of_hash bytea, of_at timestamptz,
  of_key text, of_signature bytea) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update clientele.audit_chains as c set checked_number = of_number
  where c.chain = of_chain and c.checked_number < of_number and c.number >= of_number;
  if found then
    insert into clientele.audit_checkpoints (chain, number, hash, at, key, signature)
    values (of_chain, of_number, of_hash, of_at, of_key, of_signature);
  end if;
end
$$;

-- Creates the tables of the coming months, and drops the oldest month that the owner no longer wants to keep. Whoever
-- calls it decides nothing. Returns the month, or null if there was none: one at a time, because batches cannot be
-- appended from the detaching to the end.
create function clientele.keep_audit() returns date
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms'
as $$
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
$$;

select clientele.keep_audit();

revoke execute on function clientele.add_audit_month, clientele.append_audit, clientele.unchecked_audit_chains,
  clientele.append_audit_checkpoint, clientele.keep_audit, clientele.only_audited_since, clientele.audit_json from public;
grant execute on function clientele.append_audit, clientele.unchecked_audit_chains, clientele.append_audit_checkpoint,
  clientele.keep_audit, clientele.only_audited_since to clientele_reader;
-- `clientele export` records what it exports.
grant execute on function clientele.append_audit to clientele_writer;
