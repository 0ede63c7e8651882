-- Names and companies are also found by other spellings of their words: docs/decisions/spellings.md.
-- Customers that are written from now on have them; `clientele search refresh` adds them to the others.
-- oldest program: 000013

-- Waits for every writer, so that none goes on to use the function as it was.
lock table public.customers in share row exclusive mode;

-- Rule 7. The other spellings of a name or company, each word as marked text that a space precedes: mueller for
-- Müller, bv for B.V. Empty for most.
-- Whoever writes customers executes this, perhaps without any right on the schema: bodies in standard SQL name what
-- they call by identifier, where PL/pgSQL would look it up.
create function clientele.other_spellings(names text) returns text
  language sql immutable parallel safe
return (
  select coalesce(string_agg(distinct ' ' || clientele.mark(s.spelling) collate "C", ''), '')
  -- The n-th words belong together, because both texts have the same white space.
  from unnest(
    string_to_array(clientele.fold(names), ' '),
    string_to_array(clientele.fold(
      regexp_replace(regexp_replace(regexp_replace(regexp_replace(names,
        '[\u00C4\u00E4]|[Aa]\u0308', 'ae', 'g'),
        '[\u00D6\u00D8\u00F6\u00F8]|[Oo]\u0308', 'oe', 'g'),
        '[\u00DC\u00FC]|[Uu]\u0308', 'ue', 'g'),
        '[\u00C5\u00E5\u212B]|[Aa]\u030A', 'aa', 'g')
    ), ' ')
  ) as w(word, spelled_out)
  cross join lateral (values
    (w.spelled_out),
    (case
      when w.word ~ '^[^[:alnum:]]*[[:alpha:]](\.[[:alpha:]])+[^[:alnum:]]*$' collate "und-x-icu"
      then replace(w.word, '.', '')
    end)
  ) as s(spelling)
  where s.spelling <> w.word
);
grant execute on function clientele.other_spellings to public;

-- What a customer is found by: name, e-mail, company and phone as marked text, each preceded by a space. Then,
-- behind a character that folded text cannot hold, the other spellings, if there are any, and behind another one
-- the digits of the phone.
create or replace function clientele.search_text(
  full_name text, email_address text, company_name text, phone_number text
) returns text
  language sql immutable parallel safe
return ' ' || clientele.mark(
    clientele.fold(concat_ws(' ', full_name, email_address, company_name, phone_number)))
  -- Plain ASCII without a dot, as most are, has no other spelling.
  || case when concat_ws(' ', full_name, company_name) ~ '[^\u0001-\u002D\u002F-\u007F]'
    then coalesce(E'\x02' || nullif(
      clientele.other_spellings(concat_ws(' ', full_name, company_name)), ''), '')
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
