-- Names and companies are also found by other spellings of their words: docs/decisions/spellings.md.
-- Customers that are written from now on have them; `clientele search refresh` adds them to the others.
-- oldest program: 000013

-- Waits for every writer, so that none goes on to use the function as it was.
lock table public.customers in share row exclusive mode;

-- Rule 7: Müller becomes Mueller.
create function clientele.spell_out(names text) returns text
  language plpgsql immutable parallel safe
as $$
begin
  if names !~ '[\u00C4\u00C5\u00D6\u00D8\u00DC\u00E4\u00E5\u00F6\u00F8\u00FC\u0308\u030A\u212B]' then
    return names;
  end if;
  names := regexp_replace(names, '[\u00C4\u00E4]|[Aa]\u0308', 'ae', 'g');
  names := regexp_replace(names, '[\u00D6\u00D8\u00F6\u00F8]|[Oo]\u0308', 'oe', 'g');
  names := regexp_replace(names, '[\u00DC\u00FC]|[Uu]\u0308', 'ue', 'g');
  return regexp_replace(names, '[\u00C5\u00E5\u212B]|[Aa]\u030A', 'aa', 'g');
end
$$;

-- Rule 7: the words that differ when they are spelled out, and abbreviations without their dots, each preceded by a
-- space. Null if there are none. Both texts are folded; their n-th words belong together.
create function clientele.other_spellings(names text, spelled_out text) returns text
  language plpgsql immutable parallel safe
as $$
declare
  words constant text[] := string_to_array(names, ' ');
  others constant text[] := string_to_array(spelled_out, ' ');
  found text := '';
begin
  for n in 1..cardinality(words) loop
    if others[n] <> words[n] and position(' ' || others[n] || ' ' in found || ' ') = 0 then
      found := found || ' ' || others[n];
    end if;
    if position('.' in words[n]) > 0
      and words[n] ~ '^[^[:alnum:]]*[[:alpha:]](\.[[:alpha:]])+[^[:alnum:]]*$' collate "und-x-icu"
    then
      found := found || ' ' || replace(words[n], '.', '');
    end if;
  end loop;
  return nullif(found, '');
end
$$;
grant execute on function clientele.spell_out, clientele.other_spellings to public;

-- What a customer is found by: name, e-mail, company and phone as marked text, each preceded by a space. Then,
-- behind a character that folded text cannot hold, the other spellings, if there are any, and behind another one
-- the digits of the phone. Whoever writes customers executes this, perhaps without a right on the schema, and only a
-- body of this kind needs none.
create or replace function clientele.search_text(
  full_name text, email_address text, company_name text, phone_number text
) returns text
  language sql immutable parallel safe
return ' ' || clientele.mark(
    clientele.fold(concat_ws(' ', full_name, email_address, company_name, phone_number)))
  -- Plain ASCII without a dot, as most are, has no other spelling.
  || case when concat_ws(' ', full_name, company_name) ~ '[^\u0001-\u002D\u002F-\u007F]'
    then coalesce(E'\x02' || clientele.mark(clientele.other_spellings(
      clientele.fold(concat_ws(' ', full_name, company_name)),
      clientele.fold(clientele.spell_out(concat_ws(' ', full_name, company_name))))), '')
    else '' end
  || E'\x01' || coalesce(
    regexp_replace(clientele.fold(phone_number), '[^0-9]+', '', 'g'), '');

-- One row while `clientele search refresh` has customers left whose text was computed by an earlier rule.
create table clientele.search_refresh (
  only_row boolean primary key default true check (only_row),
  -- Customers up to this identifier have been compared. Null: none has.
  upto uuid,
  compared bigint not null default 0
);
insert into clientele.search_refresh
select where exists (select from only public.customers);
grant select on clientele.search_refresh to clientele_reader;
