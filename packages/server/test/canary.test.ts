/**
 * Personal data must not leak. A canary customer and canary values go through every route, error and
 * failure of the real executable; then everything it has written is searched for them.
 */
import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { problems, scopes, type Problem, type WireCustomerList } from '@clientele/contract';
import { insertKey, makeAccessKey } from '@clientele/server';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { hasPostgresLog, createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';
import { startCollector, type Collector } from './setup/collector.ts';
import { exchange, getRequest, type RawResponse } from './setup/raw-http.ts';

const canary = `canary${randomBytes(6).toString('hex')}`;
const digits = String(randomInt(10 ** 11, 10 ** 12));
const uuid = crypto.randomUUID();
const customer = {
  uuid,
  full_name: `Name ${canary}`,
  email_address: `${canary}@directory.example`,
  phone_number: `+${digits}`,
  company_name: `Company ${canary}`,
  is_verified: true,
  total_orders: 1,
  lifetime_value_cents: 1,
  created_at: '2026-01-31T09:05:00.000Z',
};

/** Runs `clientele` and captures its output. */
function run(command: string, env: Record<string, string>) {
  const main = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, command], {
    env: { PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'debug', ...env },
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (written.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (written.stderr += String(chunk)));
  return { child, written, exited: once(child, 'exit') as Promise<[number | null]> };
}

let database: TestDatabase;
let otherDatabase: TestDatabase;
let server: ReturnType<typeof run>;
let collector: Collector;
let port: number;
const keys: string[] = [];
const received: RawResponse[] = [];
let metrics: string;

async function send(request: string): Promise<RawResponse[]> {
  const responses = await exchange(port, request);
  received.push(...responses);
  return responses;
}

/** GET with a valid key, and the canary in every header that has no effect. */
const get = (target: string, key = keys[0]!, ...headers: string[]): Promise<RawResponse[]> =>
  send(
    getRequest(
      target,
      `Authorization: Bearer ${key}`,
      `Cookie: session=${canary}`,
      `Referer: https://${canary}.example/`,
      `User-Agent: ${canary}`,
      `X-Forwarded-For: ${canary}`,
      `X-Request-Id: ${canary}`,
      `Tracestate: clientele=${canary}`,
      `Baggage: search=${canary}`,
      ...headers,
    ),
  );

const reads = [
  '/v3/customers',
  `/v3/customers?search=${canary}`,
  `/v3/customers?search=${digits}`,
  `/v3/customers?search=${uuid}`,
  `/v3/customers/${uuid}`,
];

async function sendValidRequests(): Promise<void> {
  for (const target of reads) {
    const [response] = await get(target);
    expect(response!.status, 'the canary customer is found').toBe(200);
    expect(response!.body).toContain(canary);
  }
  await get('/v3/customers?page=2');
  const [none] = await get(`/v3/customers?search=${canary}+nobody`);
  expect((JSON.parse(none!.body) as WireCustomerList).pagination.total).toBe(0);
  for (const target of ['/livez', '/readyz', '/docs', '/openapi.json']) {
    await get(`${target}?search=${canary}`);
  }
}

async function sendInvalidRequests(): Promise<void> {
  const long = canary.repeat(300);
  for (const target of [
    `/v3/customers?page=${canary}&perPage=${canary}&search=${canary}%00`,
    `/v3/customers?perPage=${canary}`,
    `/v3/customers?search=${canary}%ff`,
    `/v3/customers?search=${canary.repeat(20)}`,
    `/v3/customers?page=${canary}&page=${canary}`,
    `/v3/customers?colour=${canary}`,
    `/v3/customers?${canary}@directory.example=1`,
    `/v3/customers/${canary}`,
    `/v3/customers/%zz${canary}`,
    `/v3/customers/${uuid}?search=${canary}`,
    `/v3/customers/${uuid}/${canary}`,
    `/v3/${canary}`,
    `/${canary}?search=${canary}`,
    `/v3/customers?search=${long}`,
    `/v3/customers/${long}`,
    `/v3/customers?search=${long.repeat(4)}`,
  ]) {
    const [response] = await get(target);
    expect(response!.status, target).toBeGreaterThanOrEqual(400);
  }
  await get('/v3/customers', keys[0], `Accept: text/${canary}`);
  await get('/v3/customers', keys[0], `X-Long: ${long}`, `X-Longer: ${long}`);
  await get('/v3/customers', keys[0], `X-Longer: ${long.repeat(4)}`);
  await get('/v3/customers', keys[0], `Expect: ${canary}`);
  await get('/v3/customers', canary);
  await get('/v3/customers', keys[0]!.slice(0, -6) + canary.slice(0, 6));
  await get('/v3/customers', keys[1]);
  await send(getRequest('/v3/customers', `Authorization: ${canary}`));
  await send(getRequest(`/v3/customers?search=${canary}`).replace('GET', 'POST'));
  await send(getRequest(`/${canary}`).replace('GET', 'DELETE'));
  await send(getRequest(`/v3/customers?search=${canary}`, `Content-Length: 18`) + canary);
  await send(`CONNECT ${canary}.example:443 HTTP/1.1\r\nHost: ${canary}.example\r\n\r\n`);
  await send(`${canary} /v3/customers HTTP/1.1\r\n\r\n`);
  await send(getRequest(`/v3/customers?search=${canary} ${canary}`));
  await send(getRequest('/v3/customers', `X-Bad : ${canary}`));
  // Many at a time, faster than the rate allows.
  for (let count = 0; count < 8; count += 1) {
    await Promise.all(Array.from({ length: 30 }, () => get('/v3/customers?search=', keys[2])));
  }
}

/** While the table is locked, requests queue up and time out, and clients disconnect. */
async function sendToLockedTable(): Promise<void> {
  const lock = await database.connect();
  // A commit: cached pages have to be read again.
  await lock.query('select pg_current_xact_id()');
  await lock.query('begin; lock table customers');
  const search = `/v3/customers?search=${canary}`;
  const slow = send(getRequest(search, `X-Slow: ${canary}`).slice(0, -2));
  const hanging = connect(port, '127.0.0.1');
  hanging.write(getRequest(search, `Authorization: Bearer ${keys[0]}`));
  await once(hanging, 'connect');
  const queued = [...reads, ...Array<string>(70).fill(search)].map((target) => get(target));
  await Promise.race(queued);
  hanging.destroy();
  await Promise.all([slow, ...queued]);
  await lock.query('rollback');
}

async function sendToBrokenDatabase(): Promise<void> {
  await database.query('alter table customers rename column full_name to name');
  for (const target of reads) await get(target);
  await database.query('alter table customers rename column name to full_name');
  await database.query('alter table customers disable trigger log_updates');
  for (const target of reads) await get(target);
  await database.query('alter table customers enable always trigger log_updates');
  // Mistakes that an operator makes with a customer.
  const wrong = { ...customer, uuid: crypto.randomUUID(), total_orders: -1 };
  await expect(database.insert([wrong])).rejects.toThrow('total_orders_range');
  await expect(database.insert([customer])).rejects.toThrow('customers_pkey');

  await otherDatabase.query(`alter database ${database.name} allow_connections false`);
  await otherDatabase.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where datname = $1 and application_name like 'clientele %'`,
    [database.name],
  );
  for (const target of [...reads, '/readyz']) await get(target);
  await otherDatabase.query(`alter database ${database.name} allow_connections true`);
}

beforeAll(async () => {
  database = await createTestDatabase();
  otherDatabase = await createTestDatabase();
  await database.insert([customer]);
  const owner = await database.connect();
  for (const granted of [scopes, ['customers:lookup'] as const, scopes]) {
    const made = makeAccessKey();
    await insertKey(owner, made, 'test', granted);
    keys.push(made.key);
  }
  collector = await startCollector();
  server = run('serve', {
    DATABASE_URL: database.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    CLIENTELE_RATE_READS: '600',
    CLIENTELE_RATE_SEARCHES: '1000',
    CLIENTELE_CONCURRENCY: '0',
  });
  while (!server.written.stdout.includes('listening')) {
    await Promise.race([
      once(server.child.stdout, 'data'),
      server.exited.then(() => Promise.reject(new Error(server.written.stderr))),
    ]);
  }
  port = Number(/listening at http:\/\/127\.0\.0\.1:(\d+)/.exec(server.written.stdout)![1]);
  await sendValidRequests();
  await sendInvalidRequests();
  await sendToLockedTable();
  await sendToBrokenDatabase();
  metrics = (await exchange(port, getRequest('/metrics')))[0]!.body;
  server.child.kill('SIGTERM');
  await server.exited;
});
afterAll(async () => {
  server.child.kill('SIGKILL');
  await collector[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  await otherDatabase[Symbol.asyncDispose]();
});

/** Every occurrence of a canary, with its context. */
function sightings(text: string): string[] {
  // PostgreSQL's log has every statement of every test, so the pattern must not look back.
  const found = text.matchAll(new RegExp(`${canary}|${digits}`, 'gi'));
  return Array.from(found, ({ index }) => text.slice(Math.max(0, index - 200), index + 100));
}

test('the requests above caused every error that a caller can get', () => {
  const codes = received.flatMap(({ headers, body }) =>
    headers['content-type']?.startsWith('application/problem+json') && body !== ''
      ? [(JSON.parse(body) as Problem).code]
      : [],
  );
  // These are sent on /readyz only.
  const readiness = new Set(['replica-stale', 'shutting-down']);
  const wanted = Object.keys(problems).filter((code) => !readiness.has(code));
  expect(new Set(codes)).toEqual(new Set(wanted));
  expect(received.filter(({ status }) => status === 200).length).toBeGreaterThan(20);
});

test('standard output has a line per request, and no personal data', () => {
  for (const { headers } of received) {
    expect(server.written.stdout).toContain(headers['x-request-id']!);
  }
  expect(sightings(server.written.stdout)).toEqual([]);
});

test('standard error contains no personal data', () => {
  expect(sightings(server.written.stderr)).toEqual([]);
});

test('the metrics count the requests, and contain no personal data', () => {
  expect(metrics).toContain('route="/v3/customers/:id",method="GET",status="504"');
  expect(sightings(metrics)).toEqual([]);
});

test('traces have every request and its error, and no personal data', () => {
  const errors = new Set(collector.spans().map(({ attributes }) => attributes['error.type']));
  for (const type of ['query-timeout', 'internal-error', 'disconnected', 'unauthenticated']) {
    expect(errors).toContain(type);
  }
  expect(sightings(collector.text())).toEqual([]);
  for (const secret of [uuid, ...keys]) expect(collector.text()).not.toContain(secret);
});

test('errors and headers contain no personal data', () => {
  const headers = received.map((response) => JSON.stringify(response.headers));
  const errors = received.filter(({ status }) => status >= 400).map(({ body }) => body);
  expect(sightings([...headers, ...errors].join('\n'))).toEqual([]);
});

test('the log does not contain the identifier of the customer', () => {
  expect(server.written.stdout).not.toContain(uuid);
});

test.runIf(hasPostgresLog)(
  'PostgreSQL’s log has every statement, and no personal data',
  async () => {
    const log = await readFile(inject('postgresLog'), 'utf8');
    expect(log).toContain('search_patterns($1)');
    expect(sightings(log)).toEqual([]);
  },
);

test.runIf(hasPostgresLog)('a password that the database rejects is not printed', async () => {
  const wrong = new URL(database.url);
  wrong.password = canary;
  const { exited, written } = run('serve', { DATABASE_URL: wrong.href });
  const [code] = await exited;
  expect(code).toBe(1);
  expect(written.stderr).toMatch(/password/);
  expect(sightings(written.stdout + written.stderr)).toEqual([]);
});
