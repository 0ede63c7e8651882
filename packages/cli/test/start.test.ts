/** `clientele serve` fails fast with a message if it can never work, and waits for a database that is down. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, readMigrations } from '@clientele/directory';
import { findPostgres, startPrivatePostgres, withClient } from '@clientele/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';
import { customers } from './setup/customers.ts';
import {
  bareStartSeconds,
  clientele,
  makeKey,
  startService,
  type Environment,
} from './setup/executable.ts';
import { httpGet } from './setup/load.ts';
import { promised } from '@clientele/sandbox/testing/machine';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.insert(customers);
});
afterAll(() => database[Symbol.asyncDispose]());

/** Runs `serve`, which must fail, and returns its message and how long it took. */
async function failToServe(env: Environment) {
  const start = performance.now();
  const { code, stderr, stdout } = await clientele(['serve'], { PORT: '0', ...env });
  expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: '' });
  expect(stderr, 'a message, not a stack trace').not.toMatch(/\n\s+at |\bbug\b/);
  return { message: stderr, seconds: (performance.now() - start) / 1000 };
}

test('a wrong password ends it with exit code 1 within 3 seconds, and is not printed', async () => {
  const url = new URL(database.url);
  url.password = 'not-the-password';
  const { message, seconds } = await failToServe({ DATABASE_URL: url.href });
  expect(message).toBe('clientele: The database refused the user or password of DATABASE_URL.\n');
  expect(seconds).toBeLessThan(promised(Math.max(3, 3 * (await bareStartSeconds()))));
});

test('a database that does not exist ends it with a message that says how to create it', async () => {
  const url = new URL(database.url);
  url.pathname = '/nowhere';
  const { message } = await failToServe({ DATABASE_URL: url.href });
  expect(message).toMatch(/does not exist.*clientele migrate/);
});

test('a database without tables ends it with the command to run, and that command works', async () => {
  await using empty = await createTestDatabase('template0');
  const env = { DATABASE_URL: empty.url };
  expect((await failToServe(env)).message).toMatch(
    /no Clientele tables yet. Run: clientele migrate$/m,
  );
  expect(await clientele(['migrate'], env)).toMatchObject({ code: 0, stdout: '' });
  await using service = await startService(env);
  expect((await httpGet(`${service.url}/readyz`)).status).toBe(200);
});

test('all configuration errors are reported together', async () => {
  const { message } = await failToServe({
    DATABASE_URL: 'mysql://root:secret-word@localhost/shop',
    PORT: 'eighty',
    LOG_LEVEL: 'loud',
    CLIENTELE_AUTH: 'maybe',
    CLIENTELE_RATE_READS: '-1',
    CLIENTELE_CONECTIONS: '9',
  });
  for (const name of [
    'DATABASE_URL',
    'PORT',
    'LOG_LEVEL',
    'CLIENTELE_AUTH',
    'CLIENTELE_RATE_READS',
    'CLIENTELE_CONECTIONS',
  ]) {
    expect(message).toMatch(new RegExp(`^  - ${name} `, 'm'));
  }
  expect(message).not.toContain('secret-word');
});

test('a port in use and an address of another machine end it with a message', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const env = { DATABASE_URL: database.url };
  expect((await failToServe({ ...env, PORT: String(port) })).message).toMatch(
    /Port \d+ is already in use.*PORT/,
  );
  other.close();
  expect((await failToServe({ ...env, HOST: '192.0.2.1' })).message).toMatch(/HOST/);
  expect((await failToServe({ ...env, HOST: 'nowhere.invalid' })).message).toMatch(/HOST/);
});

test('while the database is down the server is alive but not ready; then it becomes ready', async () => {
  const [postgres] = await findPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'clientele-start-'));
  await chmod(folder, 0o755); // PostgreSQL may run as another user.
  const options = { postgres: postgres!, dataDir: join(folder, 'data') };
  const first = await startPrivatePostgres(options);
  await withClient(first.url, async (client) => migrate(client, await readMigrations()));
  const key = await makeKey(first.url);
  await first.stop();

  await using service = await startService({ DATABASE_URL: first.url });
  await service.said(/waiting for it/);
  expect((await httpGet(`${service.url}/livez`)).status).toBe(200);
  expect((await httpGet(`${service.url}/readyz`)).status).toBe(503);
  const early = await httpGet(`${service.url}/v3/customers`, key);
  expect(early).toMatchObject({ status: 503, body: { code: 'database-unavailable' } });

  const second = await startPrivatePostgres({ ...options, port: first.port });
  await service.said(/the database responds; ready/);
  expect((await httpGet(`${service.url}/readyz`)).status).toBe(200);
  expect((await httpGet(`${service.url}/v3/customers`, key)).status).toBe(200);

  // A database that accepts connections but does not respond is down too.
  process.kill(second.pid, 'SIGSTOP');
  await using waiting = await startService({ DATABASE_URL: first.url });
  await waiting.said(/waiting for it/);
  process.kill(second.pid, 'SIGCONT');
  await waiting.said(/the database responds; ready/);
  await second.stop('immediate');
  await rm(folder, { recursive: true });
});

test('a signal ends it while it waits for the database', async () => {
  await using service = await startService({
    DATABASE_URL: 'postgres://nobody:nothing@127.0.0.1:1/nowhere',
  });
  await service.said(/waiting for it/);
  service.kill('SIGINT');
  expect((await service.exited).code).toBe(0);
});

test('with authentication off, it logs a warning and requires no key', async () => {
  await using service = await startService({ DATABASE_URL: database.url, CLIENTELE_AUTH: 'none' });
  const [line] = await service.said(/^.*AUTHENTICATION IS OFF.*$/m);
  expect(JSON.parse(line)).toMatchObject({ level: 'warn' });
  expect(await httpGet(`${service.url}/v3/customers`)).toMatchObject({
    status: 200,
    body: { pagination: { total: customers.length } },
  });
});

test('its database connections are open before it listens', async () => {
  await using service = await startService({
    DATABASE_URL: database.url,
    CLIENTELE_CONNECTIONS: '7',
  });
  const lanes = await database.query(
    `select application_name as lane, count(*)::int as connections from pg_stat_activity
     where datname = current_database() and application_name like 'clientele %'
     group by application_name order by application_name`,
  );
  expect(lanes, service.url).toEqual([
    { lane: 'clientele audit', connections: 1 },
    { lane: 'clientele lists', connections: 2 },
    { lane: 'clientele lookups', connections: 2 },
    { lane: 'clientele rows', connections: 3 },
    { lane: 'clientele scans', connections: 1 },
    { lane: 'clientele searches', connections: 2 },
    { lane: 'clientele writes', connections: 1 },
  ]);
});

test('by default it requires a key', async () => {
  await using service = await startService({ DATABASE_URL: database.url });
  expect((await httpGet(`${service.url}/v3/customers`)).status).toBe(401);
  expect(service.output()).not.toContain('AUTHENTICATION');
});
