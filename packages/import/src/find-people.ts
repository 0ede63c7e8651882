/** Compares the people in examined files with each other and with the directory. */
import type pg from 'pg';
import type { Finding, InDatabase } from './findings.ts';

/** Upper and lower case of every script, whatever the collation of a column or of the database is. */
const folded = (text: string): string => `lower(btrim(${text}) collate "und-x-icu")`;
const hashOf = (text: string): string => `hashtextextended(${text}, 0)`;

/** `Müller, Eva` has the words of `Eva Muller`. */
const functions = String.raw`
  create function pg_temp.words(name text) returns text[] language sql immutable as $$
    select array_remove(regexp_split_to_array(regexp_replace(
      regexp_replace(replace(normalize(name, nfkd), 'ß', 'ss'), '[\u0300-\u036f]', '', 'g'),
      '^([^,]+),(.+)$', '\2 \1'), '[\s,;.()''’"-]+'), '')
  $$;
  create function pg_temp.same_words(one text, other text) returns boolean language sql immutable as $$
    select pg_temp.words(one) @> pg_temp.words(other) and pg_temp.words(other) @> pg_temp.words(one)
  $$;
  -- Who marries keeps the first name. Who gets a middle name keeps all others.
  create function pg_temp.differ(one text, other text) returns boolean language sql immutable as $$
    select not (a @> b or b @> a or a[1] = b[1])
    from (select pg_temp.words(one) as a, pg_temp.words(other) as b) as names
  $$`;

/** Numbers stand for identifiers and texts: they are compared faster, and have a smallest one. */
const people = `
  create temp table people as
  select e.uuid, uuid_hash_extended(e.uuid, 0) as key, e.place, e.derived,
    ${hashOf('e.similar_to')} as similar_to, ${hashOf(folded('e.email'))} as email,
    ${hashOf(folded('e.name'))} as name, ${folded('e.name')} as words
  from pg_temp.examined as e;
  analyze pg_temp.people;
  create temp table added as
  select p.uuid, p.email, p.words, p.place
  from pg_temp.people as p
  left join public.customers as c on c.uuid = p.uuid
  where c.uuid is null`;

/** So few new people are looked up one by one, if the search index can find the address of each. */
const few = 20;
const areFew = `
  select from (select a.place from pg_temp.added as a limit ${few + 1}) as a
  join pg_temp.examined as e on e.place = a.place
  where to_regclass('public.customers_search') is not null
  having count(*) <= ${few} and coalesce(bool_and(e.email ~ '[[:alnum:]]{3}'), true)`;

/** The address as `search_text` has it after a space, for LIKE. */
const pattern = String.raw`'% ' || regexp_replace(
      clientele.mark(clientele.fold(btrim(e.email))), '([\\%_])', '\\\1', 'g') || '%'`;
const sameAddress = `${hashOf(folded('c.email_address'))} = a.email`;
const scanned = `
    from pg_temp.added as a
    join public.customers as c on ${sameAddress}`;
/** Without the first `offset 0`, the planner may look up every record; without the second, read the whole table. */
const lookedUp = `
    from (
      select a.*, ${pattern} as pattern
      from pg_temp.added as a
      join pg_temp.examined as e on e.place = a.place
      offset 0
    ) as a
    cross join lateral (
      select k.uuid, k.full_name, k.email_address
      from public.customers as k
      where k.search_text like a.pattern
      offset 0
    ) as c`;

const result = (name: string, from: string, weighed = 'true'): string =>
  `(select json_build_object('count', count(*), 'place', min(f.place), 'weighed', count(*) filter (where ${weighed}))
    from ${from}) as "${name}"`;

const compared = `
  with repeated as (
    select min(p.place) as place, count(distinct p.email) > 1 as addresses,
      bool_or(not pg_temp.same_words(p.words, r.words))
        and (bool_or(p.derived) or count(distinct p.email) > 1) as names
    from pg_temp.people as p
    join (
      select s.uuid, min(s.words) as words from pg_temp.people as s
      group by s.uuid having min(s.name) <> max(s.name) or min(s.email) <> max(s.email)
    ) as r on r.uuid = p.uuid
    group by p.uuid
  ),
  alike as (
    select min(p.place) as place
    from pg_temp.people as p
    where p.similar_to in (
      select s.similar_to from pg_temp.people as s
      group by s.similar_to having min(s.key) <> max(s.key)
    )
    group by p.similar_to
    having count(distinct p.email) < count(distinct p.key) or count(distinct p.name) < count(distinct p.key)
  ),
  twins as (
    select min(p.place) as place
    from pg_temp.people as p
    group by p.email, p.name
    having min(p.key) <> max(p.key)
  ),
  others as (
    select min(p.place) as place
    from pg_temp.people as p
    join public.customers as c on c.uuid = p.uuid
    where ${hashOf(folded('c.full_name'))} <> p.name
      and not pg_temp.same_words(${folded('c.full_name')}, p.words)
      and (${hashOf(folded('c.email_address'))} <> p.email
        or p.derived and pg_temp.differ(${folded('c.full_name')}, p.words))
    group by p.uuid
  )
  select ${[
    result('repeated-ids', 'repeated as f where f.names'),
    result('moved', 'repeated as f where f.addresses and not f.names'),
    result('similar-ids', 'alike as f'),
    result('other-people', 'others as f'),
    result('twins', 'twins as f'),
  ].join(', ')}`;

/** Compared only with customers that no record is about: others were two in the source already. */
const known = (from: string): string => `
  with known as (
    select min(a.place) as place, count(distinct c.uuid) as sharing,
      bool_or(pg_temp.same_words(${folded('c.full_name')}, a.words)) as same
    ${from}
    left join pg_temp.people as p on p.uuid = c.uuid
    where p.uuid is null and ${sameAddress}
    group by a.uuid
  )
  select ${[
    result('known-people', 'known as f where f.same'),
    // An address that several customers have says little.
    result('known-addresses', 'known as f where not f.same', 'f.sharing = 1'),
  ].join(', ')}`;

export async function findPeople(client: pg.Client): Promise<Record<InDatabase, Finding>> {
  await client.query(functions);
  await client.query(people);
  const isFew = (await client.query(areFew)).rowCount === 1;
  // Compiling the query would take longer than running it.
  if (isFew) await client.query('set jit = off');
  type Findings = Record<InDatabase, Finding>;
  const { rows: inDirectory } = await client.query<Findings>(known(isFew ? lookedUp : scanned));
  const { rows } = await client.query<Findings>(compared);
  return { ...rows[0]!, ...inDirectory[0]! };
}
