/** What an operator has set for the database or a login that the product cannot make up for. */
import { rowSecurityFault } from '../db/fitness.ts';
import { mustFix, ok, warning, type Check, type Finding } from './finding.ts';

interface Setting {
  name: string;
  value: string;
  /** The statement that undoes it. */
  remedy: string;
}

/** Each says what is wrong with a value, or nothing. */
const judges: Record<
  string,
  (value: string) => [report: typeof mustFix, found: string] | undefined
> = {
  search_path: (value) =>
    value.split(',').findIndex((schema) => /^[\s"]*pg_catalog[\s"]*$/.test(schema)) > 0
      ? [
          mustFix,
          'search_path has a schema before pg_catalog: its functions can take the place of those that search texts are made with.',
        ]
      : undefined,
  synchronous_commit: (value) =>
    value === 'off'
      ? [
          warning,
          'synchronous_commit is off: a crash loses entries of the audit, and erasures, that were confirmed.',
        ]
      : undefined,
  transaction_timeout: (value) =>
    value.startsWith('0')
      ? undefined
      : [
          warning,
          `transaction_timeout is ${value}: it ends imports, migrations and counts that take longer.`,
        ],
  default_transaction_read_only: (value) =>
    ['on', 'true', 'yes', '1'].includes(value)
      ? [
          warning,
          'default_transaction_read_only is on: commands that write customers or keys fail.',
        ]
      : undefined,
};

/** Of the database, the logins that use it, and, for this login, the configuration file. */
const settingsStatement = `
  with own as (
    select d.oid, quote_ident(d.datname) as database from pg_database as d where d.datname = current_database()
  ), given as (
    select split_part(c, '=', 1) as name, substr(c, strpos(c, '=') + 1) as value, quote_ident(r.rolname) as login,
      case when s.setdatabase <> 0 then own.database end as database
    from own join pg_db_role_setting as s on s.setdatabase in (0, own.oid)
    left join pg_roles as r on r.oid = s.setrole, unnest(s.setconfig) as c
    where s.setrole = 0 or pg_has_role(s.setrole, 'clientele_reader', 'member')
      or pg_has_role(s.setrole, 'clientele_writer', 'member')
  )
  select g.name, g.value, case
      when g.login is null then 'alter database ' || g.database
      when g.database is null then 'alter role ' || g.login
      else 'alter role ' || g.login || ' in database ' || g.database
    end || ' reset ' || g.name as remedy
  from given as g where g.name = any ($1)
  union all
  select s.name, s.reset_val, 'alter system reset ' || s.name || '; select pg_reload_conf()'
  from pg_settings as s
  where s.name = any ($1) and s.source <> 'default' and s.name not in (select g.name from given as g)
  order by name, remedy`;

export const settings: Check = {
  name: 'settings',
  needsTables: true,
  primaryOnly: true,
  async look({ client }) {
    const fault = await rowSecurityFault(client);
    const { rows } = await client.query<Setting>(settingsStatement, [Object.keys(judges)]);
    const found: Finding[] = rows.flatMap(({ name, value, remedy }) => {
      const [report, words] = judges[name]!(value) ?? [];
      return report ? [report(words!, remedy)] : [];
    });
    if (fault) found.unshift(mustFix(fault.found, fault.remedy));
    return found.length > 0 ? found : [ok('No setting of the database or a login is in the way.')];
  },
};
