-- Customers are written faster: search_text() computes what it did in less than half the time. No text changes, so
-- nothing has to be refreshed, and writers need not wait.
-- oldest program: 000013

-- Rule 1, as before. Each step that most texts do not need is preceded by a check, which costs much less.
create or replace function clientele.fold(value text) returns text
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

-- The same text, but PostgreSQL can now inline the function: it requires that all of it is immutable, and concat_ws()
-- is not.
create or replace function clientele.search_text(
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
