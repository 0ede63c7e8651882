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
      (clientele.search_text(full_name, email_address, company_name, phone_number)) stored
);

comment on table public.customers is
  'Customers as GET /v3/customers shows them. search_text is derived; write the other columns.';

-- The list's order: newest first, the identifier breaks ties.
create index customers_newest_first on public.customers (created_at desc, uuid desc);
create index customers_search on public.customers using gin (search_text gin_trgm_ops);
