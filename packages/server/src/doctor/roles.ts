/** Privileges of the roles, and the logins that use them. */
import { readerRole } from '../db/session.ts';
import {
  mustFix,
  ok,
  row,
  warning,
  type Check,
  type Circumstances,
  type Finding,
} from './finding.ts';

const writerRole = 'clientele_writer';
const readable = [
  'public.customers',
  'clientele.access_keys',
  'clientele.migrations',
  'clientele.changes',
  'clientele.changes_horizon',
  'clientele.session_secret',
  'clientele.ended_sessions',
];

export const roles: Check = {
  name: 'roles',
  needsTables: true,
  primaryOnly: true,
  async look(circumstances) {
    const { client } = circumstances;
    const { rows } = await client.query<{ name: string; superuser: boolean }>(
      `select r.rolname as name, r.rolsuper as superuser from pg_roles as r
       where r.rolname in ('${readerRole}', '${writerRole}')`,
    );
    const missing = [readerRole, writerRole].filter((role) => !rows.some((r) => r.name === role));
    if (missing.length > 0) {
      return missing.map((role) =>
        mustFix(
          `The role ${role} does not exist.`,
          `create role ${role} nologin; then repeat the grants to it in packages/server/migrations`,
        ),
      );
    }
    const me = await row<{ name: string; superuser: boolean; serves: boolean }>(
      client,
      `select r.rolname as name, r.rolsuper as superuser,
         pg_has_role('${readerRole}', 'member') as serves
       from pg_roles as r where r.rolname = current_user`,
    );
    const found = [
      ...rows
        .filter(({ superuser }) => superuser)
        .map(({ name }) =>
          mustFix(`The role ${name} is a superuser.`, `alter role ${name} nosuperuser`),
        ),
      ...(me.serves
        ? []
        : [
            warning(
              `${me.name} is not a member of ${readerRole}, so serve cannot use this login.`,
              `grant ${readerRole} to ${me.name} (not needed if serve uses another login)`,
            ),
          ]),
      ...(await rightsOf(circumstances)),
      ...(await superuserServers(circumstances)),
    ];
    if (found.length > 0) return found;
    const power = me.superuser ? ', a superuser' : '';
    return [
      ok(
        `The reader and writer roles have the right privileges; this login is ${me.name}${power}.`,
      ),
    ];
  },
};

async function rightsOf({ client }: Circumstances): Promise<Finding[]> {
  const { rows } = await client.query<{ who: string; right: string; on: string; has: boolean }>(
    `select who, p as right, t as on, has_table_privilege(who, c.oid, p) as has
     from unnest($1::text[]) as t
     join pg_namespace as n on n.nspname = split_part(t, '.', 1)
     join pg_class as c on c.relnamespace = n.oid and c.relname = split_part(t, '.', 2),
       unnest(array['${readerRole}', '${writerRole}', 'public']) as who,
       unnest(array['select', 'insert', 'update', 'delete', 'truncate']) as p`,
    [readable],
  );
  return rows.flatMap(({ who, right, on, has }): Finding[] => {
    const customers = on === 'public.customers';
    const needed =
      (who === readerRole && right === 'select') ||
      (who === writerRole && customers && right !== 'truncate');
    const harmless = who === writerRole && right === 'select' && on === 'clientele.migrations';
    if (needed && !has) {
      return [
        mustFix(
          `${who} lacks the ${right} privilege on ${on}.`,
          `grant ${right} on ${on} to ${who}`,
        ),
      ];
    }
    if (!needed && has && !harmless) {
      const holder = who === 'public' ? 'Everyone (public)' : who;
      return [
        mustFix(
          `${holder} must not have the ${right} privilege on ${on}.`,
          `revoke ${right} on ${on} from ${who}`,
        ),
      ];
    }
    return [];
  });
}

/** Checks how the running servers have connected. */
async function superuserServers({ client }: Circumstances): Promise<Finding[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct a.usename as name
     from pg_stat_activity as a join pg_roles as r on r.rolname = a.usename
     where a.datname = current_database() and r.rolsuper and a.application_name like 'clientele l%'`,
  );
  return rows.map(({ name }) =>
    warning(
      `serve connects as ${name}, a superuser.`,
      'Create a separate login for it, a member of clientele_reader: docs/operations.md, Roles.',
    ),
  );
}
