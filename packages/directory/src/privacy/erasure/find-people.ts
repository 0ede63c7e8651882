/** The customers that somebody means by an identifier or an e-mail address. */
import type pg from 'pg';

export interface Person {
  uuid: string;
  full_name: string;
  email_address: string;
  phone_number: string | null;
}

/** Of an address, case, width and spaces do not matter. Several customers may have the same one. */
export const folded = (text: string): string =>
  `lower(regexp_replace(normalize(${text}, NFKC), '\\s', '', 'g'))`;

/** Newest first. Reads the whole table if there are addresses, however many. */
export async function findPeople(
  client: pg.ClientBase,
  { uuids, emails }: { uuids: readonly string[]; emails: readonly string[] },
): Promise<Person[]> {
  const columns = 'c.uuid, c.full_name, c.email_address, c.phone_number, c.created_at';
  const byAddress = `
    union
    select ${columns} from public.customers as c
    where ${folded('c.email_address')} = any (array(select ${folded('e')} from unnest($2::text[]) as e))`;
  const { rows } = await client.query<Person>(
    `select p.uuid, p.full_name, p.email_address, p.phone_number
     from (
       select ${columns} from public.customers as c where c.uuid = any ($1::uuid[])
       ${emails.length === 0 ? '' : byAddress}
     ) as p
     order by p.created_at desc, p.uuid desc`,
    emails.length === 0 ? [uuids] : [uuids, emails],
  );
  return rows;
}

/** Those of the given addresses that none of these people has. */
export async function addressesOfNobody(
  client: pg.ClientBase,
  emails: readonly string[],
  people: readonly Person[],
): Promise<Set<string>> {
  const { rows } = await client.query<{ email: string }>(
    `select e.email from unnest($1::text[]) as e (email)
     where ${folded('e.email')} not in (select ${folded('p')} from unnest($2::text[]) as p)`,
    [emails, people.map(({ email_address }) => email_address)],
  );
  return new Set(rows.map(({ email }) => email));
}
