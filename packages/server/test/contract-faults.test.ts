/**
 * The contract's 5xx: "internal-error: a bug, and no known input or fault leads to it". Faults of a
 * database are made here and told as what they are; when they pass, so does the refusal.
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
let elsewhere: TestDatabase;
beforeAll(async () => {
  service = await startTestService({ CLIENTELE_AUTH: 'none' });
  // To change a database from, one must be in another.
  elsewhere = await createTestDatabase();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await elsewhere[Symbol.asyncDispose]();
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
const well = [200, 200, 'customer-not-found'];
const unavailable = routes.map(() => 'database-unavailable');

test('connections lost between requests are nobody’s business', async () => {
  expect(await codes()).toEqual(well);
  await elsewhere.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where datname = $1 and application_name like 'clientele %'`,
    [service.database.name],
  );
  expect(await codes()).toEqual(well);
});

describe('"database-unavailable", whyever no connection is to be had', () => {
  test.each([
    ['the database takes no connections', false],
    ['the database has another name now', true],
  ])('%s', async (_, renamed) => {
    const { name } = service.database;
    await elsewhere.query(`alter database ${name} allow_connections false`);
    await elsewhere.query(
      'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1',
      [name],
    );
    if (renamed) await elsewhere.query(`alter database ${name} rename to ${name}_gone`);
    expect(await codes()).toEqual(unavailable);
    expect((await service.app.inject('/readyz')).json<Problem>().code).toBe('database-unavailable');
    expect((await service.app.inject('/livez')).statusCode).toBe(200);

    if (renamed) await elsewhere.query(`alter database ${name}_gone rename to ${name}`);
    await elsewhere.query(`alter database ${name} allow_connections true`);
    expect(await codes()).toEqual(well);
  });
});

test('"query-timeout", also when an operator’s lock_timeout ends the wait', async () => {
  await using impatient = await startTestService({ CLIENTELE_AUTH: 'none' });
  const { database, app } = impatient;
  await database.query(`alter database ${database.name} set lock_timeout = '100ms'`);
  const lock = await database.connect();
  await lock.query('begin; lock table customers');
  for (const url of routes) {
    const response = await app.inject(url);
    expect(response.statusCode, url).toBe(504);
    expect(response.json<Problem>().code).toBe('query-timeout');
  }
});

describe('"shutting-down"', () => {
  test('is what /readyz says from the first moment; reads are still answered, each as the last', async () => {
    await using stopping = await startTestService({ CLIENTELE_AUTH: 'none' });
    const { app, database, readiness } = stopping;
    expect((await app.inject('/readyz')).json()).toEqual({ status: 'ready' });
    const lock = await database.connect();
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

  test('/readyz is not ready before the database was found fit', async () => {
    await using fresh = await startTestService();
    fresh.readiness.checked = false;
    const ready = await fresh.app.inject('/readyz');
    expect(ready.statusCode).toBe(503);
    expect(ready.json<Problem>().code).toBe('database-unavailable');
  });
});
