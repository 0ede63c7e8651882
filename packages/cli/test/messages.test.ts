/** What commands say when something outside of them is wrong, and what to do after a restore. */
import { execFile } from 'node:child_process';
import { prepareMasking } from '@clientele/directory';
import { createTestDatabase } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { explain } from '../src/explain.ts';
import { clientele, mainArguments } from './setup/executable.ts';

const failing = (about: object): Error => Object.assign(new Error('EACCES'), about);

test('a missing permission is explained by what it is missing for', () => {
  expect(explain(failing({ code: 'EACCES', syscall: 'listen', port: 80 }))).toMatch(/port 80\b/);
  const file = explain(failing({ code: 'EACCES', syscall: 'open', path: '/root/rejects.csv' }));
  expect(file).toContain('/root/rejects.csv');
  expect(file).not.toContain('port');
  expect(explain(failing({ code: 'EROFS', syscall: 'mkdir', path: '/proc/x' }))).toMatch(/\/proc/);
});

test('a role without a connection left is not taken for a database that does not respond', async () => {
  await using database = await createTestDatabase();
  await database.query(`
    drop role if exists limited_login;
    create role limited_login login password 'limited' connection limit 0`);
  const url = Object.assign(new URL(database.url), {
    username: 'limited_login',
    password: 'limited',
  });
  const { code, stderr } = await clientele(['keys', 'list'], { DATABASE_URL: url.href });
  await database.query('drop role limited_login');
  expect([code, stderr]).toEqual([1, expect.stringContaining('has no connection left')]);
});

test('a database that does not exist is created in a way that migrate accepts', async () => {
  await using database = await createTestDatabase();
  const url = Object.assign(new URL(database.url), { pathname: '/nowhere' }).href;
  const { code, stderr } = await clientele(['migrate'], { DATABASE_URL: url });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`encoding 'UTF8' locale 'C.UTF-8'`)]);
});

test('output that cannot be written ends the command with a reason, not with a stack', async () => {
  await using database = await createTestDatabase();
  const env = { PATH: process.env['PATH'], DATABASE_URL: database.url };
  const script = 'exec "$0" "$@" >/dev/full';
  const args = ['-c', script, process.execPath, ...mainArguments, 'export'];
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile('sh', args, { env }, (error, _stdout, text) =>
      resolve({ code: error?.code, stderr: text }),
    );
  });
  expect(code).toBe(1);
  expect(stderr).toBe('clientele: Cannot write the output. The disk is full.\n');
});

test('migrate after a restore says that the change log starts again, and prepares the rest or names its commands', async () => {
  await using database = await createTestDatabase();
  const env = { DATABASE_URL: database.url };
  await prepareMasking(await database.connect());
  await clientele(['prepare', 'sort', 'total_orders'], env);
  const before = await clientele(['migrate'], env);
  expect(before.stderr).toBe('The database is up to date.\n');
  // As in another cluster: its name differs, and triggers have other identifiers.
  await database.query(`
    update clientele.changes_horizon set cluster = 1;
    update clientele.masking set kept_by = '';
    update clientele.sorting set kept_by = ''`);
  const { stderr } = await clientele(['migrate', '--no-prepare'], env);
  expect(stderr).toContain('restored from another cluster: its change log starts again');
  const commands = [...stderr.matchAll(/Run: clientele (.*)/g)].map(([, command]) => command!);
  expect(commands).toEqual(['prepare sort total_orders', 'prepare masking']);
  const repaired = await clientele(['migrate'], env);
  expect(repaired.stderr).toContain('Preparing: sorting by total_orders, masking');
  expect((await clientele(['migrate'], env)).stderr).toBe('The database is up to date.\n');
});
