/** Queries of the CLI about people. The server only reads them, and adds them when they sign in. */
import type pg from 'pg';

export interface PersonRecord {
  id: string;
  issuer: string;
  subject: string;
  name: string;
  account: string | null;
  roles: string[];
  last_sign_in_at: Date;
  disabled_at: Date | null;
}

export async function listPeople(client: pg.ClientBase): Promise<PersonRecord[]> {
  const { rows } = await client.query<PersonRecord>(
    `select p.id, p.issuer, p.subject, p.name, p.account, p.roles, p.last_sign_in_at, p.disabled_at
     from clientele.people as p
     order by p.name, p.id`,
  );
  return rows;
}

/** False if there is no such person. Disabling someone again keeps the first timestamp. */
export async function disablePerson(client: pg.ClientBase, id: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `with ended as (delete from clientele.sessions as s where s.person::text = $1)
     update clientele.people as p set disabled_at = coalesce(p.disabled_at, now())
     where p.id::text = $1`,
    [id],
  );
  return rowCount === 1;
}

export async function enablePerson(client: pg.ClientBase, id: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'update clientele.people as p set disabled_at = null where p.id::text = $1',
    [id],
  );
  return rowCount === 1;
}
