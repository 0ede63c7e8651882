/** Migrations are applied once, in order, completely or not at all, and never on a different history. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { migrate, type Migration, readMigrations } from '@clientele/directory';
import { describe, expect, test } from 'vitest';
import { createTestDatabase, temporaryFolder, type TestDatabase } from '@clientele/sandbox/testing';

const migrations = await readMigrations();
const names = migrations.map(({ name }) => name);

const extra = (sql: string): Migration => {
  const number = migrations.length + 1;
  return {
    number,
    name: `00000${number}_extra.sql`,
    sql,
    checksum: `of ${sql}`,
    oldestProgram: number,
  };
};

async function history(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    'select name from clientele.migrations order by number',
  );
  return rows.map(({ name }) => name);
}

test('20 concurrent runs on an empty database all succeed, and each migration is applied once', async () => {
  await using database = await createTestDatabase('template0');
  const clients = await Promise.all(Array.from({ length: 20 }, () => database.connect()));
  const reported: string[] = [];
  const applied = await Promise.all(
    clients.map((client) => migrate(client, migrations, (line) => reported.push(line))),
  );
  expect(applied).toHaveLength(20);
  expect(applied.flat()).toEqual(names);
  expect(reported).toEqual(names.map((name) => `Applied ${name}.`));
  expect(await history(database)).toEqual(names);
});

test('an owner named like our schema installs pg_trgm where the server finds it', async () => {
  await using database = await createTestDatabase('template0');
  const client = await database.connect();
  // For the login `clientele`, this is what `"$user"` in the default stands for.
  await client.query('set search_path = clientele, public');
  await migrate(client, migrations);
  const extensions = await database.query(
    "select e.extnamespace::regnamespace::text as schema from pg_extension as e where e.extname = 'pg_trgm'",
  );
  expect(extensions).toEqual([{ schema: 'public' }]);
});

test('a second run applies nothing, and a later run applies only new migrations', async () => {
  await using database = await createTestDatabase();
  const client = await database.connect();
  expect(await migrate(client, migrations)).toEqual([]);
  const later = extra('create table public.later (id int)');
  expect(await migrate(client, [...migrations, later])).toEqual([later.name]);
  expect(await database.query('select from later')).toEqual([]);
});

test('a failing migration leaves nothing behind, and the next run resumes with it', async () => {
  await using database = await createTestDatabase();
  const client = await database.connect();
  const broken = extra('create table public.half (id int); select 1 / 0');
  await expect(migrate(client, [...migrations, broken])).rejects.toMatchObject({
    name: 'MigrationError',
    message: `${broken.name} failed: division by zero`,
  });
  expect(await database.query(`select to_regclass('public.half') as half`)).toEqual([
    { half: null },
  ]);
  expect(await history(database)).toEqual(names);

  const fixed = { ...broken, sql: 'create table public.half (id int)' };
  // From another connection: the failed run holds no lock.
  expect(await migrate(await database.connect(), [...migrations, fixed])).toEqual([broken.name]);
});

describe('a program without the newest migrations', () => {
  const [n, name] = [migrations.length, `00000${migrations.length + 2}_third.sql`];
  const after = (oldestPrograms: number[]): Migration[] => [
    ...migrations,
    ...oldestPrograms.map((oldestProgram, i) => ({
      ...extra('select'),
      number: n + 1 + i,
      name: `00000${n + 1 + i}_${i === 0 ? 'second' : 'third'}.sql`,
      oldestProgram,
    })),
  ];

  test.each([
    { oldestPrograms: [n, n], what: 'is not refused if all of them allow it' },
    { oldestPrograms: [n + 1, n], what: 'is refused if the first rules it out', by: 'second' },
    { oldestPrograms: [n, n + 1], what: 'is refused if the last rules it out', by: 'third' },
  ])('$what', async ({ oldestPrograms, by }) => {
    await using database = await createTestDatabase();
    const client = await database.connect();
    await migrate(client, after(oldestPrograms));
    const lines: string[] = [];
    const older = migrate(client, migrations, (line) => lines.push(line));
    if (by)
      await expect(older).rejects.toThrow(new RegExp(`_${by}\\.sql\\. Use the newer program`));
    else expect(await older).toEqual([]);
    const newer = `The database is newer than this program: it has ${name}. This program can still be used.`;
    expect(lines).toEqual(by ? [] : [newer]);
  });

  test('is named in a line of the file; without it, none is allowed', async () => {
    await using folder = await temporaryFolder();
    await writeFile(folder.path('000001_one.sql'), 'select 1');
    await writeFile(folder.path('000002_two.sql'), '-- Two.\n-- oldest program: 000001\nselect 2');
    const files = await readMigrations(pathToFileURL(`${folder.path('')}/`));
    expect(files.map(({ oldestProgram }) => oldestProgram)).toEqual([1, 1]);
  });
});

describe('migrate rejects, with a reason and without changing anything,', () => {
  /** The last that needs a program which has it. */
  const strict = migrations.findLast(({ oldestProgram, number }) => oldestProgram === number)!;
  test.each<{ what: string; files: Migration[]; pattern: RegExp }>([
    {
      what: 'a file edited after it was applied',
      files: migrations.with(1, { ...migrations[1]!, checksum: 'other' }),
      pattern: /^000002_roles\.sql was edited after it was applied to this database\. Restore it/,
    },
    {
      what: 'a program older than the database',
      files: migrations.slice(0, strict.number - 1),
      pattern: new RegExp(`^The database is newer than this program: it has ${strict.name}`),
    },
  ])('$what', async ({ files, pattern }) => {
    await using database = await createTestDatabase();
    const next = extra('create table public.never (id int)');
    await expect(
      migrate(await database.connect(), files.length < names.length ? files : [...files, next]),
    ).rejects.toMatchObject({ name: 'MigrationError', message: expect.stringMatching(pattern) });
    expect(await history(database)).toEqual(names);
  });

  test.each([
    ['UTF8', /hides letters beyond ASCII from pg_trgm/],
    ['LATIN1', /^The encoding LATIN1 cannot store every name\./],
    ['SQL_ASCII', /^The encoding SQL_ASCII cannot store every name\./],
  ])(
    'a database with encoding %s and locale C, and suggests a better one',
    async (encoding, pattern) => {
      await using database = await createTestDatabase('template0', { encoding, locale: 'C' });
      const refusal: unknown = await migrate(await database.connect(), migrations).catch(
        (error: unknown) => error,
      );
      expect(refusal).toMatchObject({
        name: 'MigrationError',
        message: expect.stringMatching(pattern),
      });
      expect(String(refusal)).toContain(
        `create database clientele template template0 encoding 'UTF8' locale 'C.UTF-8'`,
      );
      expect(await database.query(`select to_regclass('customers') as customers`)).toEqual([
        { customers: null },
      ]);
    },
  );
});

describe('a migrations folder is rejected, naming the file, because of', () => {
  test.each([
    ['a misnamed file', ['000001_one.sql', '2_two.sql'], /^2_two\.sql is misnamed/],
    ['capitals', ['000001_One.sql'], /^000001_One\.sql is misnamed/],
    ['an unrelated file', ['000001_one.sql', 'README.md'], /^README\.md is misnamed/],
    [
      'a gap',
      ['000001_one.sql', '000003_three.sql'],
      /^000003_three\.sql is out of order: its number should be 000002/,
    ],
    [
      'a duplicate number',
      ['000001_one.sql', '000001_uno.sql'],
      /^000001_uno\.sql is out of order: its number should be 000002/,
    ],
    ['a wrong first number', ['000000_zero.sql'], /^000000_zero\.sql is out of order/],
  ])('%s', async (_what, files, pattern) => {
    const folder = await mkdtemp(join(tmpdir(), 'clientele-migrations-'));
    try {
      await Promise.all(files.map((name) => writeFile(join(folder, name), 'select 1')));
      await expect(readMigrations(pathToFileURL(`${folder}/`))).rejects.toMatchObject({
        name: 'MigrationError',
        message: expect.stringMatching(pattern),
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
