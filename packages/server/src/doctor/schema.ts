/** Whether the schema is the one that the migrations create. */
import { schemaFault } from '../db/fitness.ts';
import { mustFix, ok, type Check, type Finding } from './finding.ts';

export const migrationState: Check = {
  name: 'migrations',
  async look({ client, migrations }) {
    const fault = await schemaFault(client, migrations);
    return fault
      ? [mustFix(fault.found, fault.remedy)]
      : [ok(`All ${migrations.length} migrations are applied.`)];
  },
};

/** The indexes that lists, searches and the change log need. */
export const expectedIndexes: Record<string, string> = {
  'public.customers_pkey': 'alter table public.customers add primary key (uuid)',
  'public.customers_by_place':
    'create index concurrently customers_by_place on public.customers (place desc, created_at desc, uuid desc)',
  'public.customers_search':
    'create index concurrently customers_search on public.customers using gin (search_text gin_trgm_ops)',
  'clientele.changes_pkey': 'alter table clientele.changes add primary key (id)',
  'clientele.changes_by_xid': 'create index concurrently changes_by_xid on clientele.changes (xid)',
};

export const indexes: Check = {
  name: 'indexes',
  needsTables: true,
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

const expectedTriggers = ['log_inserts', 'log_deletes', 'log_updates', 'log_truncate'];

export const triggers: Check = {
  name: 'change log triggers',
  needsTables: true,
  async look({ client }) {
    const { rows } = await client.query<{ name: string; enabled: string }>(
      `select t.tgname as name, t.tgenabled as enabled
       from pg_trigger as t
       where t.tgrelid = 'public.customers'::regclass and not t.tgisinternal`,
    );
    const found = expectedTriggers.flatMap((name): Finding[] => {
      const trigger = rows.find((each) => each.name === name);
      if (trigger?.enabled === 'A') return [];
      const state = trigger ? 'does not fire on every write' : 'is missing';
      const remedy = trigger
        ? `alter table public.customers enable always trigger ${name}`
        : 'Create it as in packages/server/migrations/000005_places_and_changes.sql';
      return [
        mustFix(
          `The trigger ${name} ${state}: totals become wrong after writes.`,
          `${remedy}; then restart every instance of serve.`,
        ),
      ];
    });
    return found.length > 0 ? found : [ok('Every write is logged.')];
  },
};
