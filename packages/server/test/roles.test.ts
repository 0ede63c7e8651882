/** Privileges: the reader role can serve, the writer role can import, and neither can do more. */
import { readFile } from 'node:fs/promises';
import { buildApp, readConfig } from '@clientele/server';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addOrder,
  checkDatabase,
  migrate,
  Nodes,
  openDatabase,
  prepareMasking,
  readMigrations,
} from '@clientele/directory';
import {
  createLoginRole,
  createTestDatabase,
  type LoginRole,
  patient,
  type TestDatabase,
} from '@clientele/sandbox/testing';

const uuid = '00000000-0000-4000-8000-000000000001';
const denied = { code: '42501' };

let database: TestDatabase;
let reader: LoginRole;
let writer: LoginRole;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.insert([
    {
      uuid,
      full_name: 'Ada Sample',
      email_address: 'ada@directory.example',
      is_verified: false,
      total_orders: 0,
      lifetime_value_cents: 0,
      created_at: '2026-01-31T09:05:00.000Z',
    },
  ]);
  reader = await createLoginRole(database, 'in role clientele_reader');
  writer = await createLoginRole(database, 'in role clientele_writer');
});
afterAll(async () => {
  await reader[Symbol.asyncDispose]();
  await writer[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** Runs a statement and rolls it back. */
async function attempt(user: LoginRole, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: user.url });
  await client.connect();
  try {
    await client.query('begin');
    return (await client.query(statement)).rows;
  } finally {
    await client.query('rollback');
    await client.end();
  }
}

const ownerOnly = [
  'truncate customers',
  'alter table customers add column more text',
  'alter table customers drop constraint customers_pkey',
  'alter table customers disable trigger all',
  'drop table customers',
  'drop function clientele.fold(text) cascade',
  'create index on customers (company_name)',
  'create table public.mine (id int)',
  'create table clientele.mine (id int)',
  'create schema mine',
  'create role clientele_mine',
  'insert into clientele.access_keys (id, name, secret_hash, scopes) values (repeat($$a$$, 12), $$mine$$, sha256($$$$), array[$$customers:list$$])',
  'update clientele.access_keys set revoked_at = null',
  'delete from clientele.access_keys',
  'truncate clientele.access_keys',
  'drop table clientele.access_keys',
  'update clientele.migrations set checksum = $$$$',
  'delete from clientele.migrations',
  'select * from pg_authid',
  'select pg_read_file($$postgresql.conf$$)',
  'copy customers to program $$cat$$',
  'set role pg_read_all_data',
  'select clientele.trim_changes(0)',
  'update clientele.search_refresh set compared = 0',
  'delete from clientele.sorted_customers',
  'insert into clientele.orders (name) values ($$total_orders$$)',
  'update clientele.sorting set is_complete = true',
  'select clientele.begin_order($$total_orders$$)',
];

describe('the reader role', () => {
  test.each([
    'select * from customers',
    'select * from clientele.access_keys',
    'select * from clientele.migrations',
    'select clientele.search_patterns($$anna$$)',
    'select clientele.note_key_use(array[$$a$$], array[0.5])',
    'select * from clientele.take_records(array[$$a$$], array[1], array[10])',
    'select * from clientele.records_shown',
    'select clientele.append_audit(u, 1, $$$$, $$[]$$, $$$$, sha256(uuid_send(u) || int8send(1) || int4send(2) || $$[]$$)) from gen_random_uuid() as u',
    'select clientele.keep_audit()',
    'select * from clientele.erasures',
    'select * from clientele.sorted_customers',
    'select clientele.available_orders()',
    'select clientele.analyze_erased()',
    'select clientele.clear_erasures()',
  ])('can: %s', async (statement) => {
    await expect(attempt(reader, statement)).resolves.toBeInstanceOf(Array);
  });

  test.each([
    'insert into customers (full_name, email_address) values ($$x$$, $$y$$)',
    'update customers set full_name = $$x$$',
    'delete from customers',
    'select * from customers for update',
    'lock table customers',
    'select * from clientele.gone_customers',
    'select * from clientele.id_namespace',
    'insert into clientele.imports (fingerprint) values ($$x$$)',
    'select clientele.erase_customer(gen_random_uuid())',
    'select clientele.erase_customers($$[]$$)',
    'select clientele.suppress($${}$$, $${}$$, $${}$$)',
    'update clientele.erasures set cleared_at = now()',
    'create temp table mine (place float8, search_text text)',
    'update clientele.records_shown set records = 0',
    'delete from clientele.records_shown',
    'set role clientele_writer',
    'select * from clientele.audit_batches',
    'select * from clientele.audit_entries',
    'select * from clientele.audit_chains',
    'select * from clientele.audit_checkpoints',
    'insert into clientele.audit_batches default values',
    'delete from clientele.audit_batches',
    'update clientele.audit_chains set number = 1',
    'update clientele.audit_retention set months = 1',
    'select clientele.add_audit_month(current_date)',
    ...ownerOnly,
  ])('cannot: %s', async (statement) => {
    await expect(attempt(reader, statement)).rejects.toMatchObject(denied);
  });
});

describe('the writer role', () => {
  test.each([
    'select * from customers',
    'insert into customers (full_name, email_address) values ($$x$$, $$y$$) returning uuid',
    'update customers set full_name = $$x$$ returning search_text',
    'delete from customers returning uuid',
    'select * from clientele.migrations',
    'insert into clientele.imports (fingerprint) values ($$x$$) returning id',
    'select * from clientele.id_namespace',
    'select clientele.erase_customer(uuid) from customers',
    'select clientele.erase_customers(jsonb_build_array(jsonb_build_object($$uuid$$, uuid))) from customers',
    'select clientele.suppress($${}$$, $${}$$, $${}$$)',
  ])('can: %s', async (statement) => {
    await expect(attempt(writer, statement)).resolves.not.toHaveLength(0);
  });

  test.each([
    'select * from clientele.access_keys',
    'delete from clientele.gone_customers',
    'delete from clientele.imports',
    'delete from clientele.erasures',
    'update clientele.erasures set cleared_at = now()',
    'delete from clientele.suppressions',
    'select * from clientele.changes',
    'select * from clientele.sorted_customers',
    'update clientele.id_namespace set namespace = gen_random_uuid()',
    'select clientele.note_key_use(array[$$a$$], array[0.5])',
    'select * from clientele.take_records(array[$$a$$], array[1], array[10])',
    'select * from clientele.audit_entries',
    'delete from clientele.audit_batches',
    'select clientele.keep_audit()',
    'set role clientele_reader',
    ...ownerOnly,
  ])('cannot: %s', async (statement) => {
    await expect(attempt(writer, statement)).rejects.toMatchObject(denied);
  });
});

describe('functions', () => {
  // What a role may execute without being granted it, and what it is granted. A migration that creates a
  // function revokes it from PUBLIC, and grants it by name.
  test('are executable by the roles that need them, and only pure ones by everyone', async () => {
    const rows = await database.query<{ who: string; functions: string[] }>(
      `select who, array_agg(p.proname::text order by p.proname) as functions
       from unnest(array['public', 'clientele_reader', 'clientele_writer']) as who
       cross join pg_proc as p
       where p.pronamespace = 'clientele'::regnamespace
         and exists (
           select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
           where a.privilege_type = 'EXECUTE'
             and a.grantee = case when who = 'public' then 0 else who::regrole end
         )
       group by who`,
    );
    const pure = [
      'fold',
      'mark',
      'other_spellings',
      'place',
      'search_patterns',
      'search_text',
      'sort_place',
      'sort_place',
      'spell_out',
    ];
    expect(Object.fromEntries(rows.map(({ who, functions }) => [who, functions]))).toEqual({
      public: pure,
      clientele_reader: [
        'analyze_erased',
        'append_audit',
        'append_audit_checkpoint',
        'available_orders',
        'clear_erasures',
        'clear_old_text',
        'customer_writers',
        'end_provider_sessions',
        'end_session',
        'is_masking_ready',
        'keep_audit',
        'masking_triggers',
        'note_key_use',
        'only_audited_since',
        'publish_changes',
        'settle_unchecked',
        'sort_triggers',
        'start_key_session',
        'start_person_session',
        'store_bounds',
        'store_map',
        'take_records',
        'unchecked_audit_chains',
      ],
      clientele_writer: [
        'analyze_erased',
        'append_audit',
        'begin_first_import',
        'clear_erasures',
        'clear_old_text',
        'customer_writers',
        'erase_customer',
        'erase_customers',
        'finish_first_import',
        'lift_suppressions',
        'lock_deletes',
        'suppress',
      ],
    });
    const impure = await database.query(
      `select p.proname from pg_proc as p
       where p.pronamespace = 'clientele'::regnamespace and p.proname = any ($1)
         and (p.provolatile <> 'i' or p.prosecdef)`,
      [pure],
    );
    expect(impure, 'everyone may execute what only computes').toEqual([]);
  });

  test('are all that everyone may use of the schema', async () => {
    const rights = await database.query(
      `select c.relname, a.privilege_type
       from pg_class as c
       left join pg_attribute as t on t.attrelid = c.oid,
         aclexplode(coalesce(c.relacl, acldefault('r', c.relowner)) || t.attacl) as a
       where c.relnamespace = 'clientele'::regnamespace and a.grantee = 0
       union all
       select 'schema', a.privilege_type
       from pg_namespace as n, aclexplode(n.nspacl) as a where n.nspname = 'clientele' and a.grantee = 0`,
    );
    expect(rights).toEqual([{ relname: 'schema', privilege_type: 'USAGE' }]);
  });

  test('of triggers cannot be put on a table of the writer, so no entry of the log is forged', async () => {
    const functions = await database.query<{ name: string }>(
      `select p.oid::regprocedure::text as name from pg_proc as p
       where p.pronamespace = 'clientele'::regnamespace and p.prorettype = 'trigger'::regtype`,
    );
    expect(functions.length).toBeGreaterThan(4);
    for (const { name } of functions) {
      const forgery = `
        create temp table mine (place float8, search_text text);
        create trigger forge after insert on mine for each row execute function ${name};
        insert into mine values (1, ' forged')`;
      await expect(attempt(writer, forgery), name).rejects.toMatchObject(denied);
    }
  });

  test('can be used by any role that may write customers, also while masking and orders are prepared', async () => {
    await using prepared = await createTestDatabase();
    await using other = await createLoginRole(prepared);
    await prepared.query(`grant select, insert, update, delete on customers to ${other.name}`);
    await prepared.insert([
      { uuid, full_name: 'Ada Sample', email_address: 'ada@directory.example' },
    ]);
    const owner = await prepared.connect();
    const states: [string, () => Promise<unknown>][] = [
      ['new', () => Promise.resolve()],
      ['names are being filled', () => owner.query('select clientele.begin_masking()')],
      ['masking is prepared', () => prepareMasking(owner)],
      ['an order is on', () => addOrder(owner, 'total_orders')],
    ];
    for (const [state, enter] of states) {
      await enter();
      for (const statement of [
        'insert into customers (full_name, email_address) values ($$x$$, $$y$$) returning search_text',
        'update customers set total_orders = 1 returning search_text',
        'update customers set full_name = $$x$$ returning search_text',
        'delete from customers returning search_text',
      ]) {
        const written = attempt(other, statement);
        await expect(written, `${state}: ${statement}`).resolves.toHaveLength(1);
      }
    }
  });
});

test('the grants of docs/audit.md suffice to read the audit, and give nothing else of it', async () => {
  const page = await readFile(new URL('../../../docs/audit.md', import.meta.url), 'utf8');
  const grants = [...page.matchAll(/`(grant [^`]+) to NAME`/g)].map(([, grant]) => grant);
  expect(grants).not.toHaveLength(0);
  await using auditor = await createLoginRole(database);
  for (const grant of grants) await database.query(`${grant} to ${auditor.name}`);

  const read = 'select count(*)::int as entries from clientele.audit_entries';
  await expect(attempt(auditor, read)).resolves.toEqual(await database.query(read));
  for (const statement of [
    'select from clientele.audit_batches',
    'select from clientele.audit_checkpoints',
    'select from clientele.erasures',
    'select from customers',
    'select clientele.keep_audit()',
  ]) {
    await expect(attempt(auditor, statement), statement).rejects.toMatchObject(denied);
  }
});

test('migrating leaves temporary tables to the writer and the owner', async () => {
  await using migrated = await createTestDatabase('template0');
  await migrate(await migrated.connect(), await readMigrations());
  expect(
    await migrated.query(
      `select coalesce(nullif(a.grantee, 0)::regrole::text, 'public') as who
       from pg_database as d, aclexplode(d.datacl) as a
       where d.datname = current_database() and a.privilege_type = 'TEMPORARY'
         and a.grantee <> d.datdba`,
    ),
  ).toEqual([{ who: 'clientele_writer' }]);
});

describe("the server, given the owner's URL", () => {
  test.each(['lookups', 'lists', 'searches'] as const)(
    'reads with the reader role: %s',
    async (lane) => {
      const { database: config, timeouts } = readConfig({ DATABASE_URL: database.url }, patient);
      const opened = openDatabase({ ...config, timeouts });
      try {
        const statement = (text: string) => ({ name: '', text });
        const [session] = await opened[lane].query<{ role: string; login: string }>(
          statement(
            `select current_user as role, session_user as login,
             current_setting('default_transaction_read_only') as read_only,
             pg_has_role(current_user, session_user, 'member') as may_return`,
          ),
          [],
        );
        expect(session).toEqual({
          role: 'clientele_reader',
          login: new URL(database.url).username,
          read_only: 'on',
          may_return: false,
        });
        // As reported by the cluster, not by the session itself.
        expect(
          await database.query(
            `select usename as login from pg_stat_activity
           where datname = current_database() and application_name = $1`,
            [`clientele ${lane}`],
          ),
        ).toEqual([{ login: session!.login }]);
        await expect(
          opened[lane].query(statement('delete from public.customers'), []),
        ).rejects.toMatchObject({ code: '25006' });
        expect(await database.query('select from customers')).toHaveLength(1);
      } finally {
        await opened.close();
      }
    },
  );
});

test('a login that is only a member of the reader role can serve', async () => {
  const migrations = await readMigrations();
  await expect(checkDatabase(reader.url, migrations, patient)).resolves.toBeInstanceOf(Array);
  const config = readConfig({ DATABASE_URL: reader.url, CLIENTELE_AUTH: 'none' }, patient);
  const nodes = new Nodes(config);
  const readiness = { checked: true, draining: false };
  const app = await buildApp({ config, nodes, readiness, logStream: { write() {} } });
  try {
    for (const url of [`/v3/customers/${uuid}`, '/v3/customers', '/v3/customers?search=ada']) {
      const response = await app.inject({ url });
      expect(response.statusCode, response.body).toBe(200);
      expect(response.body).toContain(uuid);
    }
  } finally {
    await app.close();
    await nodes.close();
  }
});

test('a login that is not a member is rejected with the grant that is missing', async () => {
  const migrations = await readMigrations();
  for (const attributes of ['', 'in role clientele_writer']) {
    await using nonMember = await createLoginRole(database, attributes);
    await expect(checkDatabase(nonMember.url, migrations, patient)).rejects.toMatchObject({
      name: 'DatabaseUnfitError',
      message: expect.stringContaining('grant clientele_reader to'),
    });
  }
});
