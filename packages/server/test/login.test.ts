/** The password of the database is changed while the server runs. */
import { writeFile } from 'node:fs/promises';
import { Nodes } from '@clientele/directory';
import { buildApp, readConfig } from '@clientele/server';
import {
  createLoginRole,
  type LoginRole,
  patient,
  startTestService,
  temporaryFolder,
  type TemporaryFolder,
  type TestService,
} from '@clientele/sandbox/testing';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

let service: TestService;
let folder: TemporaryFolder;
beforeAll(async () => {
  service = await startTestService();
  folder = await temporaryFolder();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

let role: LoginRole;
let nodes: Nodes;
let app: FastifyInstance;
let logged: string[];
beforeEach(async () => {
  role = await createLoginRole(service.database, 'in role clientele_reader');
  logged = [];
});
afterEach(async () => {
  await app.close();
  await nodes.close();
  await role[Symbol.asyncDispose]();
});

async function start(env: Record<string, string>): Promise<void> {
  const config = readConfig({ ...env, CLIENTELE_AUDIT: 'off' }, patient);
  nodes = new Nodes(config);
  const readiness = { checked: true, draining: false };
  const logStream = { write: (line: string) => void logged.push(line) };
  app = await buildApp({ config, nodes, readiness, logStream });
  expect(await status()).toBe(200);
}

const status = async (): Promise<number> =>
  (
    await app.inject({
      url: '/v3/customers?search=anna',
      headers: { authorization: `Bearer ${service.key}` },
    })
  ).statusCode;

const lines = (text: string): string[] => logged.filter((line) => line.includes(text));

/** Ends the open connections: those that follow need the password. */
const disconnect = () =>
  service.database.query(
    'select pg_terminate_backend(a.pid, 60000) from pg_stat_activity as a where a.usename = $1',
    [role.name],
  );

const withPassword = (password: string): string =>
  Object.assign(new URL(role.url), { password }).href;

test('a new password in DATABASE_URL_FILE is used when the old one is refused, without a failed request', async () => {
  await writeFile(folder.path('url'), role.url);
  await start({ DATABASE_URL_FILE: folder.path('url') });
  await writeFile(folder.path('url'), `${withPassword('second')}\n`);
  await service.database.query(`alter role ${role.name} password 'second'`);
  expect(await status(), 'open connections go on').toBe(200);
  await disconnect();
  expect(await status()).toBe(200);
  expect(lines('DATABASE_URL_FILE has a new one')).toHaveLength(1);
  expect(logged.join('')).not.toContain('second');
});

test('so is another user, once the old one may not log in any more', async () => {
  await using successor = await createLoginRole(service.database, 'in role clientele_reader');
  await writeFile(folder.path('url'), role.url);
  await start({ DATABASE_URL_FILE: folder.path('url') });
  await writeFile(folder.path('url'), successor.url);
  await service.database.query(`alter role ${role.name} nologin`);
  await disconnect();
  expect(await status()).toBe(200);
});

test.each([
  ['DATABASE_URL_FILE', 'write the right one to the file'],
  ['DATABASE_URL', 'restart with the right one'],
])('a wrong password in %s is reported in one plain line', async (setting, remedy) => {
  await writeFile(folder.path('url'), role.url);
  await start({ [setting]: setting === 'DATABASE_URL' ? role.url : folder.path('url') });
  await service.database.query(`alter role ${role.name} password 'other'`);
  await disconnect();
  expect([await status(), await status()]).toEqual([503, 503]);
  expect(lines(remedy)).toHaveLength(1);
  await service.database.query(`alter role ${role.name} nologin`);
});
