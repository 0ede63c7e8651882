-- The customers, and what the database derives for each of them.

-- A customer's place in the list as one number that never falls along the list's order: milliseconds since 2000, then
-- twelve bits of the identifier. Equal places are told apart by created_at and uuid themselves. It is what makes any page
-- of any search exact and quick: docs/decisions/page-maps.md.
create function clientele.place(created timestamptz, id uuid) returns float8
  language sql immutable parallel safe
return case when isfinite(created) then
  round(date_part('epoch', created - timestamptz '2000-01-01 00:00:00+00') * 1000)
    + (get_byte(uuid_send(id), 0) * 16 + get_byte(uuid_send(id), 1) / 16) / 4096::float8
-- No such customer is let in, but it is for the constraint to say so.
else 0 end;

-- Columns are named as the wire fields, because operators write here by SQL too. Whatever a row needs
-- beyond them, the database derives. The checks refuse every row that the API could not show.
create table public.customers (
  uuid uuid primary key default gen_random_uuid(),
  full_name text not null
    constraint full_name_not_blank
      check (full_name collate "und-x-icu" ~ '[^[:space:][:cntrl:]]')
    constraint full_name_length check (length(full_name) <= 300),
  email_address text not null
    constraint email_address_not_blank
      check (email_address collate "und-x-icu" ~ '[^[:space:][:cntrl:]]')
    constraint email_address_length check (length(email_address) <= 320),
  phone_number text
    constraint phone_number_length check (length(phone_number) <= 64),
  company_name text
    constraint company_name_length check (length(company_name) <= 300),
  is_verified boolean not null default false,
  total_orders bigint not null default 0
    constraint total_orders_range check (total_orders between 0 and 9007199254740991),
  lifetime_value_cents bigint not null default 0
    constraint lifetime_value_cents_range
      check (lifetime_value_cents between -9007199254740991 and 9007199254740991),
  last_order_at timestamptz(3)
    constraint last_order_at_range
      check (last_order_at >= '0001-01-01T00:00Z' and last_order_at < '10000-01-01T00:00Z'),
  created_at timestamptz(3) not null default now()
    constraint created_at_range
      check (created_at >= '0001-01-01T00:00Z' and created_at < '10000-01-01T00:00Z'),
  search_text text collate "C" not null
    generated always as
      (clientele.search_text(full_name, email_address, company_name, phone_number)) stored,
  place float8 not null generated always as (clientele.place(created_at, uuid)) stored,
  -- When the source last changed this customer, if it said so. Never on the wire; it only keeps an older record from
  -- overwriting a newer one.
  updated_at timestamptz(3),
  -- What masked callers find a customer by: search_text() of name and company alone. Null until masking is prepared.
  name_text text collate "C"
);

comment on table public.customers is
  'Customers as GET /v3/customers shows them. search_text, name_text and place are derived; write the others.';

-- The list's order: newest first, the identifier breaks ties.
create index customers_by_place on public.customers (place desc, created_at desc, uuid desc);
create index customers_search on public.customers using gin (search_text gin_trgm_ops);

-- The planner's guess of how many customers a search matches decides how it is counted, so the sample behind that guess
-- is larger than usual.
alter table public.customers
  alter column search_text set statistics 1000,
  alter column name_text set statistics 1000;

-- Places differ from each other, and the planner knows it. But what is grouped by is the block a place lies in, which the
-- planner takes for as many groups as places, and then has one process do all the grouping. Told a number like that of
-- blocks, it lets each process group what it reads. Counts from the next analyze on; nothing else is planned by it.
alter table public.customers alter column place set (n_distinct = 8192);

grant select on public.customers to clientele_reader;
grant select, insert, update, delete on public.customers to clientele_writer;

-- One row while `clientele search refresh` has customers left whose text was computed by an earlier rule.
create table clientele.search_refresh (
  only_row boolean primary key default true check (only_row),
  -- Customers up to this identifier have been compared. Null: none has.
  upto uuid,
  compared bigint not null default 0
);

grant select on clientele.search_refresh to clientele_reader;
