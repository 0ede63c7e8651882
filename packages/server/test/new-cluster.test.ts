/** The first migration in a cluster: the roles do not exist yet, and the owner may not be a superuser. */
import { buildApp, readConfig } from '@clientele/server';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  checkDatabase,
  migrate,
  MigrationError,
  Nodes,
  readMigrations,
} from '@clientele/directory';
import { withClient } from '@clientele/sandbox';
import {
  type FreshCluster,
  installedPostgres,
  patient,
  startFreshCluster,
} from '@clientele/sandbox/testing';

const migrations = await readMigrations();

describe.skipIf(!(await installedPostgres()))('in a new cluster', () => {
  let cluster: FreshCluster;
  beforeAll(async () => {
    cluster = await startFreshCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  /** Drops the databases and the roles, so that every test starts with a new cluster. */
  afterEach(async () => {
    const databases = await cluster.query<{ datname: string }>(
      `select datname from pg_database where datname like 'clientele%'`,
    );
    for (const { datname } of databases) {
      await cluster.query(`drop database ${datname} with (force)`);
    }
    const roles = await cluster.query<{ rolname: string }>(
      `select rolname from pg_roles where rolname ~ '^clientele_(reader|writer|owner)'`,
    );
    for (const { rolname } of roles) await cluster.query(`drop role ${rolname}`);
  });

  const migrateAs = (url: string): Promise<string[]> =>
    withClient(url, (client) => migrate(client, migrations));

  /** A database owned by an ordinary user, as hosting providers give out. */
  async function createOwned(attributes: string): Promise<string> {
    await cluster.query(`create role clientele_owner login password 'owner' ${attributes}`);
    await cluster.query(
      `create database clientele_owned owner clientele_owner
       template template0 encoding 'UTF8' locale 'C.UTF-8'`,
    );
    const url = new URL(cluster.url('clientele_owned'));
    url.username = 'clientele_owner';
    url.password = 'owner';
    return url.href;
  }

  async function expectServing(url: string): Promise<void> {
    expect(await checkDatabase(url, migrations, patient)).toBeInstanceOf(Array);
    const config = readConfig({ DATABASE_URL: url, CLIENTELE_AUTH: 'none' }, patient);
    const nodes = new Nodes(config);
    const readiness = { checked: true, draining: false };
    const app = await buildApp({ config, nodes, readiness, logStream: { write() {} } });
    try {
      const response = await app.inject({ url: '/v3/customers?search=anna' });
      expect(response.statusCode, response.body).toBe(200);
    } finally {
      await app.close();
      await nodes.close();
    }
  }

  test('20 databases can be migrated concurrently, although they all create the same two roles', async () => {
    const urls: string[] = [];
    for (let n = 1; n <= 20; n += 1) {
      const name = `clientele_race_${n}`;
      await cluster.query(
        `create database ${name} template template0 encoding 'UTF8' locale 'C.UTF-8'`,
      );
      urls.push(cluster.url(name));
    }
    const applied = await Promise.all(urls.map(migrateAs));
    expect(applied).toEqual(urls.map(() => migrations.map(({ name }) => name)));
    await expectServing(urls[13]!);
  });

  test('an owner with CREATEROLE can migrate and serve without a superuser', async () => {
    const url = await createOwned('createrole');
    expect(await migrateAs(url)).toHaveLength(migrations.length);
    await expectServing(url);
  });

  test('an owner without CREATEROLE gets the statements for an administrator, and they work', async () => {
    const url = await createOwned('');
    const refusal: unknown = await migrateAs(url).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(MigrationError);
    const { message } = refusal as MigrationError;
    expect(message).toContain('000002_roles.sql failed: permission denied');
    const remedy = /create role [^]+;/.exec(message)?.[0];
    expect(remedy, message).toContain('to the_user;');
    await expect(checkDatabase(url, migrations, patient)).rejects.toMatchObject({
      name: 'DatabaseUnfitError',
      message: expect.stringContaining('clientele migrate'),
    });

    await cluster.query(remedy!.replace('the_user', 'clientele_owner'));
    expect(await migrateAs(url)).toContain('000002_roles.sql');
    await expectServing(url);
  });

  test('an owner with CREATEROLE can use roles that another user created, if necessary after a grant', async () => {
    await cluster.query(`create database clientele_first
      template template0 encoding 'UTF8' locale 'C.UTF-8'`);
    await migrateAs(cluster.url('clientele_first'));
    const url = await createOwned('createrole');
    // Since PostgreSQL 16, CREATEROLE alone cannot grant a role that another user created.
    const [engine] = await cluster.query<{ version: number }>(
      `select current_setting('server_version_num')::int as version`,
    );
    if (engine!.version >= 160_000) {
      await expect(migrateAs(url)).rejects.toThrow(/grant clientele_reader, clientele_writer to/);
      await cluster.query('grant clientele_reader, clientele_writer to clientele_owner');
    }
    await migrateAs(url);
    await expectServing(url);
  });

  test('a wrong password and an unknown user give the same message', async () => {
    await cluster.query(`create database clientele_locked
      template template0 encoding 'UTF8' locale 'C.UTF-8'`);
    const url = new URL(cluster.url('clientele_locked'));
    const right = url.password;
    for (const [user, password] of [
      [url.username, 'wrong'],
      ['nobody_known', right],
    ] as const) {
      url.username = user;
      url.password = password;
      const refusal: unknown = await checkDatabase(url.href, migrations, patient).catch(
        (e: unknown) => e,
      );
      expect(refusal).toMatchObject({
        name: 'DatabaseUnfitError',
        message: 'The database refused the user or password of DATABASE_URL.',
      });
      expect(String(refusal)).not.toContain(password);
    }
  });
});
