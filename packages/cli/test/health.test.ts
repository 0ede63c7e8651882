/** `clientele health` reports whether the server is ready; `migrate --wait` and `--check` wait for a database. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { freePort } from '@clientele/sandbox';
import { createLoginRole, createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientele, startClientele, startService } from './setup/executable.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

const ready = { code: 0, stdout: 'ready\n', stderr: '' };

describe('health', () => {
  const hasIPv6 = Object.values(networkInterfaces()).some((each) =>
    each?.some(({ family }) => family === 'IPv6'),
  );

  test.each(hasIPv6 ? ['0.0.0.0', '::'] : ['0.0.0.0'])(
    '--wait of a server that starts at %s ends when it is ready, with 0',
    async (HOST) => {
      const address = { HOST, PORT: String(await freePort()), CLIENTELE_AUDIT_SPOOL: 'none' };
      const waiting = clientele(['health', '--wait'], address);
      await using server = startClientele(['serve'], { DATABASE_URL: database.url, ...address });
      await server.said(/listening at/);
      expect(await waiting).toMatchObject(ready);
    },
  );

  test('of a server that is not ready exits with 1 and names the problem', async () => {
    const PORT = String(await freePort());
    const DATABASE_URL = 'postgres://nobody@127.0.0.1:1/nowhere';
    await using server = await startService({ DATABASE_URL, PORT });
    await server.said(/waiting for it/);
    for (const args of [['health'], ['health', '--wait', '1']]) {
      expect(await clientele(args, { PORT })).toMatchObject({
        code: 1,
        stdout: '',
        stderr: 'clientele: Not ready: database-unavailable\n',
      });
    }
  });

  test('of no server, or of something else, exits with 1 and says where it asked', async () => {
    const PORT = String(await freePort());
    const failure = {
      code: 1,
      stderr: `clientele: No response from http://127.0.0.1:${PORT}/readyz\n`,
    };
    expect(await clientele(['health'], { PORT })).toMatchObject(failure);
    const other = createServer((socket) =>
      socket.on('error', () => undefined).end('hello\n'),
    ).listen(Number(PORT), '127.0.0.1');
    await once(other, 'listening');
    expect(await clientele(['health'], { PORT })).toMatchObject(failure);
    other.close();
  });
});

describe('migrate --wait', () => {
  test('waits until the database accepts connections', async () => {
    await using empty = await createTestDatabase('template0');
    const url = new URL(empty.url);
    const { hostname, port } = url;
    url.port = String(await freePort());
    const env = { DATABASE_URL: url.href };
    expect((await clientele(['migrate'], env)).stderr).toMatch(/does not respond/);
    await using waiting = startClientele(['migrate', '--wait'], env);
    await waiting.said(/^Waiting for the database\.$/m);
    const starting = createServer((near) => {
      const far = connect(Number(port), hostname);
      for (const socket of [near, far]) socket.on('error', () => undefined);
      near.pipe(far).pipe(near);
    }).listen(Number(url.port), hostname);
    const { code, stderr } = await waiting.exited;
    starting.close();
    expect(stderr).toMatch(/^Waiting for the database\.\nApplied 000001_search\.sql\.\n/);
    expect(code).toBe(0);
  });

  test('gives up in the end, and at once if waiting does not help', async () => {
    const down = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nowhere' };
    expect(await clientele(['migrate', '--wait', '1'], down)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/does not respond/),
    });
    const url = new URL(database.url);
    url.pathname = '/nowhere';
    const { code, stderr } = await clientele(['migrate', '--wait'], { DATABASE_URL: url.href });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/does not exist/) });
  });
});

describe('migrate --check', () => {
  test('as the login of the server, --wait ends when another login has migrated', async () => {
    await using empty = await createTestDatabase('template0');
    await using login = await createLoginRole(empty, 'in role clientele_reader');
    const env = { DATABASE_URL: login.url };
    expect(await clientele(['migrate', '--check'], env)).toMatchObject({
      code: 1,
      stderr: 'clientele: The database has no Clientele tables yet. Run: clientele migrate\n',
    });
    await using waiting = startClientele(['migrate', '--check', '--wait'], env);
    await waiting.said(/^Waiting for the migration\. The database has no Clientele tables yet\./m);
    expect(await empty.query(`select from pg_namespace where nspname = 'clientele'`)).toEqual([]);
    expect((await clientele(['migrate'], { DATABASE_URL: empty.url })).code).toBe(0);
    const { code, stderr } = await waiting.exited;
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/The database is up to date\.\n$/),
    });
  });
});
