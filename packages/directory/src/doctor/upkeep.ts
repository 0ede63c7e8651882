/** Vacuuming and what holds it back, bloat, and the size of the change log. */
import {
  bytes,
  hidden,
  isHiddenClient,
  mustFix,
  ok,
  row,
  warning,
  type Check,
  type Finding,
} from './finding.ts';

const ourTables = `('public.customers'::regclass, 'clientele.changes'::regclass)`;

/** Bloat of smaller relations is not reported. */
const bloatFrom = 8_000_000;

/**
 * Compares the actual size with an estimate: the number of rows in the statistics times their average
 * width. A B-tree entry takes 16 bytes in addition to its columns. GIN indexes cannot be estimated.
 */
export const bloat: Check = {
  name: 'bloat',
  needsTables: true,
  primaryOnly: true,
  async look({ client }) {
    const { rows } = await client.query<{ name: string; is: number; kind: string; should: number }>(
      `with columns as (
         select a.attrelid as relation, a.attnum, s.avg_width as width
         from pg_attribute as a
         join pg_class as c on c.oid = a.attrelid
         join pg_namespace as n on n.oid = c.relnamespace
         join pg_stats as s
           on s.schemaname = n.nspname and s.tablename = c.relname and s.attname = a.attname
         where a.attrelid in ${ourTables}
       )
       select c.oid::regclass::text as name, 'table' as kind,
         pg_relation_size(c.oid)::float8 as is,
         greatest(c.reltuples, 0) * (28 + (select sum(width) from columns where relation = c.oid))
           as should
       from pg_class as c where c.oid in ${ourTables}
       union all
       select i.oid::regclass::text, 'index', pg_relation_size(i.oid),
         greatest(i.reltuples, 0) / 0.9 * (16 + (
           select sum(width) from columns
           where relation = x.indrelid and attnum = any (x.indkey::int2[])))
       from pg_index as x
       join pg_class as i on i.oid = x.indexrelid
       join pg_am as m on m.oid = i.relam and m.amname = 'btree'
       where x.indrelid in ${ourTables}`,
    );
    const found = rows
      .filter(({ is, should }) => is > bloatFrom && should !== null && is > 2.5 * should)
      .map(({ name, kind, is, should }) => {
        const size = `The ${kind} ${name} uses ${bytes(is)}; about ${bytes(should)} would be enough.`;
        return warning(
          size,
          kind === 'index'
            ? `reindex index concurrently ${name}`
            : `vacuum (verbose) ${name}; to return the space to the disk, when the table may be locked: vacuum full ${name}`,
        );
      });
    return found.length > 0 ? found : [ok('Tables and B-tree indexes are not bloated.')];
  },
};

export const vacuum: Check = {
  name: 'vacuum',
  needsTables: true,
  primaryOnly: true,
  async look({ client }) {
    const found: Finding[] = [];
    const settings = await row<{ autovacuum: boolean; counts: boolean }>(
      client,
      `select current_setting('autovacuum')::bool as autovacuum,
         current_setting('track_counts')::bool as counts`,
    );
    for (const [name, on] of [
      ['autovacuum', settings.autovacuum],
      ['track_counts', settings.counts],
    ] as const) {
      const remedy = `alter system set ${name} = on; select pg_reload_conf()`;
      if (!on)
        found.push(mustFix(`${name} is off: dead rows are not cleaned up automatically.`, remedy));
    }
    const { rows } = await client.query<{
      name: string;
      off: boolean;
      live: number;
      dead: number;
      analyzed: boolean;
    }>(
      `select c.oid::regclass::text as name, s.n_live_tup::float8 as live,
         s.n_dead_tup::float8 as dead, c.reltuples >= 0 as analyzed,
         exists (
           select from pg_options_to_table(c.reloptions) as o
           where o.option_name = 'autovacuum_enabled' and not o.option_value::bool
         ) as off
       from pg_class as c join pg_stat_all_tables as s on s.relid = c.oid
       where c.oid in ${ourTables}`,
    );
    for (const { name, off, live, dead, analyzed } of rows) {
      if (off) {
        const remedy = `alter table ${name} reset (autovacuum_enabled)`;
        found.push(mustFix(`autovacuum is off for the table ${name}.`, remedy));
      }
      if (dead > 10_000 && dead > 0.3 * live) {
        const many = `${name} has ${dead} dead rows and ${live} live ones.`;
        found.push(warning(many, `vacuum analyze ${name}`));
      } else if (!analyzed && live > 1_000 && name === 'customers') {
        const why = 'customers has never been analysed: searches are planned without statistics.';
        found.push(warning(why, 'vacuum analyze customers'));
      }
    }
    return found.length > 0 ? found : [ok('autovacuum is on and keeping up.')];
  },
};

export const wraparound: Check = {
  name: 'wraparound',
  primaryOnly: true,
  async look({ client }) {
    const { xids, multis, begins, danger } = await row<Record<string, number>>(
      client,
      `select age(d.datfrozenxid) as xids, mxid_age(d.datminmxid) as multis,
         current_setting('autovacuum_freeze_max_age')::int as begins,
         current_setting('vacuum_failsafe_age')::int as danger
       from pg_database as d where d.datname = current_database()`,
    );
    const age = Math.max(xids!, multis!);
    const found = `The oldest unfrozen transaction ID is ${age.toLocaleString('en')} transactions old`;
    const remedy =
      'End long transactions (see the transactions check), then run as the owner: vacuum (freeze, verbose)';
    // PostgreSQL stops accepting writes at an age of about two billion.
    if (age > danger!) return [mustFix(`${found}: writes will stop soon.`, remedy)];
    // Autovacuum starts freezing at this age and should be done well before 20 % more.
    if (age > 1.2 * begins!) return [warning(`${found}; autovacuum is behind.`, remedy)];
    return [ok(`${found}.`)];
  },
};

export const transactions: Check = {
  name: 'transactions',
  async look({ client, longTransaction }) {
    const prepared = await client.query<{ gid: string; database: string; seconds: number }>(
      `select p.gid, p.database, extract(epoch from now() - p.prepared)::float8 as seconds
       from pg_prepared_xacts as p
       where now() - p.prepared >= make_interval(secs => $1)`,
      [longTransaction],
    );
    const open = await client.query<{ pid: number; state: string; seconds: number }>(
      `select a.pid, a.state, extract(epoch from now() - a.xact_start)::float8 as seconds
       from pg_stat_activity as a
       where a.backend_type = 'client backend' and a.pid <> pg_backend_pid()
         and now() - a.xact_start >= make_interval(secs => $1)`,
      [longTransaction],
    );
    // Everybody sees the lock that each transaction has on itself.
    const { logins } = await row<{ logins: string | null }>(
      client,
      `select string_agg(distinct a.usename, ', ') as logins
       from pg_stat_activity as a
       join pg_locks as l on l.pid = a.pid and l.locktype = 'virtualxid' and l.mode = 'ExclusiveLock'
       where ${isHiddenClient}`,
    );
    const found = [
      ...prepared.rows.map(({ gid, database, seconds }) =>
        mustFix(
          `A transaction prepared ${minutes(seconds)} ago in ${database} holds locks and blocks vacuum.`,
          `Commit it or roll it back, in that database and as its owner: rollback prepared '${gid.replaceAll("'", "''")}'`,
        ),
      ),
      ...open.rows.map(({ pid, state, seconds }) =>
        warning(
          `Process ${pid} (${state}) has had a transaction open for ${minutes(seconds)}.`,
          `Wait until it ends, or: select pg_terminate_backend(${pid})`,
        ),
      ),
      ...(logins === null
        ? []
        : [hidden(`Transactions of ${logins} are open; this login cannot see since when.`)]),
    ];
    return found.length > 0 ? found : [ok('No long transactions.')];
  },
};

const minutes = (seconds: number): string =>
  seconds < 60 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;

/** Twice the number of entries that trimming keeps. */
const mostChanges = 1_000_000;

export const changeLog: Check = {
  name: 'change log',
  needsTables: true,
  primaryOnly: true,
  async look({ client }) {
    const { entries, size } = await row<{ entries: number; size: number }>(
      client,
      `select (select count(*)::int from (select from clientele.changes limit $1::int + 1) as c) as entries,
         pg_total_relation_size('clientele.changes')::float8 as size`,
      [mostChanges],
    );
    if (entries <= mostChanges) {
      return [ok(`${entries.toLocaleString('en')} entries, ${bytes(size)}.`)];
    }
    return [
      warning(
        `More than ${mostChanges.toLocaleString('en')} entries, ${bytes(size)}: the change log is not being trimmed.`,
        'End long transactions, then run as the owner: select clientele.trim_changes(500000); vacuum clientele.changes',
      ),
    ];
  },
};
