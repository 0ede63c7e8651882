/** Where the database is: in DATABASE_URL, in a file, or in the variables of libpq. */
import { writeFile } from 'node:fs/promises';
import { ConfigError, readDatabaseUrl } from '@clientele/directory';
import { readConfig } from '@clientele/server';
import { temporaryFolder, type TemporaryFolder } from '@clientele/sandbox/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const url = 'postgres://clientele:s3cret-w0rd@db.internal.example:5432/clientele';

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).faults;
  }
  return [];
}

describe('DATABASE_URL', () => {
  const example = 'a URL like postgres://user:password@host:5432/database';
  const several = ', with different nodes separated by commas';
  const instead = '; DATABASE_URL_FILE or PGHOST can be set instead';

  test.each([
    'postgres://h/d',
    'postgresql://u:p@h:5433/d?sslmode=require',
    'postgres://u@[::1]/d',
    'postgres://u:p@a:5432,b:5433,[::1]/d?sslmode=require',
  ])('%s is accepted', (given) => {
    expect(readDatabaseUrl({ DATABASE_URL: given })).toBe(given);
  });

  test.each([
    [{}, `DATABASE_URL must be set to ${example}${instead}`],
    [{ DATABASE_URL: '' }, `DATABASE_URL must be set to ${example}${instead}`],
    [{ DATABASE_URL: 'localhost' }, `DATABASE_URL must be ${example}`],
    [{ DATABASE_URL: 'postgres://h:port/d' }, `DATABASE_URL must be ${example}`],
    [{ DATABASE_URL: 'http://h/d' }, `DATABASE_URL must be ${example}`],
    [{ DATABASE_URL: 'postgres://u@a,b:x/d' }, `DATABASE_URL must be ${example}${several}`],
    [{ DATABASE_URL: 'postgres://u@a,,b/d' }, `DATABASE_URL must be ${example}${several}`],
    [{ DATABASE_URL: 'postgres://u@a,a:5432/d' }, `DATABASE_URL must be ${example}${several}`],
  ])(
    '%j is rejected by readConfig and by readDatabaseUrl',
    (env: Record<string, string>, fault) => {
      expect(faultsOf(env)).toEqual([fault]);
      expect(() => readDatabaseUrl(env)).toThrow(new ConfigError([fault]));
    },
  );
});

describe('DATABASE_URL_FILE', () => {
  let folder: TemporaryFolder;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  const inFile = async (content: string): Promise<Record<string, string>> => {
    await writeFile(folder.path('url'), content);
    return { DATABASE_URL_FILE: folder.path('url') };
  };

  test.each(['', '\n', '\r\n', '\n\n'])(
    'names a file with the URL, which may end in %j',
    async (end) => {
      const several = 'postgres://u:p@a:5432,b:5433/d?sslmode=require';
      expect(readDatabaseUrl(await inFile(`${url}${end}`))).toBe(url);
      expect(readConfig(await inFile(`${several}${end}`))).toMatchObject({
        database: { url: several },
        concurrency: { reads: 64 },
      });
    },
  );

  test('must not be set together with DATABASE_URL', async () => {
    const env = { ...(await inFile(url)), DATABASE_URL: url };
    expect(faultsOf(env)).toEqual(['DATABASE_URL and DATABASE_URL_FILE must not both be set']);
    expect(readDatabaseUrl({ ...env, DATABASE_URL: '' })).toBe(url);
  });

  test.each(['', 'hunter2-secret', 'mysql://root:hunter2-secret@db', `${url}\nhunter2-secret`])(
    'a file that contains %j is rejected, without its content',
    async (content) => {
      const [fault, ...others] = faultsOf(await inFile(content));
      expect(others).toEqual([]);
      expect(fault).toMatch(/^DATABASE_URL_FILE must name a file that contains a URL like /);
      expect(fault).not.toMatch(/hunter2|s3cret/);
    },
  );

  test('a file that cannot be read is rejected, without its name: it may be the secret itself', () => {
    expect(faultsOf({ DATABASE_URL_FILE: folder.path('hunter2') })).toEqual([
      'DATABASE_URL_FILE must name a file that can be read (ENOENT)',
    ]);
    expect(faultsOf({ DATABASE_URL_FILE: folder.path('') })).toEqual([
      'DATABASE_URL_FILE must name a file that can be read (EISDIR)',
    ]);
  });
});

describe('PGHOST', () => {
  test('stands for the URL, with the other variables of libpq', () => {
    expect(readDatabaseUrl({ PGHOST: 'db.internal.example' })).toBe('postgres:///');
    expect(readDatabaseUrl({ PGHOST: 'db.internal.example', DATABASE_URL: url })).toBe(url);
  });

  test('names one host: several need DATABASE_URL', () => {
    expect(faultsOf({ PGHOST: 'a,b' })).toEqual([
      'PGHOST must name one host; several nodes need DATABASE_URL',
    ]);
  });
});
