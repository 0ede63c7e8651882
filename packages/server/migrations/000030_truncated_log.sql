-- A total could be wrong after the log was truncated by hand within an older snapshot: the truncating transaction was
-- listed as running although its id was past the horizon, so a later trim could delete its entry, which says "count
-- again", while counts from before the truncation were still in use.
-- oldest program: 000013

-- As before, except that only transactions before the horizon are listed. Entries from the horizon on stay anyway.
create or replace function clientele.changes_truncated() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
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

-- If the log was truncated before this migration and has not been trimmed since.
update clientele.changes_horizon as h
set running = array(select x from unnest(h.running) as x where x < h.xid)
where exists (select from unnest(h.running) as x where x >= h.xid);
