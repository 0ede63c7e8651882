-- With every page, a standby reads what the log has listed since the last published snapshot:
-- docs/decisions/change-log.md. Trimming publishes one after about a thousand changes, or several thousand by chance.
-- Instances that read from standbys ask for one every second.
-- oldest program: 000013

create function clientele.publish_changes() returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  published pg_snapshot;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    return;
  end if;
  select h.published into published from clientele.changes_horizon as h;
  if not exists (select from clientele.changes as c where c.xid >= pg_snapshot_xmax(published))
    and not exists (
      select from clientele.changes as c where c.xid = any (array(select pg_snapshot_xip(published)))
    )
  then
    return;
  end if;
  -- Whoever trims publishes as well. Nobody waits for this, and this waits for nobody.
  if not pg_try_advisory_xact_lock(hashtextextended('clientele.trim_changes', 0)) then
    return;
  end if;
  perform from clientele.changes_horizon for update skip locked;
  if found then
    -- The snapshot of this statement, which began after the row was locked.
    update clientele.changes_horizon set published = pg_current_snapshot();
  end if;
end
$$;

revoke execute on function clientele.publish_changes from public;
grant execute on function clientele.publish_changes to clientele_reader;
