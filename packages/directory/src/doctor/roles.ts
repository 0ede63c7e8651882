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
/** The privileges on each table that the role must have; others it must not have. */
const needed: Record<string, Record<string, string>> = {
  'public.customers': { [readerRole]: 'select', [writerRole]: 'select insert update delete' },
  'clientele.access_keys': { [readerRole]: 'select' },
  'clientele.migrations': { [readerRole]: 'select', [writerRole]: 'select' },
  'clientele.changes': { [readerRole]: 'select' },
  'clientele.change_marks': { [readerRole]: 'select' },
  'clientele.changes_horizon': { [readerRole]: 'select' },
  'clientele.session_secret': { [readerRole]: 'select' },
  'clientele.sessions': { [readerRole]: 'select' },
  'clientele.people': { [readerRole]: 'select' },
  'clientele.stored_bounds': { [readerRole]: 'select' },
  'clientele.stored_maps': { [readerRole]: 'select' },
  'clientele.search_refresh': { [readerRole]: 'select' },
  'clientele.sorted_customers': { [readerRole]: 'select' },
  'clientele.orders': { [readerRole]: 'select' },
  'clientele.sorting': { [readerRole]: 'select' },
  'clientele.id_namespace': { [writerRole]: 'select' },
  'clientele.imports': { [writerRole]: 'select insert update' },
  'clientele.gone_customers': { [writerRole]: 'select insert update' },
  'clientele.erasures': { [readerRole]: 'select', [writerRole]: 'select' },
  'clientele.unchecked_customers': { [readerRole]: 'select' },
  'clientele.suppressions': { [readerRole]: 'select', [writerRole]: 'select' },
  'clientele.deferred_indexes': { [writerRole]: 'select' },
};

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
          `create role ${role} nologin; then repeat the grants to it in packages/directory/migrations`,
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
      ...(await predefinedRoles(circumstances)),
      ...(await rightsOf(circumstances)),
      ...(await rightsOfEveryone(circumstances)),
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

/** The reader may see the statistics of other sessions: docs/metrics.md, Transactions. */
const isPredefined = `r.rolname like 'pg\\_%' and pg_has_role(who, r.oid, 'member')
  and (who, r.rolname) <> ('${readerRole}', 'pg_read_all_stats')`;

/** Those of PostgreSQL, such as pg_read_all_data: each gives rights beyond our tables. */
async function predefinedRoles({ client }: Circumstances): Promise<Finding[]> {
  const { rows } = await client.query<{ who: string; name: string }>(
    `select who, r.rolname as name
     from unnest(array['${readerRole}', '${writerRole}']) as who
     join pg_roles as r on ${isPredefined}
     where not (select w.rolsuper from pg_roles as w where w.rolname = who)
     order by who, name`,
  );
  return rows.map(({ who, name }) =>
    mustFix(`${who} must not be a member of ${name}.`, `revoke ${name} from ${who}`),
  );
}

/** Granted to the role itself or to another one that it is a member of. */
async function rightsOf({ client }: Circumstances): Promise<Finding[]> {
  const { rows } = await client.query<{ who: string; right: string; on: string; has: boolean }>(
    `select who, p as right, t as on, has_table_privilege(who, c.oid, p) as has
     from unnest($1::text[]) as t
     join pg_namespace as n on n.nspname = split_part(t, '.', 1)
     join pg_class as c on c.relnamespace = n.oid and c.relname = split_part(t, '.', 2),
       unnest(array['${readerRole}', '${writerRole}']) as who,
       unnest(array['select', 'insert', 'update', 'delete', 'truncate']) as p
     -- What everyone has, or members of a predefined role, is reported as such.
     where not has_table_privilege('public', c.oid, p)
       and not exists (select from pg_roles as r where ${isPredefined})`,
    [Object.keys(needed)],
  );
  return rows.flatMap(({ who, right, on, has }): Finding[] => {
    const needs = needed[on]![who]?.split(' ').includes(right) ?? false;
    if (needs === has) return [];
    return has
      ? [
          mustFix(
            `${who} must not have the ${right} privilege on ${on}.`,
            `revoke ${right} on ${on} from ${who}`,
          ),
        ]
      : [
          mustFix(
            `${who} lacks the ${right} privilege on ${on}.`,
            `grant ${right} on ${on} to ${who}`,
          ),
        ];
  });
}

/** Everyone may execute the functions that only compute, and nothing else. */
async function rightsOfEveryone({ client }: Circumstances): Promise<Finding[]> {
  const { rows } = await client.query<{ right: string; on: string }>(
    `select p as right, format('%I.%I', n.nspname, c.relname) as on
     from pg_class as c
     join pg_namespace as n on n.oid = c.relnamespace,
       unnest(array['select', 'insert', 'update', 'delete', 'truncate']) as p
     where c.relkind in ('r', 'p', 'v', 'm')
       and (n.nspname = 'clientele' or (n.nspname, c.relname) = ('public', 'customers'))
       and has_table_privilege('public', c.oid, p)
     union all
     select 'execute', 'function ' || f.oid::regprocedure
     from pg_proc as f
     where f.pronamespace = 'clientele'::regnamespace
       and (f.provolatile <> 'i' or f.prosecdef)
       and has_function_privilege('public', f.oid, 'execute')
     union all
     select 'temporary', format('database %I', d.datname)
     from pg_database as d
     where d.datname = current_database() and has_database_privilege('public', d.oid, 'temporary')
     order by 2, 1`,
  );
  return rows.map(({ right, on }) =>
    // Without a function to misuse, a temporary table is harmless.
    (right === 'temporary' ? warning : mustFix)(
      `Everyone (public) must not have the ${right} privilege on ${on}.`,
      `revoke ${right} on ${on} from public`,
    ),
  );
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
