/**
 * Personal data must not leak. A canary customer and canary values go through every route, error and
 * failure of the real executable; then everything it has written is searched for them.
 */
import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { problems, scopes, type Problem, type WireCustomerList } from '@clientele/contract';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import {
  createTestDatabase,
  hasPostgresLog,
  temporaryFolder,
  type TemporaryFolder,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { createSecretFile, insertKey, makeAccessKey, prepareMasking } from '@clientele/directory';
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
let folder: TemporaryFolder;
/** What the audit had, in the database and in the spool. */
let audited: string;
let spooled: string;
let ledger: string;

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
    `/v3/customers?verified=${canary}&hasOrders=${canary}&joinedFrom=${canary}&joinedTo=${canary}`,
    `/v3/customers?sort=${canary}`,
    `/v3/customers?search=${canary}&sort=total_orders`,
    `/v3/customers/timeline?buckets=${canary}&exact=${canary}`,
    `/v3/customers/timeline?search=${canary}%00`,
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
  for (let i = 0; i < 2; i += 1) await get(`/v3/customers?search=${canary}`, keys[3]);
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

/** By a caller who may not see contact details, before and after the directory is prepared for such callers. */
async function sendMaskedRequests(): Promise<void> {
  const [refused] = await get(`/v3/customers/${uuid}`, keys[4]);
  expect(refused!.status).toBe(503);
  await prepareMasking(await database.connect());
  while ((await get(`/v3/customers/${uuid}`, keys[4]))[0]!.status !== 200);
  for (const target of reads) await get(target, keys[4]);
}

/** While the table is locked, requests queue up and time out, and clients disconnect. */
async function sendToLockedTable(): Promise<void> {
  const lock = await database.connect();
  // A commit: cached pages have to be read again.
  await lock.query('select pg_current_xact_id()');
  await lock.query('begin; lock table customers');
  const search = `/v3/customers?search=${canary}`;
  const slow = send(getRequest(search, `X-Slow: ${canary}`).slice(0, -2));
  const hanging = connect(port, '127.0.0.1').on('error', () => undefined);
  hanging.write(getRequest(search, `Authorization: Bearer ${keys[0]}`));
  await once(hanging, 'connect');
  const queued = [...reads, ...Array<string>(70).fill(search)].map((target) => get(target));
  await Promise.race(queued);
  hanging.destroy();
  await Promise.all([slow, ...queued]);
  await lock.query('rollback');
}

/** The audit goes to the spool while the database refuses it, and nowhere while the spool is missing. */
async function sendWithoutAudit(): Promise<void> {
  const spool = folder.path('spool');
  const audit = 'execute on function clientele.append_audit';
  await database.query(`revoke ${audit} from clientele_reader`);
  for (const target of reads) await get(target);
  const files = (await readdir(spool)).map((name) => readFile(`${spool}/${name}`, 'utf8'));
  spooled = (await Promise.all(files)).join('');
  await rename(spool, `${spool}.away`);
  await writeFile(spool, '');
  for (const target of reads) await get(target);
  await database.query(`grant ${audit} to clientele_reader`);
}

/** The customer is erased, and a backup from before that is restored. */
async function sendToRestoredDatabase(): Promise<void> {
  await database.query('select clientele.erase_customer($1)', [uuid]);
  await vi.waitFor(
    async () => {
      ledger = await readFile(folder.path('ledger'), 'utf8');
      expect(ledger).toContain(uuid);
    },
    { timeout: 300_000, interval: 50 },
  );
  await database.query('delete from clientele.erasures');
  await database.query('delete from clientele.gone_customers');
  await database.insert([customer]);
  for (const target of reads) await get(target);
  await vi.waitFor(async () => expect((await get('/readyz'))[0]!.status).toBe(503), {
    timeout: 300_000,
    interval: 50,
  });
  for (const target of reads) await get(target);
}

/** Every text and number of the audit's tables, decoded. */
async function readAuditTables(): Promise<string> {
  const rows = await database.query(
    `select to_jsonb(e) from clientele.audit_entries as e
     union all select to_jsonb(b) || jsonb_build_object('text', encode(b.entries, 'escape')) from clientele.audit_batches as b
     union all select to_jsonb(c) from clientele.audit_chains as c
     union all select to_jsonb(p) from clientele.audit_checkpoints as p`,
  );
  return JSON.stringify(rows);
}

async function sendToBrokenDatabase(): Promise<void> {
  await database.query('alter table customers rename column full_name to name');
  // On a busy machine, a query may time out before it fails.
  await vi.waitFor(
    async () => {
      const statuses: number[] = [];
      for (const target of reads) statuses.push((await get(target))[0]!.status);
      expect(statuses).toContain(500);
    },
    { timeout: 300_000, interval: 50 },
  );
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
  const limited = makeAccessKey();
  await insertKey(owner, limited, 'test', scopes, { recordsPerDay: 1 });
  const masked = makeAccessKey();
  await insertKey(owner, masked, 'test', [
    'customers:list',
    'customers:lookup',
    'customers:search',
  ]);
  keys.push(limited.key, masked.key);
  collector = await startCollector();
  folder = await temporaryFolder();
  await createSecretFile(folder.path('secret'));
  server = run('serve', {
    DATABASE_URL: database.url,
    CLIENTELE_AUDIT_SPOOL: folder.path('spool'),
    CLIENTELE_SECRET_FILE: folder.path('secret'),
    CLIENTELE_LEDGER_FILE: folder.path('ledger'),
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
  await sendMaskedRequests();
  await sendToLockedTable();
  audited = await readAuditTables();
  await sendToBrokenDatabase();
  await sendWithoutAudit();
  await sendToRestoredDatabase();
  metrics = (await exchange(port, getRequest('/metrics')))[0]!.body;
  server.child.kill('SIGTERM');
  await server.exited;
});
afterAll(async () => {
  server.child.kill('SIGKILL');
  await collector[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  await otherDatabase[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
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

test('the ledger of erasures contains no personal data', () => {
  expect(sightings(ledger)).toEqual([]);
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

test('the audit has every answer with customers, and no search, name, e-mail address or phone number', () => {
  const answers = received.filter(
    ({ status, body }) => status === 200 && body.includes(`"uuid":"${uuid}"`),
  );
  const recorded = audited + spooled;
  expect(answers.length).toBeGreaterThan(20);
  expect(audited).toContain(uuid);
  for (const { headers } of answers.slice(0, 20)) {
    expect(audited).toContain(headers['x-request-id']!);
  }
  expect(spooled).not.toBe('');
  const decoded = Buffer.concat(
    spooled.split(/\s/).map((part) => Buffer.from(part, 'base64')),
  ).toString('latin1');
  expect(decoded).toContain('"action":"search"');
  expect(sightings(recorded + decoded)).toEqual([]);
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
