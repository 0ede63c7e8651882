-- The change log keeps text for 24 hours at most: docs/decisions/change-log.md.
-- oldest program: 000013

-- Entries of the transaction `xid` and of later ones were written after `at`.
create table clientele.change_marks (
  at timestamptz(3) primary key default now(),
  xid xid8 not null default pg_current_xact_id()
);
insert into clientele.change_marks default values;
grant select on clientele.change_marks to clientele_reader;

-- Instances look every second whether there are new erasures.
create index erasures_by_cleared_at on clientele.erasures (cleared_at);

-- Blanks at most `most` entries that may be too old, and returns whether there may be more. An entry may be as old as
-- the mark before it, so it is blanked half an hour before that mark is 24 hours old. Waits for nobody: entries that
-- an open transaction has trimmed are left to the next time, in case it is rolled back.
create function clientele.clear_old_text(most int default 10000) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  kept xid8;
  blanked bigint;
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
  return blanked = most;
end
$$;

revoke execute on function clientele.clear_old_text from public;
grant execute on function clientele.clear_old_text to clientele_reader, clientele_writer;

-- The marks of another cluster mean nothing either.
create or replace function clientele.adopt_changes() returns void
  language plpgsql
as $$
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
