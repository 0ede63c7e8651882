-- What a key may do, until when, and how many customers it may be shown: docs/decisions/scopes.md.
-- An older program goes on working; it does not know of expiry, of the limit, or of the new scopes.
-- oldest program: 000013

-- Existing keys keep what they could do, now spelled out: a list could be searched and exported, and both
-- routes showed e-mail addresses and phone numbers.
update clientele.access_keys as k
set scopes = k.scopes || case
  when 'customers:list' = any (k.scopes)
    then array['customers:search', 'customers:contact', 'customers:export']
  else array['customers:contact']
end;

alter table clientele.access_keys
  add column expires_at timestamptz(3),
  -- Written about once a minute, not with every request.
  add column last_used_at timestamptz(3),
  -- How many customers it may be shown on one day, in UTC.
  add column records_per_day bigint check (records_per_day > 0);

-- How many customers a caller with a limit was shown on the last day that it was shown any.
create table clientele.records_shown (
  caller text primary key check (length(caller) between 1 and 200),
  day date not null,
  records bigint not null check (records >= 0)
);
grant select on clientele.records_shown to clientele_reader;

-- What the reader may write besides: that keys were used, and records that it shows.

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

revoke execute on function clientele.note_key_use, clientele.take_records from public;
grant execute on function clientele.note_key_use, clientele.take_records to clientele_reader;
