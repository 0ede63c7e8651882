/** With CLIENTELE_ADMIN_PORT, metrics and health have a listener of their own. */
import { freePort } from '@clientele/sandbox';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientele, startService } from './setup/executable.ts';
import { httpGet } from './setup/load.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

async function startBoth() {
  const port = await freePort();
  const env = { DATABASE_URL: database.url, CLIENTELE_AUTH: 'none' };
  const service = await startService({ ...env, CLIENTELE_ADMIN_PORT: String(port) });
  return { service, admin: `http://127.0.0.1:${port}` };
}

const statuses = (base: string, paths: string[]): Promise<number[]> =>
  Promise.all(paths.map(async (path) => (await httpGet(`${base}${path}`)).status));

test('metrics move to it, health is on both ports, and customers are not on it', async () => {
  const { service, admin } = await startBoth();
  await using _ = service;
  const paths = ['/livez', '/readyz', '/metrics', '/v3/customers', '/openapi.json', '/'];
  // The bundle has the console, which the sources lack until it is built.
  const console = expect.toBeOneOf([200, 404]);
  expect(await statuses(service.url, paths)).toEqual([200, 200, 404, 200, 200, console]);
  expect(await statuses(admin, paths)).toEqual([200, 200, 200, 404, 404, 404]);
  const health = await clientele(['health'], { CLIENTELE_ADMIN_PORT: new URL(admin).port });
  expect(health, 'asks the admin port').toMatchObject({ code: 0, stdout: 'ready\n' });
  const metrics = await (await fetch(`${admin}/metrics`)).text();
  expect(metrics, 'requests of the other port').toMatch(
    /request_duration_seconds_count\{route="\/v3\/customers",method="GET",status="200"\} 1$/m,
  );
  expect(metrics, 'not its own').not.toContain('route="/metrics",method="GET",status="200"');
});

test('metrics that others can reach are reported at the start, and no others are', async () => {
  const env = { DATABASE_URL: database.url, CLIENTELE_AUTH: 'none' };
  const adminPort = String(await freePort());
  const said = async (more: Record<string, string>): Promise<boolean> => {
    await using service = await startService({ ...env, ...more });
    service.kill('SIGTERM');
    return (await service.exited).stdout.includes('METRICS ARE PUBLIC');
  };
  expect(
    await Promise.all([
      said({}),
      said({ HOST: '0.0.0.0' }),
      said({ CLIENTELE_PUBLIC_ORIGIN: 'https://customers.example' }),
      said({ HOST: '0.0.0.0', CLIENTELE_ADMIN_PORT: adminPort }),
    ]),
  ).toEqual([false, true, true, false]);
});

test('while the service drains, it says so until the end', async () => {
  const { service, admin } = await startBoth();
  await using _ = service;
  service.kill('SIGTERM');
  await service.said(/no longer ready/);
  expect(await httpGet(`${admin}/readyz`)).toMatchObject({
    status: 503,
    body: { code: 'shutting-down' },
  });
  expect(await statuses(admin, ['/livez', '/metrics'])).toEqual([200, 200]);
  expect((await service.exited).code).toBe(0);
});

test('a port that is in use ends it with a message', async () => {
  const { service, admin } = await startBoth();
  await using _ = service;
  const { port } = new URL(admin);
  const env = { DATABASE_URL: database.url, PORT: '0', CLIENTELE_ADMIN_PORT: port };
  const { code, stderr } = await clientele(['serve'], env);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/Port \d+ is already in use.*CLIENTELE_ADMIN_PORT/),
  });
});
