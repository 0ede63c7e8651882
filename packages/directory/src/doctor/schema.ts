/** Whether the schema is the one that the migrations create. */
import { checkSchema, ruleFault, unloggedFault } from '../db/fitness.ts';
import { mustFix, ok, warning, type Check, type Finding } from './finding.ts';

export const migrationState: Check = {
  name: 'migrations',
  primaryOnly: true,
  async look({ client, migrations }) {
    const { fault, newer } = await checkSchema(client, migrations);
    if (fault) return [mustFix(fault.found, fault.remedy)];
    if (newer !== undefined) return [warning(newer, 'Use the newer program.')];
    return [ok(`All ${migrations.length} migrations are applied.`)];
  },
};

/** The indexes that lists, searches and the change log need. */
export const expectedIndexes: Record<string, string> = {
  'public.customers_pkey': 'alter table public.customers add primary key (uuid)',
  'public.customers_by_place':
    'create index concurrently customers_by_place on public.customers (place desc, created_at desc, uuid desc)',
  'public.customers_search':
    'create index concurrently customers_search on public.customers using gin (search_text gin_trgm_ops)',
  'clientele.changes_by_xid': 'create index concurrently changes_by_xid on clientele.changes (xid)',
};

export const indexes: Check = {
  name: 'indexes',
  needsTables: true,
  primaryOnly: true,
  async look({ client }) {
    const { rows } = await client.query<{ name: string; healthy: boolean }>(
      `select n.nspname || '.' || i.relname as name, x.indisvalid and x.indisready as healthy
       from pg_index as x
       join pg_class as i on i.oid = x.indexrelid
       join pg_namespace as n on n.oid = i.relnamespace
       join pg_class as t on t.oid = x.indrelid
       where n.nspname = 'clientele' or t.oid = 'public.customers'::regclass`,
    );
    const names = new Set(rows.map(({ name }) => name));
    const missing = Object.entries(expectedIndexes)
      .filter(([name]) => !names.has(name))
      .map(([name, remedy]) => mustFix(`The index ${name} is missing.`, remedy));
    const invalid = rows
      .filter(({ healthy }) => !healthy)
      .map(({ name }) =>
        // REINDEX CONCURRENTLY leaves these behind when it fails.
        /_cc(new|old)\d*$/.test(name)
          ? mustFix(
              `The index ${name} is left over from a failed rebuild.`,
              `drop index concurrently ${name}`,
            )
          : mustFix(`The index ${name} is invalid.`, `reindex index concurrently ${name}`),
      );
    const found = [...missing, ...invalid];
    return found.length > 0 ? found : [ok(`All ${rows.length} indexes are valid.`)];
  },
};

/** In which sessions each fires: `O` ordinary ones, `R` those of logical replication, `A` all. One only has to exist. */
const expectedTriggers = {
  log_inserts: 'O',
  log_replicated_inserts: 'R',
  log_updates: 'A',
  log_deletes: 'A',
  log_truncate: 'A',
  no_parent: 'none',
};
const enabling: Record<string, string> = { O: 'enable', R: 'enable replica', A: 'enable always' };

export const triggers: Check = {
  name: 'change log triggers',
  needsTables: true,
  primaryOnly: true,
  async look({ client }) {
    const { rows } = await client.query<{ name: string; enabled: string }>(
      `select t.tgname as name, t.tgenabled as enabled
       from pg_trigger as t
       where t.tgrelid = 'public.customers'::regclass and not t.tgisinternal`,
    );
    const found = Object.entries(expectedTriggers).flatMap(([name, fires]): Finding[] => {
      const trigger = rows.find((each) => each.name === name);
      if (trigger?.enabled === fires || (trigger && fires === 'none')) return [];
      const state = trigger
        ? 'does not fire when it has to: lists fail until it does'
        : 'is missing: lists fail until it exists';
      const remedy = trigger
        ? `alter table public.customers ${enabling[fires]} trigger ${name}`
        : 'Create it as in packages/directory/migrations/000004_change_log.sql';
      return [mustFix(`The trigger ${name} ${state}.`, remedy)];
    });
    return found.length > 0 ? found : [ok('Every write is logged.')];
  },
};

export const inheritance: Check = {
  name: 'inheritance',
  needsTables: true,
  primaryOnly: true,
  async look({ client }) {
    const { rows } = await client.query<{ child: string }>(
      `select i.inhrelid::regclass::text as child from pg_inherits as i
       where i.inhparent = 'public.customers'::regclass`,
    );
    if (rows.length === 0) return [ok('No table inherits from public.customers.')];
    return rows.map(({ child }) =>
      mustFix(
        `${child} inherits from public.customers: its rows are not in the directory.`,
        `Move its rows to public.customers, then: alter table ${child} no inherit public.customers`,
      ),
    );
  },
};

export const tables: Check = {
  name: 'tables',
  needsTables: true,
  primaryOnly: true,
  async look({ client }) {
    const faults = [await unloggedFault(client), await ruleFault(client)];
    const found = faults.flatMap((fault) => (fault ? [mustFix(fault.found, fault.remedy)] : []));
    return found.length > 0 ? found : [ok('No table is unlogged or has rules.')];
  },
};
