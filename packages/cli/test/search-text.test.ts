/** `clientele search-text refresh`, and who says that it has to be run. */
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

  const migrated = await clientele(['migrate', '--no-prepare'], env);
  expect(migrated.stderr).toContain('Run: clientele search-text refresh');
  expect((await clientele(['doctor'], env)).stdout).toMatch(
    /search text: .*\n.*clientele search-text refresh/,
  );
  expect(await found()).toEqual([]);

  const refreshed = await clientele(['search-text', 'refresh'], env);
  expect(refreshed).toMatchObject({ code: 0, stdout: '' });
  expect(refreshed.stderr).toContain('1 was updated');
  expect(await found()).toHaveLength(1);
  for (const command of ['migrate', 'doctor']) {
    const { stdout, stderr } = await clientele([command], env);
    expect(stdout + stderr).not.toContain('search-text refresh');
  }
  const again = await clientele(['search-text', 'refresh', '--quiet'], env);
  expect(again).toMatchObject({ code: 0, stdout: '', stderr: '' });
});
