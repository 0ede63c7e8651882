-- What `clientele import` and `clientele sync` keep: docs/decisions/import.md.

-- When the source last changed this customer, if it said so. Never on the wire; it only keeps an older
-- record from overwriting a newer one.
alter table public.customers add column updated_at timestamptz(3);

comment on table public.customers is
  'Customers as GET /v3/customers shows them. search_text and place are derived; write the others.';

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
  constraint adds_up
    check (read = inserted + updated + unchanged + deleted + rejected + superseded)
);
create index imports_unfinished on clientele.imports (fingerprint) where finished_at is null;

grant select, insert, update on clientele.imports, clientele.gone_customers to clientele_writer;

-- Removes a person for good: no file and no feed brings this identifier back.
create function clientele.erase_customer(customer uuid) returns boolean
  language sql
as $$
  insert into clientele.gone_customers (uuid, gone_at) values (customer, 'infinity')
  on conflict (uuid) do update set gone_at = 'infinity';
  with erased as (delete from public.customers as c where c.uuid = customer returning c.uuid)
  select exists (select from erased);
$$;

-- Batches are staged in temporary tables.
do $$
begin
  execute format('grant temporary on database %I to clientele_writer', current_database());
exception when insufficient_privilege then
  raise notice 'could not grant temporary tables to clientele_writer: ask the database''s owner';
end
$$;

-- The log was trimmed once in a thousand statements, which is seldom when each brings thousands.
create or replace function clientele.log_inserts() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  n constant bigint := (select count(*) from added);
begin
  if clientele.lists_changes(n) then
    insert into clientele.changes (sign, place, search_text)
    select 1, a.place, a.search_text from added as a;
  end if;
  if random() * 1000 < least(n, 100) then
    perform clientele.trim_changes(500000);
  end if;
  return null;
end
$$;

create or replace function clientele.log_deletes() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  n constant bigint := (select count(*) from removed);
begin
  if clientele.lists_changes(n) then
    insert into clientele.changes (sign, place, search_text)
    select -1, r.place, r.search_text from removed as r;
  end if;
  if random() * 1000 < least(n, 100) then
    perform clientele.trim_changes(500000);
  end if;
  return null;
end
$$;
