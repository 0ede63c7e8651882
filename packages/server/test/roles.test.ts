/** Privileges: the reader role can serve, the writer role can import, and neither can do more. */
import { buildApp, Nodes, openDatabase, readConfig, readMigrations } from '@clientele/server';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkDatabase } from '../src/db/check-database.ts';
import {
  createLoginRole,
  type LoginRole,
  createTestDatabase,
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
];

describe('the reader role', () => {
  test.each([
    'select * from customers',
    'select * from clientele.access_keys',
    'select * from clientele.migrations',
    'select clientele.search_patterns($$anna$$)',
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
    'insert into clientele.imports (fingerprint) values ($$x$$)',
    'select clientele.erase_customer(gen_random_uuid())',
    'set role clientele_writer',
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
    'select clientele.erase_customer(uuid) from customers',
  ])('can: %s', async (statement) => {
    await expect(attempt(writer, statement)).resolves.not.toHaveLength(0);
  });

  test.each([
    'select * from clientele.access_keys',
    'delete from clientele.gone_customers',
    'delete from clientele.imports',
    'set role clientele_reader',
    ...ownerOnly,
  ])('cannot: %s', async (statement) => {
    await expect(attempt(writer, statement)).rejects.toMatchObject(denied);
  });
});

describe("the server, given the owner's URL", () => {
  test.each(['lookups', 'lists', 'searches'] as const)(
    'reads with the reader role: %s',
    async (lane) => {
      const { database: config } = readConfig({ DATABASE_URL: database.url });
      const opened = openDatabase(config);
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
          opened[lane].query(statement('delete from customers'), []),
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
  await expect(checkDatabase(reader.url, migrations)).resolves.toBeInstanceOf(Array);
  const config = readConfig({ DATABASE_URL: reader.url, CLIENTELE_AUTH: 'none' });
  const nodes = new Nodes(config.database);
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
    await expect(checkDatabase(nonMember.url, migrations)).rejects.toMatchObject({
      name: 'DatabaseUnfitError',
      message: expect.stringContaining('grant clientele_reader to'),
    });
  }
});
