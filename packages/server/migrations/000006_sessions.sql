-- Sessions of the console; see docs/decisions/console-sessions.md. A session lives in its cookie, sealed
-- with the one secret below; what the database keeps is which ones were signed out before their time.

-- One row: every instance opens what another one sealed. To end all sessions at once:
--   update clientele.session_secret set secret = default;
create table clientele.session_secret (
  only_row boolean primary key default true check (only_row),
  -- Two random UUIDs hold 244 random bits; hashing spreads them over all 256.
  secret bytea not null
    default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
    check (length(secret) = 32)
);
insert into clientele.session_secret default values;

create table clientele.ended_sessions (
  id uuid primary key,
  -- When the session would have ended by itself, and the row has served its time.
  forget_at timestamptz(3) not null
);
create index ended_sessions_forget_at on clientele.ended_sessions (forget_at);

grant select on clientele.session_secret, clientele.ended_sessions to clientele_reader;

-- The one thing that the reader may write: that a session is over.
create function clientele.end_session(session_id uuid) returns void
  language sql security definer
  set search_path = pg_catalog
as $$
  delete from clientele.ended_sessions as e where e.forget_at < now();
  insert into clientele.ended_sessions (id, forget_at)
  values (session_id, now() + interval '13 hours') -- the longest session, and an hour for clocks
  on conflict do nothing;
$$;
revoke execute on function clientele.end_session(uuid) from public;
grant execute on function clientele.end_session(uuid) to clientele_reader;
