/** Compares the people in examined files with each other and with the directory. */
import type pg from 'pg';
import type { Finding, InDatabase } from './findings.ts';

/** Upper and lower case of every script, whatever the collation of a column or of the database is. */
const folded = (text: string): string => `lower(btrim(${text}) collate "und-x-icu")`;
const hashOf = (text: string): string => `hashtextextended(${text}, 0)`;
/** The hash of `folded`, which for ASCII has a faster way. */
const foldedHash = (text: string): string =>
  `case when octet_length(${text}) = length(${text}) then ${hashOf(`lower(btrim(${text}) collate "C")`)}
    else ${hashOf(folded(text))} end`;

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

/** In the order in which COPY writes them. */
export const peopleColumns = 'uuid, place, derived, similar_id, address, full_name';

/**
 * Numbers stand for identifiers and texts: they are compared faster, and have a smallest one. They are computed while
 * the next records are read.
 */
const people = `
  create temp table people (
    uuid uuid not null,
    place bigint not null,
    derived boolean not null,
    similar_id text collate "C",
    address text collate "C" not null,
    full_name text collate "C" not null,
    key bigint generated always as (uuid_hash_extended(uuid, 0)) stored,
    similar_to bigint generated always as (${hashOf('similar_id')}) stored,
    email bigint generated always as (${foldedHash('address')}) stored,
    name bigint generated always as (${foldedHash('full_name')}) stored
  )`;

/** Nobody in an empty directory, where they need not be compared. */
const added = `
  create temp table added as
  select p.uuid, p.email, p.address, p.full_name, p.place
  from pg_temp.people as p
  left join public.customers as c on c.uuid = p.uuid
  where c.uuid is null and exists (select from public.customers)`;

/** So few new people are looked up one by one, if the search index can find the address of each. */
const few = 20;
const areFew = `
  select from (select a.address from pg_temp.added as a limit ${few + 1}) as a
  having to_regclass('public.customers_search') is not null
    and count(*) <= ${few} and coalesce(bool_and(a.address ~ '[[:alnum:]]{3}'), true)`;

/** The address as `search_text` has it after a space, for LIKE. */
const pattern = String.raw`'% ' || regexp_replace(
      clientele.mark(clientele.fold(btrim(a.address))), '([\\%_])', '\\\1', 'g') || '%'`;
const sameAddress = `(${foldedHash('c.email_address')}) = a.email`;
const scanned = `
    from pg_temp.added as a
    join public.customers as c on ${sameAddress}`;
/** Without the first `offset 0`, the planner may look up every record; without the second, read the whole table. */
const lookedUp = `
    from (
      select a.*, ${pattern} as pattern
      from pg_temp.added as a
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
  with changed as (
    select p.uuid from pg_temp.people as p
    group by p.uuid having min(p.name) <> max(p.name) or min(p.email) <> max(p.email)
  ),
  named as (
    select p.*, ${folded('p.full_name')} as words,
      min(${folded('p.full_name')}) over (partition by p.uuid) as first
    from pg_temp.people as p
    where p.uuid in (select c.uuid from changed as c)
  ),
  repeated as (
    select min(p.place) as place, count(distinct p.email) > 1 as addresses,
      bool_or(not pg_temp.same_words(p.words, p.first))
        and (bool_or(p.derived) or count(distinct p.email) > 1) as names
    from named as p
    group by p.uuid
  ),
  alike as (
    select min(p.place) as place
    from pg_temp.people as p
    where p.similar_to in (
      select s.similar_to from pg_temp.people as s
      where s.similar_to is not null
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
    where (${foldedHash('c.full_name')}) <> p.name
      and not pg_temp.same_words(${folded('c.full_name')}, ${folded('p.full_name')})
      and ((${foldedHash('c.email_address')}) <> p.email
        or p.derived and pg_temp.differ(${folded('c.full_name')}, ${folded('p.full_name')}))
    group by p.uuid
  )
  select ${[
    result('repeated-ids', 'repeated as f where f.names'),
    result('moved', 'repeated as f where f.addresses and not f.names'),
    result('similar-ids', 'alike as f'),
    result('other-people', 'others as f'),
    result('twins', 'twins as f'),
  ].join(', ')}`;

/**
 * New customers are compared with existing ones of the same address, except with those to whom a record in the files gives
 * this address too: they were two in the source already. A record that gives another address may be rejected.
 */
const known = (from: string): string => `
  with known as (
    select min(a.place) as place, count(distinct c.uuid) as sharing,
      bool_or(pg_temp.same_words(${folded('c.full_name')}, ${folded('a.full_name')})) as same
    ${from}
    left join pg_temp.people as p on p.uuid = c.uuid and p.email = a.email
    where p.uuid is null and ${sameAddress}
    group by a.uuid
  )
  select ${[
    result('known-people', 'known as f where f.same'),
    // An address that several customers have says little.
    result('known-addresses', 'known as f where not f.same', 'f.sharing = 1'),
  ].join(', ')}`;

export async function createPeople(client: pg.Client): Promise<void> {
  await client.query(`${functions}; ${people}`);
}

export async function findPeople(client: pg.Client): Promise<Record<InDatabase, Finding>> {
  await client.query(`
    set default_statistics_target = 10;
    analyze pg_temp.people (uuid, similar_to, email, name);
    ${added}`);
  const isFew = (await client.query(areFew)).rowCount === 1;
  type Findings = Record<InDatabase, Finding>;
  const { rows: inDirectory } = await client.query<Findings>(known(isFew ? lookedUp : scanned));
  const { rows } = await client.query<Findings>(compared);
  return { ...rows[0]!, ...inDirectory[0]! };
}
