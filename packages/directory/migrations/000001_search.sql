-- How text is compared. This file is the search rule: contract, "Search", numbers 1, 3, 4, 5, 6 and 7. Customers and
-- searches pass through the same functions, so both sides always fold alike. Other spellings of names are explained in
-- docs/decisions/spellings.md.

create extension if not exists pg_trgm;

do $$
begin
  if show_trgm(chr(233) || chr(30000)) = '{}' then
    raise exception 'the locale of this database hides letters beyond ASCII from pg_trgm, '
      'so searches would scan the whole table'
      using hint = 'Create the database with a UTF-8 locale, then migrate that one: '
        'create database clientele template template0 encoding ''UTF8'' locale ''C.UTF-8''';
  end if;
end
$$;

-- Rule 1. Accents, case, width and apostrophes do not matter; white space of any kind is a space. The collation is
-- named so that the result does not depend on the database's own locale. Each step that most texts do not need is
-- preceded by a check, which costs much less.
create function clientele.fold(value text) returns text
  language plpgsql immutable parallel safe
as $$
declare
  folded text;
begin
  if octet_length(value) = length(value) then -- plain ASCII, as most text is
    if value ~ '[''`\u0001-\u001F\u007F]' then
      value := regexp_replace(
        replace(replace(value, '''', ''), '`', ''), '[\u0001-\u001F\u007F]', ' ', 'g');
    end if;
    return lower(value collate "C");
  end if;
  -- Before decomposition, which would make a space of some: ' ` ´ and what stands in their place.
  folded := regexp_replace(value, '[''`\u00B4\u1FBD\u1FBF\u1FEF\u1FFD\u1FFE]', '', 'g');
  folded := regexp_replace(normalize(folded, NFKD), '['
    '''`\u02B9\u02BB-\u02BF\u02C8\u02CA\u02CB\u02EE\u055A\u05F3\u07F4\u07F5' -- apostrophes
    '\u2018\u2019\u201B\u2032\u2035\u275B\u275C\uA78B\uA78C'
    '\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F'      -- accents
    '\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\uFB1E'                -- Hebrew points
    '\u0610-\u061A\u0640\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4'       -- Arabic vowel signs
    '\u06E7\u06E8\u06EA-\u06ED\u0897-\u089F\u08CA-\u08E1\u08E3-\u08FF'
    '\U000102E0\U00010EFC-\U00010EFF'
    '\u00AD\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F'         -- what nobody sees:
    '\u202A-\u202E\u2060-\u206F\uFE00-\uFE0F\uFEFF\uFFF0-\uFFF8'             -- Unicode's default
    '\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF'        -- ignorables
    ']', '', 'g');
  folded := lower(folded collate "und-x-icu");
  if folded ~ '[ßæœþøłđðıς]' then
    folded := replace(replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
    folded := translate(folded, 'øłđðıς', 'olddiσ');
  end if;
  if folded is not nfkc normalized then
    folded := normalize(folded, NFKC);
  end if;
  -- All other white space is a space by now.
  return regexp_replace(folded, '[\u0001-\u001F\u007F-\u009F\u1680\u2028\u2029]', ' ', 'g');
end
$$;

-- Makes the starts of words visible to LIKE: a space follows every character that is neither letter
-- nor digit. 'anna.smith@acme' becomes 'anna. smith@ acme', and ' sm' is found where a word starts
-- with it. Fields and terms are both marked; a term holds no white space of its own, hence it never
-- reaches over two words or two fields.
-- Chinese, Japanese and Korean characters are repeated three times. One of them may be a word, and the index knows
-- three characters in a row. What contains what stays the same: every run of such a character is three times as long.
-- These functions run in the sessions of writers: standard_conforming_strings = off would make '\1' a control character.
create function clientele.mark(folded text) returns text
  language plpgsql immutable parallel safe
as $$
declare
  marked constant text := regexp_replace(folded collate "und-x-icu", '([^[:alnum:] ])', E'\\1 ', 'g');
begin
  if octet_length(marked) = length(marked) then
    return marked;
  end if;
  return regexp_replace(marked, '([\u1100-\u11FF\u2E80-\u2FDF\u3005-\u3007\u3021-\u302F\u3031-\u3035'
    '\u3038-\u303C\u3041-\u309F\u30A1-\u30FA\u30FC-\u30FF\u3131-\u318E\u31F0-\u31FF'
    '\u3400-\u4DBF\u4E00-\u9FFF\uA960-\uA97F\uAC00-\uD7FF\uF900-\uFAFF'
    '\U00016FE2\U00016FE3\U00016FF0\U00016FF1\U0001AFF0-\U0001B16F\U00020000-\U000323AF])',
    E'\\1\\1\\1', 'g');
end
$$;

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
      and words[n] ~ '^[^[:alnum:]]*[[:alpha:]]([.][[:alpha:]])+[^[:alnum:]]*$' collate "und-x-icu"
    then
      found := found || ' ' || replace(words[n], '.', '');
    end if;
  end loop;
  return nullif(found, '');
end
$$;

-- What a customer is found by: name, e-mail, company and phone as marked text, each preceded by a space. Then, behind a
-- character that folded text cannot hold, the other spellings, if there are any, and behind another one the digits of
-- the phone. Whoever writes customers executes this. PostgreSQL inlines it, which requires that all of it is immutable:
-- concat_ws() is not.
create function clientele.search_text(
  full_name text, email_address text, company_name text, phone_number text
) returns text
  language sql immutable parallel safe
return ' ' || clientele.mark(clientele.fold(substr(
    coalesce(' ' || full_name, '') || coalesce(' ' || email_address, '')
    || coalesce(' ' || company_name, '') || coalesce(' ' || phone_number, ''), 2)))
  -- Other spellings come from these letters, from dots within words, and from characters that fold to dots.
  || case when coalesce(full_name, '') || coalesce(' ' || company_name, '')
      ~ '[\u00C4\u00C5\u00D6\u00D8\u00DC\u00E4\u00E5\u00F6\u00F8\u00FC\u0308\u030A\u212B'
        '\u2024-\u2026\u2488-\u249B\u33C2\u33C7\u33D8\uFE19\uFE30\uFE52\uFF0E\U0001F100]'
        '|[^ ]\.[^ ]'
    then coalesce(E'\x02' || clientele.mark(clientele.other_spellings(
      clientele.fold(substr(coalesce(' ' || full_name, '') || coalesce(' ' || company_name, ''), 2)),
      clientele.fold(clientele.spell_out(
        substr(coalesce(' ' || full_name, '') || coalesce(' ' || company_name, ''), 2))))), '')
    else '' end
  || E'\x01' || coalesce(
    regexp_replace(clientele.fold(phone_number), '[^0-9]+', '', 'g'), '');

-- A search as LIKE patterns on search_text: {"phone", "terms": [{"text", "digits"}, …]}. A customer
-- matches by the phone, or by each term's text or digits; what is null matches nothing. Longest terms
-- first, as those are mostly the rarest, and without repeats, so 'smith anna' and 'anna  smith' are
-- one search.
create function clientele.search_patterns(search text) returns jsonb
  language plpgsql immutable parallel safe
as $$
declare
  phone_signs constant text := U&'0123456789+-()./\2010\2011\2012\2013\2014\2212';
  folded constant text := clientele.fold(search);
  digits text;
  phone text;
  term text;
  term_length int;
  marked text;
  terms jsonb := '[]';
begin
  -- Rule 5 for the whole search: the parts of '06 28 12 34 56' are too short to say anything.
  digits := regexp_replace(folded, '[^0-9]+', '', 'g');
  if length(digits) >= 4 and translate(folded, phone_signs || ' ', '') = '' then
    phone := E'%\x01%' || nullif(ltrim(digits, '0'), '') || '%';
  end if;

  for term, term_length in
    select distinct part, length(part)
    from string_to_table(folded, ' ') as part
    where part <> ''
    order by length(part) desc, part
  loop
    marked := clientele.mark(term);
    -- Rule 4: anywhere, or at the start of a word. No character has been repeated if only spaces have been added.
    if term_length < 3 and term ~ '[[:alnum:]]' collate "und-x-icu" and replace(marked, ' ', '') = term then
      marked := ' ' || marked;
    end if;
    -- Rule 6: LIKE's own signs are only text.
    marked := regexp_replace(marked, '([\\%_])', '\\\1', 'g');
    -- Rule 5 for one term. Bare digits without a leading zero reach the phone's digits as they are.
    digits := regexp_replace(term, '[^0-9]+', '', 'g');
    if length(digits) < 3 or translate(term, phone_signs, '') <> '' or term ~ '^[1-9][0-9]+$' then
      digits := null;
    end if;
    -- Zeros alone say nothing about a phone: keep them off its digits, at the end.
    if term ~ '^0+$' then
      marked := marked || E'%\x01';
    end if;
    terms := terms || jsonb_build_object(
      'text', '%' || marked || '%',
      'digits', E'%\x01%' || nullif(ltrim(digits, '0'), '') || '%');
  end loop;
  return jsonb_build_object('phone', phone, 'terms', terms);
end
$$;
