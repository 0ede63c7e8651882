-- Who may call the service: keys, people, and the sessions of the console (docs/decisions/scopes.md and console-sessions.md).
-- The reader may read these tables, and write to them through the functions below only.

-- Keys are kept as a public id and the SHA-256 of a 256-bit random secret; see src/keys.
create table clientele.access_keys (
  id text primary key check (id ~ '^[0-9a-z]{12}$'),
  name text not null check (length(name) between 1 and 100),
  secret_hash bytea not null check (length(secret_hash) = 32),
  scopes text[] not null check (cardinality(scopes) > 0),
  created_at timestamptz(3) not null default now(),
  revoked_at timestamptz(3),
  expires_at timestamptz(3),
  -- Written about once a minute, not with every request.
  last_used_at timestamptz(3),
  -- How many customers it may be shown on one day, in UTC.
  records_per_day bigint check (records_per_day > 0)
);

-- How many customers a caller with a limit was shown on the last day that it was shown any.
create table clientele.records_shown (
  caller text primary key check (length(caller) between 1 and 200),
  day date not null,
  records bigint not null check (records >= 0)
);

-- Never waits for another instance that notes the same: that key is noted by then.
create function clientele.note_key_use(ids text[], seconds_ago float8[]) returns void
  language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with used as (
    select u.id, now() - make_interval(secs => greatest(u.seconds_ago, 0)) as used_at
    from unnest(note_key_use.ids, note_key_use.seconds_ago) as u (id, seconds_ago)
  ), free as (
    select k.id from clientele.access_keys as k
    where k.id = any (note_key_use.ids)
    for no key update skip locked
  )
  update clientele.access_keys as k
  set last_used_at = used.used_at
  from used, free
  where k.id = used.id and k.id = free.id
    and (k.last_used_at is null or k.last_used_at < used.used_at - interval '30 seconds');
$$;

-- Counts each amount towards its caller's day unless the sum would exceed the limit. Amounts of one caller are
-- counted one after another. Returns, in the order given, whether it was counted and the day's sum.
create function clientele.take_records(callers text[], amounts bigint[], limits bigint[])
  returns table (item int, taken boolean, shown bigint)
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  today constant date := (now() at time zone 'utc')::date;
  wanted record;
begin
  -- A crash of the database may lose the last second's counts; requests do not wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  -- In the order of the callers, so that two instances never wait for each other.
  for wanted in
    select w.position::int as position, w.caller, greatest(w.amount, 0) as amount, w.most
    from unnest(callers, amounts, limits) with ordinality as w (caller, amount, most, position)
    order by w.caller, w.position
  loop
    insert into clientele.records_shown as r (caller, day, records) values (wanted.caller, today, 0)
    on conflict (caller) do update set day = today, records = 0 where r.day < today;
    update clientele.records_shown as r
    set records = r.records + wanted.amount
    where r.caller = wanted.caller and r.records + wanted.amount <= wanted.most;
    item := wanted.position;
    taken := found;
    select r.records into shown from clientele.records_shown as r where r.caller = wanted.caller;
    return next;
  end loop;
end
$$;

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

-- Everybody who has signed in with OpenID Connect. What the provider says of them is updated at each sign-in.
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

-- A second call with the same id changes nothing.
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

-- A session is over.
create function clientele.end_session(session_id uuid) returns void
  language sql security definer set search_path = pg_catalog, pg_temp
as $$
  delete from clientele.sessions as s where s.id = session_id;
$$;

grant select on clientele.access_keys, clientele.records_shown, clientele.session_secret,
  clientele.people, clientele.sessions to clientele_reader;
revoke execute on function clientele.note_key_use, clientele.take_records, clientele.start_key_session,
  clientele.start_person_session, clientele.end_provider_sessions, clientele.end_session from public;
grant execute on function clientele.note_key_use, clientele.take_records, clientele.start_key_session,
  clientele.start_person_session, clientele.end_provider_sessions, clientele.end_session to clientele_reader;
