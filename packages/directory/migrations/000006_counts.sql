-- What is read by counts, and the counts that instances share.

-- Locking this view locks all three tables. With rights on some columns only, a role cannot lock the tables.
create view clientele.counted_tables as
  select true as locked
  from only public.customers as c, clientele.changes as e, clientele.sorted_customers as s where false;

-- Page maps of common searches, so that a new instance does not have to count them: docs/decisions/maps-that-travel.md.
-- They hold counts only, of no search that fewer than one customer in fifty matches.

-- One row: the places that cut the list into blocks, as the bytes of float8, ascending.
create table clientele.stored_bounds (
  only_row boolean primary key default true check (only_row),
  id uuid not null,
  places bytea not null check (octet_length(places) <= 8 * 131072),
  stored_at timestamptz(3) not null default now()
);

create table clientele.stored_maps (
  -- The beginning of a word; empty for all customers.
  search text primary key check (length(search) <= 8),
  bounds uuid not null,
  -- The matches in each block, as numbers of seven bits per byte.
  counts bytea not null check (octet_length(counts) <= 5 * 131073),
  -- The table that was counted, and what the counts include of the log.
  identity text not null,
  since xid8 not null,
  seen xid8[] not null check (cardinality(seen) <= 1001),
  witness xid8 not null,
  nonce uuid not null,
  -- About how many entries the log had ever had.
  entries bigint not null,
  stored_at timestamptz(3) not null default now()
);

grant select on clientele.stored_bounds, clientele.stored_maps to clientele_reader;

-- What the reader may write of them, bounded in size and rate: other bounds once in ten minutes, and at most 70 maps,
-- each once in a minute.

create function clientele.store_bounds(bounds uuid, cuts bytea) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
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

create function clientele.store_map(search text, bounds uuid, counts bytea, identity text, since xid8,
  seen xid8[], witness xid8, nonce uuid, entries bigint) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
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

revoke execute on function clientele.store_bounds, clientele.store_map from public;
grant execute on function clientele.store_bounds, clientele.store_map to clientele_reader;
