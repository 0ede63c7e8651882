-- To keep nothing is not to trim nothing: trim_changes(0) empties the log, which erasing somebody needs.
create or replace function clientele.trim_changes(keep bigint) returns void
  language plpgsql
as $$
declare
  until xid8;
begin
  if current_setting('transaction_isolation') <> 'read committed'
    or not pg_try_advisory_xact_lock(hashtextextended('clientele.trim_changes', 0))
  then
    return;
  end if;
  select least(c.xid, pg_snapshot_xmin(pg_current_snapshot())) into until
  from clientele.changes as c
  where c.id > (select max(m.id) - keep from clientele.changes as m)
  order by c.id
  limit 1;
  until := coalesce(until, pg_snapshot_xmin(pg_current_snapshot()));
  if exists (select from clientele.changes as c where c.xid < until) then
    delete from clientele.changes as c where c.xid < until;
    update clientele.changes_horizon set xid = greatest(xid, until);
  end if;
end
$$;

-- Places differ from each other, and the planner knows it. But what is grouped by is the block a place lies
-- in, which the planner takes for as many groups as places, and then has one process do all the grouping.
-- Told a number like that of blocks, it lets each process group what it reads. Counts from the next
-- analyze on; nothing else is planned by it.
alter table public.customers alter column place set (n_distinct = 8192);
