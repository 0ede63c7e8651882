-- Lets a page map that was counted on one node, or before a restart, be used on another:
-- docs/decisions/maps-that-travel.md.

alter table clientele.changes
  -- Whoever sees it shares the history up to the commit of this entry.
  add column nonce uuid not null default gen_random_uuid(),
  -- Every transaction before this one had ended when the entry was written.
  add column oldest xid8 not null default pg_snapshot_xmin(pg_current_snapshot());

-- The same for a log without entries.
alter table clientele.changes_horizon
  add column nonce uuid not null default gen_random_uuid(),
  add column oldest xid8 not null default pg_snapshot_xmin(pg_current_snapshot());

create function clientele.renew_horizon() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  new.nonce := gen_random_uuid();
  new.oldest := pg_snapshot_xmin(pg_current_snapshot());
  return new;
end
$$;
create trigger renew_horizon before update on clientele.changes_horizon
  for each row execute function clientele.renew_horizon();
alter table clientele.changes_horizon enable always trigger renew_horizon;
