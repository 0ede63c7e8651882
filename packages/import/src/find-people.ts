/** Compares the people in examined files with each other and with the directory. */
import type pg from 'pg';
import type { Finding, InDatabase } from './findings.ts';

/** Upper and lower case of every script, whatever the collation of a column or of the database is. */
const folded = (text: string): string => `lower(btrim(${text}) collate "und-x-icu")`;
const hashOf = (text: string): string => `hashtextextended(${text}, 0)`;

/** Numbers stand for identifiers and texts: they are compared faster, and have a smallest one. */
const people = `
  create temp table people as
  select e.uuid, uuid_hash_extended(e.uuid, 0) as key, e.place, e.by_address,
    ${hashOf('e.similar_to')} as similar_to, ${hashOf(folded('e.email'))} as email,
    ${hashOf(folded('e.name'))} as name, case when e.by_address then ${folded('e.name')} end as words
  from pg_temp.examined as e;
  drop table pg_temp.examined;
  analyze pg_temp.people`;

const result = (name: string, from: string, weighed = 'true'): string =>
  `(select json_build_object('count', count(*), 'place', min(f.place), 'weighed', count(*) filter (where ${weighed}))
    from ${from}) as "${name}"`;

const compared = `
  with repeated as (
    select min(p.place) as place
    from pg_temp.people as p
    group by p.uuid
    having count(*) > 1 and min(p.name) <> max(p.name)
      and (bool_or(p.by_address) or min(p.email) <> max(p.email))
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
    where ${hashOf(folded('c.full_name'))} <> p.name and case
      when p.by_address then
        not string_to_array(${folded('c.full_name')}, ' ') && string_to_array(p.words, ' ')
      else ${hashOf(folded('c.email_address'))} <> p.email
    end
    group by p.uuid
  ),
  added as materialized (
    select p.uuid, p.email, p.name, p.place
    from pg_temp.people as p
    left join public.customers as c on c.uuid = p.uuid
    where c.uuid is null
  ),
  -- Compared only with customers that no record is about: others were two in the source already.
  known as (
    select min(a.place) as place, count(distinct c.uuid) as sharing,
      bool_or(${hashOf(folded('c.full_name'))} = a.name) as same
    from added as a
    join public.customers as c on ${hashOf(folded('c.email_address'))} = a.email
    left join pg_temp.people as p on p.uuid = c.uuid
    where p.uuid is null
    group by a.uuid
  )
  select ${[
    result('repeated-ids', 'repeated as f'),
    result('similar-ids', 'alike as f'),
    result('other-people', 'others as f'),
    result('twins', 'twins as f'),
    result('known-people', 'known as f where f.same'),
    // An address that several customers have says little.
    result('known-addresses', 'known as f where not f.same', 'f.sharing = 1'),
  ].join(', ')}`;

export async function findPeople(client: pg.Client): Promise<Record<InDatabase, Finding>> {
  await client.query(people);
  const { rows } = await client.query<Record<InDatabase, Finding>>(compared);
  return rows[0]!;
}
