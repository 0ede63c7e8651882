/**
 * 5xx errors. Failures of the database are provoked here: each gets its own code, never internal-error,
 * and the service works again as soon as the database does.
 */
import type { Problem } from '@clientele/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
  startTestService,
  type TestService,
} from '@clientele/sandbox/testing';

const routes = [
  '/v3/customers',
  '/v3/customers?search=anna',
  `/v3/customers/${crypto.randomUUID()}`,
];

let service: TestService;
let otherDatabase: TestDatabase;
beforeAll(async () => {
  service = await startTestService({ CLIENTELE_AUTH: 'none' });
  // Altering a database needs a connection to another one.
  otherDatabase = await createTestDatabase();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await otherDatabase[Symbol.asyncDispose]();
});

const codes = () =>
  Promise.all(
    routes.map(async (url) => {
      const response = await service.app.inject(url);
      const { code } = response.json<Partial<Problem>>();
      if (response.statusCode === 503) expect(response.headers).toHaveProperty('retry-after');
      return code ?? response.statusCode;
    }),
  );
const healthy = [200, 200, 'customer-not-found'];
const unavailable = routes.map(() => 'database-unavailable');

test('connections lost between requests do not affect the next request', async () => {
  expect(await codes()).toEqual(healthy);
  await otherDatabase.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where datname = $1 and application_name like 'clientele %'`,
    [service.database.name],
  );
  expect(await codes()).toEqual(healthy);
});

describe('database-unavailable is the error whenever no connection can be made', () => {
  test.each([
    ['the database accepts no connections', false],
    ['the database was renamed', true],
  ])('%s', async (_, renamed) => {
    const { name } = service.database;
    await otherDatabase.query(`alter database ${name} allow_connections false`);
    await otherDatabase.query(
      'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1',
      [name],
    );
    if (renamed) await otherDatabase.query(`alter database ${name} rename to ${name}_gone`);
    expect(await codes()).toEqual(unavailable);
    expect((await service.app.inject('/readyz')).json<Problem>().code).toBe('database-unavailable');
    expect((await service.app.inject('/livez')).statusCode).toBe(200);

    if (renamed) await otherDatabase.query(`alter database ${name}_gone rename to ${name}`);
    await otherDatabase.query(`alter database ${name} allow_connections true`);
    expect(await codes()).toEqual(healthy);
  });
});

describe('readiness', () => {
  test('while draining, /readyz is 503 at once, and requests are still served, closing their connection', async () => {
    await using stopping = await startTestService({ CLIENTELE_AUTH: 'none' });
    const { app, database, readiness } = stopping;
    expect((await app.inject('/readyz')).json()).toEqual({ status: 'ready' });
    const lock = await database.connect();
    // A commit: cached pages have to be read again.
    await lock.query('select pg_current_xact_id()');
    await lock.query('begin; lock table customers');
    const underWay = app.inject('/v3/customers').then((response) => response);
    readiness.draining = true;
    await lock.query('rollback');
    const late = await app.inject('/v3/customers');
    for (const { statusCode, headers } of [await underWay, late]) {
      expect(statusCode).toBe(200);
      expect(headers['connection']).toBe('close');
    }
    const ready = await app.inject('/readyz');
    expect(ready.statusCode).toBe(503);
    expect(ready.json<Problem>().code).toBe('shutting-down');
    expect(ready.headers['retry-after']).toBe('1');
    expect((await app.inject('/livez')).statusCode).toBe(200);
  });

  test('/readyz is 503 until the database has been checked', async () => {
    await using fresh = await startTestService();
    fresh.readiness.checked = false;
    const ready = await fresh.app.inject('/readyz');
    expect(ready.statusCode).toBe(503);
    expect(ready.json<Problem>().code).toBe('database-unavailable');
  });
});
