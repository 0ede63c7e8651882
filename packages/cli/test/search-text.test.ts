/** `clientele prepare search-text`, and who says that it has to be run. */
import { createTestDatabase, withEarlierSearchText } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { clientele } from './setup/executable.ts';

test('migrate and the doctor name the command until it has run', async () => {
  await using database = await createTestDatabase();
  const env = { DATABASE_URL: database.url };
  await withEarlierSearchText(database, () =>
    database.query(
      `insert into customers (full_name, email_address) values
         ('Jürgen Müller', 'a@directory.example'), ('Ada Sample', 'b@directory.example')`,
    ),
  );
  const found = () =>
    database.query(`select full_name from customers where search_text like '%mueller%'`);

  const states = async () => (await clientele(['prepare', 'list'], env)).stdout;

  const migrated = await clientele(['migrate', '--no-prepare'], env);
  expect(migrated.stderr).toContain('Run: clientele prepare search-text');
  expect((await clientele(['doctor'], env)).stdout).toMatch(
    /search text: .*\n.*clientele prepare search-text/,
  );
  expect(await found()).toEqual([]);
  expect(await states()).toMatch(/^search-text +unfinished$/m);

  const refreshed = await clientele(['prepare', 'search-text'], env);
  expect(refreshed).toMatchObject({ code: 0, stdout: '' });
  expect(refreshed.stderr).toContain('1 customer was updated');
  expect(await found()).toHaveLength(1);
  expect(await states()).toMatch(/^search-text +on$/m);
  for (const command of ['migrate', 'doctor']) {
    const { stdout, stderr } = await clientele([command], env);
    expect(stdout + stderr).not.toContain('prepare search-text');
  }
  const again = await clientele(['prepare', 'search-text', '--quiet'], env);
  expect(again).toMatchObject({ code: 0, stdout: '', stderr: '' });
});
