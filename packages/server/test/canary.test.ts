/**
 * Personal data reaches no sink: a canary customer and canary values are put through every route,
 * every error and every fault of the real executable, then looked for wherever something is written.
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

/** Runs `clientele` and keeps what it writes. */
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
let elsewhere: TestDatabase;
let server: ReturnType<typeof run>;
let port: number;
const keys: string[] = [];
const answers: RawResponse[] = [];
let metrics: string;

async function send(request: string): Promise<RawResponse[]> {
  const responses = await exchange(port, request);
  answers.push(...responses);
  return responses;
}

/** GET with a good key, and the canary in every header that does not decide anything. */
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

async function askProperly(): Promise<void> {
  for (const target of reads) {
    const [response] = await get(target);
    expect(response!.status, 'the canary is a customer').toBe(200);
    expect(response!.body).toContain(canary);
  }
  await get('/v3/customers?page=2');
  const [none] = await get(`/v3/customers?search=${canary}+nobody`);
  expect((JSON.parse(none!.body) as WireCustomerList).pagination.total).toBe(0);
  for (const target of ['/livez', '/readyz', '/docs', '/openapi.json']) {
    await get(`${target}?search=${canary}`);
  }
}

async function askWrongly(): Promise<void> {
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
  for (let count = 0; count < 61; count += 1) await get('/v3/customers?search=', keys[2]);
}

/** The table is locked: requests time out, pile up, and are given up by who asked. */
async function askInVain(): Promise<void> {
  const lock = await database.connect();
  await lock.query('begin; lock table customers');
  const search = `/v3/customers?search=${canary}`;
  const slow = send(getRequest(search, `X-Slow: ${canary}`).slice(0, -2));
  const hanging = connect(port, '127.0.0.1');
  hanging.write(getRequest(search, `Authorization: Bearer ${keys[0]}`));
  await once(hanging, 'connect');
  const pile = [...reads, ...Array<string>(70).fill(search)].map((target) => get(target));
  await Promise.race(pile);
  hanging.destroy();
  await Promise.all([slow, ...pile]);
  await lock.query('rollback');
}

async function askABrokenDatabase(): Promise<void> {
  await database.query('alter table customers rename column full_name to name');
  for (const target of reads) await get(target);
  await database.query('alter table customers rename column name to full_name');
  // An operator's own mistakes with a customer.
  const wrong = { ...customer, uuid: crypto.randomUUID(), total_orders: -1 };
  await expect(database.insert([wrong])).rejects.toThrow('total_orders_range');
  await expect(database.insert([customer])).rejects.toThrow('customers_pkey');

  await elsewhere.query(`alter database ${database.name} allow_connections false`);
  await elsewhere.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where datname = $1 and application_name like 'clientele %'`,
    [database.name],
  );
  for (const target of [...reads, '/readyz']) await get(target);
  await elsewhere.query(`alter database ${database.name} allow_connections true`);
}

beforeAll(async () => {
  database = await createTestDatabase();
  elsewhere = await createTestDatabase();
  await database.insert([customer]);
  const owner = await database.connect();
  for (const may of [scopes, ['customers:lookup'] as const, scopes]) {
    const made = makeAccessKey();
    await insertKey(owner, made, 'test', may);
    keys.push(made.key);
  }
  server = run('serve', {
    DATABASE_URL: database.url,
    CLIENTELE_RATE_READS: '60',
    CLIENTELE_RATE_SEARCHES: '1000',
  });
  while (!server.written.stdout.includes('listening')) {
    await Promise.race([
      once(server.child.stdout, 'data'),
      server.exited.then(() => Promise.reject(new Error(server.written.stderr))),
    ]);
  }
  port = Number(/listening at http:\/\/127\.0\.0\.1:(\d+)/.exec(server.written.stdout)![1]);
  await askProperly();
  await askWrongly();
  await askInVain();
  await askABrokenDatabase();
  metrics = (await exchange(port, getRequest('/metrics')))[0]!.body;
  server.child.kill('SIGTERM');
  await server.exited;
});
afterAll(async () => {
  server.child.kill('SIGKILL');
  await database[Symbol.asyncDispose]();
  await elsewhere[Symbol.asyncDispose]();
});

/** Where a canary stands, with its surroundings. */
function sightings(text: string): string[] {
  // PostgreSQL's log has every statement of every test, so the pattern must not look back.
  const found = text.matchAll(new RegExp(`${canary}|${digits}`, 'gi'));
  return Array.from(found, ({ index }) => text.slice(Math.max(0, index - 200), index + 100));
}

test('the canary went through every error that a caller can meet', () => {
  const codes = answers.flatMap(({ headers, body }) =>
    headers['content-type']?.startsWith('application/problem+json') && body !== ''
      ? [(JSON.parse(body) as Problem).code]
      : [],
  );
  // `shutting-down` is what the balancer meets, on /readyz.
  const wanted = Object.keys(problems).filter((code) => code !== 'shutting-down');
  expect(new Set(codes)).toEqual(new Set(wanted));
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(20);
});

test('not in standard output, which has a line for each of them', () => {
  for (const { headers } of answers) {
    expect(server.written.stdout).toContain(headers['x-request-id']!);
  }
  expect(sightings(server.written.stdout)).toEqual([]);
});

test('not in standard error', () => {
  expect(sightings(server.written.stderr)).toEqual([]);
});

test('not in the metrics, which counted them', () => {
  expect(metrics).toContain('route="/v3/customers/:id",method="GET",status="504"');
  expect(sightings(metrics)).toEqual([]);
});

test('not in an error, nor in a header', () => {
  const headers = answers.map((answer) => JSON.stringify(answer.headers));
  const errors = answers.filter(({ status }) => status >= 400).map(({ body }) => body);
  expect(sightings([...headers, ...errors].join('\n'))).toEqual([]);
});

test('not the customer’s identifier either, in any log', () => {
  expect(server.written.stdout).not.toContain(uuid);
});

test.runIf(hasPostgresLog)('not in PostgreSQL’s log, which has every statement', async () => {
  const log = await readFile(inject('postgresLog'), 'utf8');
  expect(log).toContain('search_patterns($1)');
  expect(sightings(log)).toEqual([]);
});

test.runIf(hasPostgresLog)('a password that the database refuses is not told', async () => {
  const wrong = new URL(database.url);
  wrong.password = canary;
  const { exited, written } = run('serve', { DATABASE_URL: wrong.href });
  const [code] = await exited;
  expect(code).toBe(1);
  expect(written.stderr).toMatch(/password/);
  expect(sightings(written.stdout + written.stderr)).toEqual([]);
});
