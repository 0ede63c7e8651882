/** After version N has migrated, version N−1 still works if the migration allows it; otherwise it says why not. */
import { writeFile } from 'node:fs/promises';
import { migrate, type Migration, readMigrations } from '@clientele/directory';
import { createTestDatabase, temporaryFolder, type TestDatabase } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { customers } from './setup/customers.ts';
import { clientele, makeKey, startService } from './setup/executable.ts';
import { httpGet } from './setup/load.ts';

const migrations = await readMigrations();
const level = migrations.length;
const newerName = `${String(level + 1).padStart(6, '0')}_newer.sql`;

/** Migrates the database as the next version would. */
async function migrateFurther(database: TestDatabase, oldestProgram: number): Promise<void> {
  const newer: Migration = {
    number: level + 1,
    name: newerName,
    sql: 'alter table public.customers add column nickname text',
    checksum: 'of the newer file',
    oldestProgram,
  };
  await migrate(await database.connect(), [...migrations, newer]);
}

async function importFile(database: TestDatabase) {
  await using folder = await temporaryFolder();
  const file = folder.path('one.csv');
  await writeFile(file, 'full_name,email_address\nZoë Example,zoe@mail.example\n');
  return await clientele(['import', file, '--id-column', 'email_address'], {
    DATABASE_URL: database.url,
  });
}

test('an old instance serves while the next version migrates, restarts, and so do the old commands', async () => {
  await using database = await createTestDatabase();
  await database.insert(customers);
  const env = { DATABASE_URL: database.url };
  const key = await makeKey(database.url);
  const list = { status: 200, body: { pagination: { total: customers.length } } };
  {
    await using running = await startService(env);
    const url = `${running.url}/v3/customers?search=customer`;
    expect(await httpGet(url, key), 'before the migration').toMatchObject(list);
    await migrateFurther(database, level);
    expect(await httpGet(url, key), 'after the migration').toMatchObject(list);
  }
  await using restarted = await startService(env);
  const [line] = await restarted.said(/^.*newer than this program.*$/m);
  expect(JSON.parse(line)).toMatchObject({
    level: 'warn',
    msg: `The database is newer than this program: it has ${newerName}. This program can still be used.`,
  });
  expect(await httpGet(`${restarted.url}/readyz`)).toMatchObject({ status: 200 });
  expect(await httpGet(`${restarted.url}/v3/customers?search=customer`, key)).toMatchObject(list);

  const migrated = await clientele(['migrate'], env);
  expect(migrated, 'so that a rollback may run it again').toMatchObject({ code: 0 });
  expect(migrated.stderr).toContain(`it has ${newerName}. This program can still be used.`);
  expect((await clientele(['doctor'], env)).stdout).toMatch(
    /^warning +migrations: The database is newer than this program/m,
  );
  expect((await clientele(['keys', 'list'], env)).code).toBe(0);
  expect((await importFile(database)).code).toBe(0);
});

test('a program that the newer schema rules out refuses to start, and says which migration does', async () => {
  await using database = await createTestDatabase();
  await migrateFurther(database, level + 1);
  const env = { DATABASE_URL: database.url, PORT: '0' };
  const runs = await Promise.all([
    clientele(['serve'], env),
    clientele(['migrate'], env),
    clientele(['keys', 'list'], env),
    importFile(database),
  ]);
  for (const { code, stderr } of runs) {
    expect(stderr).toBe(
      `clientele: The database is newer than this program: it has ${newerName}. Use the newer program.\n`,
    );
    expect(code).toBe(1);
  }
  expect((await clientele(['doctor'], env)).stdout).toMatch(
    /^MUST FIX +migrations: The database is newer than this program/m,
  );
});
