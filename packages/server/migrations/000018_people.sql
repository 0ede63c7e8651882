-- People who sign in with OpenID Connect, and sessions that hold no access key:
-- docs/decisions/console-sessions.md.
-- oldest program: 000013

-- Everybody who has signed in. What the provider says of them is updated at each sign-in.
create table clientele.people (
  id uuid primary key default gen_random_uuid(),
  issuer text not null check (length(issuer) <= 1000),
  subject text not null check (length(subject) between 1 and 255),
  name text not null check (length(name) between 1 and 200),
  -- The e-mail address or user name, to tell apart people of the same name.
  account text check (length(account) <= 320),
  roles text[] not null check (cardinality(roles) between 1 and 100),
  first_sign_in_at timestamptz(3) not null default now(),
  last_sign_in_at timestamptz(3) not null default now(),
  disabled_at timestamptz(3),
  unique (issuer, subject)
);

-- Who a session belongs to. Its cookie holds a token of which only the hash is here, so that nobody can make
-- a cookie from a backup. The row is deleted when the session is signed out, or would have ended by itself.
create table clientele.sessions (
  id uuid primary key,
  token_hash bytea not null check (length(token_hash) = 32),
  key_id text references clientele.access_keys on delete cascade,
  person uuid references clientele.people on delete cascade,
  -- Those that the person had at sign-in.
  roles text[] check (cardinality(roles) <= 100),
  -- The provider's own name of its session (`sid`), by which it can be signed out there.
  provider_session text check (length(provider_session) <= 255),
  -- What the provider wants to see at sign-out, encrypted with the token, which only the cookie has.
  sign_out_hint text check (length(sign_out_hint) <= 8000),
  -- The longest session, and an hour for clocks.
  forget_at timestamptz(3) not null default now() + interval '13 hours',
  check (num_nonnulls(key_id, person) = 1)
);
create index sessions_forget_at on clientele.sessions (forget_at);
create index sessions_key_id on clientele.sessions (key_id);
create index sessions_person on clientele.sessions (person);

grant select on clientele.people, clientele.sessions to clientele_reader;

-- What the reader may write of them: that a session starts, or is over. A second call with the same id changes
-- nothing.

create function clientele.start_key_session(session_id uuid, token_hash bytea, key_id text) returns void
  language sql security definer set search_path = pg_catalog, pg_temp
as $$
  delete from clientele.sessions as s where s.forget_at < now();
  insert into clientele.sessions (id, token_hash, key_id) values ($1, $2, $3) on conflict do nothing;
$$;

-- The person's id; null for one who is disabled.
create function clientele.start_person_session(session_id uuid, token_hash bytea, issuer text, subject text,
  name text, account text, roles text[], provider_session text, sign_out_hint text) returns uuid
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  known clientele.people;
begin
  delete from clientele.sessions as s where s.forget_at < now();
  insert into clientele.people as p (issuer, subject, name, account, roles) values ($3, $4, $5, $6, $7)
  on conflict (issuer, subject) do update
  set name = excluded.name, account = excluded.account, roles = excluded.roles, last_sign_in_at = now()
  where p.disabled_at is null
  returning p.* into known;
  if known.id is not null then
    insert into clientele.sessions (id, token_hash, person, roles, provider_session, sign_out_hint)
    values ($1, $2, known.id, $7, $8, $9) on conflict do nothing;
  end if;
  return known.id;
end
$$;

-- As the provider demands: one of its sessions, or all of a person.
create function clientele.end_provider_sessions(issuer text, subject text, provider_session text) returns void
  language sql security definer set search_path = pg_catalog, pg_temp
as $$
  delete from clientele.sessions as s using clientele.people as p
  where p.id = s.person and p.issuer = $1
    and case
      when $2 is null then s.provider_session = $3
      else p.subject = $2 and ($3 is null or s.provider_session is null or s.provider_session = $3)
    end;
$$;

create or replace function clientele.end_session(session_id uuid) returns void
  language sql security definer set search_path = pg_catalog, pg_temp
as $$
  delete from clientele.sessions as s where s.id = session_id;
  -- For programs before this migration, whose sessions are in their cookies.
  delete from clientele.ended_sessions as e where e.forget_at < now();
  insert into clientele.ended_sessions (id, forget_at)
  values (session_id, now() + interval '13 hours')
  on conflict do nothing;
$$;

revoke execute on function clientele.start_key_session, clientele.start_person_session,
  clientele.end_provider_sessions from public;
grant execute on function clientele.start_key_session, clientele.start_person_session,
  clientele.end_provider_sessions to clientele_reader;
