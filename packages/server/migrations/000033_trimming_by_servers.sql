-- The change log stays short also if all writers have another isolation level than read committed, at which they cannot
-- trim it: docs/decisions/operators-settings.md. Running servers, which call this every five minutes, do.
-- oldest program: 000013

-- Blanks at most `most` entries that may be too old, and returns whether there may be more. An entry may be as old as
-- the mark before it, so it is blanked half an hour before that mark is 24 hours old. Waits for nobody: entries that
-- an open transaction has trimmed are left to the next time, in case it is rolled back. Then trims the log.
create or replace function clientele.clear_old_text(most int default 10000) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
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
