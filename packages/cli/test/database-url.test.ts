/** The database can be named by a file or by the variables of libpq, as secrets of containers and systemd are. */
import { writeFile } from 'node:fs/promises';
import { createTestDatabase, temporaryFolder } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { clientele, startService, type Environment } from './setup/executable.ts';
import { httpGet } from './setup/load.ts';

/** What the commands write to standard error when they fail, and the status of /readyz. */
async function runAll(env: Environment) {
  // It may build indexes, which the doctor reports until they are complete.
  const migrated = await clientele(['migrate'], env);
  const commands = [['keys', 'list'], ['export'], ['doctor', '--quiet']];
  const others = await Promise.all(commands.map((command) => clientele(command, env)));
  const exits = [migrated, ...others];
  await using service = await startService(env);
  const { status } = await httpGet(`${service.url}/readyz`);
  return { failures: exits.filter(({ code }) => code !== 0), status };
}
const success = { failures: [], status: 200 };

test('DATABASE_URL_FILE: every command reads the URL from the file', async () => {
  await using database = await createTestDatabase();
  await using folder = await temporaryFolder();
  await writeFile(folder.path('url'), `${database.url}\n`, { mode: 0o600 });
  expect(await runAll({ DATABASE_URL_FILE: folder.path('url') })).toEqual(success);
});

test('PGHOST and the other variables of libpq: every command connects with them', async () => {
  await using database = await createTestDatabase();
  const { hostname, port, username, password, pathname, searchParams } = new URL(database.url);
  const env = {
    PGHOST: decodeURIComponent(searchParams.get('host') ?? hostname),
    PGPORT: port || '5432',
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: pathname.slice(1),
  };
  expect(await runAll(env)).toEqual(success);
});
