/** What operators do, at random: settings, triggers, DDL and upkeep of docs/decisions/operators-settings.md. */
import type pg from 'pg';
import type { Random } from '@clientele/sandbox/testing';

/** They change nothing that a response may depend on. */
const settings: [name: string, value: string][] = [
  ['default_transaction_isolation', 'repeatable read'],
  ['default_transaction_isolation', 'serializable'],
  ['default_transaction_deferrable', 'on'],
  ['gin_fuzzy_search_limit', '1'],
  ['datestyle', 'SQL, DMY'],
  ['datestyle', 'German'],
  ['intervalstyle', 'iso_8601'],
  ['timezone', 'Pacific/Kiritimati'],
  ['timezone', 'America/St_Johns'],
  ['extra_float_digits', '-15'],
  ['bytea_output', 'escape'],
  ['array_nulls', 'off'],
  ['transform_null_equals', 'on'],
  ['idle_session_timeout', '10min'],
  ['search_path', ''],
  ['search_path', 'elsewhere'],
  ['session_replication_role', 'replica'],
  ['synchronous_commit', 'off'],
  ['plan_cache_mode', 'force_generic_plan'],
  ['work_mem', '64kB'],
  ['jit_above_cost', '0'],
  ['plpgsql.extra_errors', 'all'],
  ['plpgsql.variable_conflict', 'use_column'],
  ['enable_seqscan', 'off'],
  ['enable_indexscan', 'off'],
  ['enable_bitmapscan', 'off'],
  ['enable_nestloop', 'off'],
  ['enable_sort', 'off'],
  ['enable_hashagg', 'off'],
  ['max_parallel_workers_per_gather', '8'],
  ['default_statistics_target', '1'],
];

/** New sessions have it, those of the server too. */
export async function changeSetting(client: pg.Client, random: Random): Promise<void> {
  const [name, value] = random.pick(settings);
  const { rows } = await client.query<{ database: string; role: string }>(
    `select pg_catalog.format('database %I', pg_catalog.current_database()) as database,
       pg_catalog.format('role %I in database %I', current_user, pg_catalog.current_database()) as role`,
  );
  const target = random.chance(0.5) ? rows[0]!.database : rows[0]!.role;
  await client.query(`alter ${target} set ${name} = '${value}'`);
}

export async function resetSettings(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ target: string }>(
    `select pg_catalog.unnest(array[pg_catalog.format('database %I', pg_catalog.current_database()),
       pg_catalog.format('role %I in database %I', current_user, pg_catalog.current_database())]) as target`,
  );
  for (const { target } of rows) await client.query(`alter ${target} reset all`);
}

const trigger = (when: string, event: string, body: string, level = 'row') => ({
  when,
  event,
  body,
  level,
});

/** The outermost write only, so that none causes another without end. */
const triggers = [
  trigger('before', 'insert or update', `new.full_name := new.full_name || ' Tidied'; return new`),
  trigger(
    'before',
    'insert or update',
    `new.company_name := pg_catalog.upper(new.full_name); return new`,
  ),
  trigger('before', 'insert', `if new.is_verified then return null; end if; return new`),
  trigger(
    'before',
    'insert',
    `new.created_at := '2025-01-01T00:00:00Z'; new.total_orders := 5; return new`,
  ),
  trigger(
    'before',
    'update',
    `new.phone_number := '+1 202 555 0199'; new.email_address := 'b.v@example.com'; return new`,
  ),
  trigger('before', 'update', `new.uuid := pg_catalog.gen_random_uuid(); return new`),
  trigger('before', 'delete', `if old.is_verified then return null; end if; return old`),
  trigger(
    'after',
    'insert',
    `update public.customers as c set total_orders = 7, lifetime_value_cents = 77 where c.uuid = new.uuid; return null`,
  ),
  trigger(
    'after',
    'insert',
    `update public.customers as c set full_name = 'Jørgensen B.V.' where c.uuid = new.uuid; return null`,
  ),
  trigger(
    'after',
    'insert',
    `delete from public.customers as c where c.uuid = new.uuid and c.is_verified; return null`,
  ),
  trigger(
    'after',
    'update',
    `update public.customers as c set last_order_at = null, company_name = 'Ågård' where c.uuid = new.uuid; return null`,
  ),
  trigger(
    'after',
    'update',
    `delete from public.customers as c where c.uuid = new.uuid and c.total_orders = 1; return null`,
  ),
  trigger(
    'after',
    'delete',
    `insert into public.customers (uuid, full_name, email_address, total_orders)
     values (old.uuid, 'Back ' || pg_catalog.left(old.full_name, 20), old.email_address, 3); return null`,
  ),
  trigger(
    'after',
    'truncate',
    `insert into public.customers (full_name, email_address) values ('First', 'first@example.com'); return null`,
    'statement',
  ),
  trigger(
    'after',
    'insert or update',
    `update public.customers as c set is_verified = not c.is_verified where c.total_orders = 2; return null`,
    'statement',
  ),
];

export async function createTrigger(client: pg.Client, random: Random): Promise<void> {
  await dropTriggers(client);
  const { when, event, body, level } = random.pick(triggers);
  // A BEFORE trigger has to sort before the one that masking adds.
  const name = `${random.pick(when === 'before' ? ['a', 'm'] : ['a', 'm', 'zzz'])}_operators`;
  const deferred = when === 'after' && level === 'row' && random.chance(0.3);
  await client.query(`
    create function public.operators() returns trigger language plpgsql as $$ begin ${body}; end $$;
    create ${deferred ? 'constraint' : ''} trigger ${name} ${when} ${event} on public.customers
      ${deferred ? 'deferrable initially deferred' : ''}
      for each ${level} when (pg_catalog.pg_trigger_depth() = 0) execute function public.operators();
    ${random.chance(0.5) ? `alter table public.customers enable always trigger ${name}` : ''}`);
}

export const dropTriggers = (client: pg.Client) =>
  client.query('drop function if exists public.operators() cascade');

export const ddl: Record<string, string> = {
  'add column': `alter table public.customers add column if not exists note text default 'none'`,
  'rewriting add column':
    'alter table public.customers add column if not exists token uuid default pg_catalog.gen_random_uuid()',
  'drop columns':
    'alter table public.customers drop column if exists note, drop column if exists token',
  'create index':
    'create index if not exists operators_index on public.customers (pg_catalog.lower(full_name), total_orders)',
  'create partial index':
    'create index if not exists operators_partial on public.customers (created_at) where total_orders > 0',
  'drop indexes': 'drop index if exists public.operators_index, public.operators_partial',
  'change storage':
    'alter table public.customers alter column full_name set storage external, alter column total_orders set statistics 3',
  'rewrite column':
    'alter table public.customers alter column total_orders type bigint using total_orders',
  'replica identity': 'alter table public.customers replica identity full',
  'create view': 'create or replace view public.operators_view as select * from public.customers',
  'drop view': 'drop view if exists public.operators_view',
  'create statistics':
    'create statistics if not exists public.operators_statistics on is_verified, total_orders from public.customers',
  'inherited table': `create table if not exists public.operators_child () inherits (public.customers);
    insert into public.operators_child (full_name, email_address) values ('Anna Child', 'child@example.com')`,
  'drop inherited table': 'drop table if exists public.operators_child',
  analyze: 'analyze public.customers',
  vacuum: 'vacuum (freeze) public.customers',
  'vacuum full': 'vacuum full public.customers',
  cluster: 'cluster public.customers using customers_pkey',
  reindex: 'reindex table public.customers',
  'say many customers': `update pg_catalog.pg_class set reltuples = 1234567 where oid = 'public.customers'::pg_catalog.regclass`,
  'trim log': 'select clientele.trim_changes(5)',
};
