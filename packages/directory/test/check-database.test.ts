/** Before it listens, `serve` checks the database and reports why it cannot be used and what to run. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { migrate, readMigrations } from '@clientele/directory';
import { expect, test } from 'vitest';
import { checkDatabase } from '../src/db/check-database.ts';
import { createTestDatabase, patient } from '@clientele/sandbox/testing';

const migrations = await readMigrations();

const unfit = (text: string) => ({
  name: 'DatabaseUnfitError',
  message: expect.stringContaining(text),
});

test('a migrated database passes', async () => {
  await using database = await createTestDatabase();
  expect(await checkDatabase(database.url, migrations, patient)).toEqual([]);
});

test('an empty database: reports the command to run', async () => {
  await using database = await createTestDatabase('template0');
  await expect(checkDatabase(database.url, migrations, patient)).rejects.toMatchObject(
    unfit('The database has no Clientele tables yet. Run: clientele migrate'),
  );
});

test.each([1, 2, 3])(
  'a database with only %i migrations applied: reports the command to run',
  async (count) => {
    await using database = await createTestDatabase('template0');
    await migrate(await database.connect(), migrations.slice(0, count));
    await expect(checkDatabase(database.url, migrations, patient)).rejects.toMatchObject(
      unfit('Run: clientele migrate'),
    );
  },
);

test('a database without the newest migration: reports its name and the command to run', async () => {
  await using database = await createTestDatabase();
  const newest = { number: 5, name: '000005_newest.sql', sql: '', checksum: '', oldestProgram: 5 };
  await expect(checkDatabase(database.url, [...migrations, newest], patient)).rejects.toMatchObject(
    unfit('The database lacks 000005_newest.sql. Run: clientele migrate'),
  );
});

test('a database newer than the program: says to use the newer program', async () => {
  await using database = await createTestDatabase();
  await expect(checkDatabase(database.url, migrations.slice(0, 3), patient)).rejects.toMatchObject(
    unfit('The database is newer than this program: it has 000004_change_log.sql'),
  );
});

test('a database with a different history: names the file that differs', async () => {
  await using database = await createTestDatabase();
  const edited = migrations.with(2, { ...migrations[2]!, checksum: 'other' });
  await expect(checkDatabase(database.url, edited, patient)).rejects.toMatchObject(
    unfit('000003_customers.sql was edited after it was applied'),
  );
});

test('a locale that hides letters from pg_trgm: gives the reason and a better locale', async () => {
  await using database = await createTestDatabase('template0', { encoding: 'UTF8', locale: 'C' });
  // As if the data had been moved there: the migration itself rejects such a database.
  const lenient = migrations.map((migration) => ({
    ...migration,
    sql: migration.sql.replace(/do \$\$\nbegin\n {2}if show_trgm[^]+?\$\$;/, ''),
  }));
  await migrate(await database.connect(), lenient);
  await expect(checkDatabase(database.url, lenient, patient)).rejects.toMatchObject(
    unfit('pg_trgm ignores non-ASCII letters'),
  );
});

test('a database that does not exist: says to create it', async () => {
  await using database = await createTestDatabase();
  const url = new URL(database.url);
  url.pathname = '/clientele_nowhere';
  await expect(checkDatabase(url.href, migrations, patient)).rejects.toMatchObject(
    unfit('The database named in DATABASE_URL does not exist.'),
  );
});

test('a port that is closed or stays silent: the database is unavailable, not unfit', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined).resume()).listen(
    0,
    '127.0.0.1',
  );
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const url = `postgres://user:secret@127.0.0.1:${port}/clientele`;
  const unavailable = {
    name: 'DatabaseUnavailableError',
    message: 'The database does not answer.',
  };
  try {
    await expect(checkDatabase(url, migrations, { connect: 500 })).rejects.toMatchObject(
      unavailable,
    );
  } finally {
    silent.close();
    await once(silent, 'close');
  }
  await expect(checkDatabase(url, migrations, { connect: 500 })).rejects.toMatchObject(unavailable);
});

test('a database whose log would contain what people search for: gives a warning', async () => {
  await using database = await createTestDatabase();
  const { name } = database;
  await database.query(`alter database ${name} set log_parameter_max_length = -1`);
  await database.query(`alter database ${name} set log_min_duration_statement = 0`);
  expect(await checkDatabase(database.url, migrations, patient)).toEqual([
    expect.stringContaining('log_parameter_max_length = 0'),
  ]);
});
