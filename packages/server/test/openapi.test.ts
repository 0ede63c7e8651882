/**
 * Provokes every response that /openapi.json documents, by a request or a failure, and checks it against
 * the document. Bodies are compared with the golden ones that clients are tested with.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  problems,
  scopes,
  type Problem,
  type ProblemCode,
  type WireCustomer,
  type WireCustomerDetail,
  type WireCustomerList,
} from '@clientele/contract';
import { blankCustomer } from '@clientele/contract/customer-fields';
import { openapiDocument } from '@clientele/contract/openapi';
import { createSecretFile, Ledger, readSecretFile, version } from '@clientele/directory';
import { Check } from 'typebox/schema';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { exchange, getRequest, listen } from './setup/raw-http.ts';
import {
  startReplicatedPostgres,
  startTestService,
  temporaryFolder,
  type TemporaryFolder,
  type TestService,
} from '@clientele/sandbox/testing';
import { connectTo, postgresUnderTest } from './setup/served-list.ts';

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

type Path = keyof ReturnType<typeof openapiDocument>['paths'];

const golden = <T>(name: string): T =>
  JSON.parse(
    readFileSync(new URL(`../../contract/fixtures/${name}.json`, import.meta.url), 'utf8'),
  ) as T;
/** The bodies need not name fields that were added after them. */
const complete = (customer: WireCustomer): WireCustomer => ({ ...blankCustomer, ...customer });
const { data, ...rest } = golden<WireCustomerList>('list');
const list = { data: data.map(complete), ...rest };
const detail = { data: complete(golden<WireCustomerDetail>('detail').data) };
const goldenProblems = golden<Record<ProblemCode, Problem>>('problems');

const document = openapiDocument(version);
const documented = Object.entries(document.paths).flatMap(([path, { get }]) =>
  Object.entries(get.responses).flatMap(([status, response]) => {
    const schema = Object.values(response.content)[0]!.schema;
    const codes = /"enum":(\[.*?\])/.exec(JSON.stringify(schema))?.[1];
    const known = codes === undefined ? ['ok'] : (JSON.parse(codes) as ProblemCode[]);
    return known.map((code) => ({
      path: path as Path,
      status: Number(status),
      code,
      schema,
      // No data is old with one node, and no request prefers the rows first.
      headers: Object.keys(response.headers).filter(
        (name) => !['Clientele-Data-As-Of', 'Preference-Applied'].includes(name),
      ),
    }));
  }),
);

const targets: Record<Path, string> = {
  '/v3/customers': '/v3/customers',
  '/v3/customers/suggestions': '/v3/customers/suggestions?search=nobody',
  '/v3/customers/timeline': '/v3/customers/timeline',
  '/v3/customers/{id}': `/v3/customers/${detail.data.uuid}`,
};

const services: TestService[] = [];
async function start(env: Record<string, string> = {}): Promise<TestService> {
  const service = await startTestService(env);
  services.push(service);
  await service.database.insert(list.data);
  return service;
}

/** Responses by path and code; the code of a success is `ok`. */
const received = new Map<string, Answer>();
const receive = async (path: Path | '', code: ProblemCode | 'ok', answer: Promise<Answer>) => {
  received.set(`${path} ${code}`, await answer);
};

async function ask(service: TestService, url: string, headers = {}): Promise<Answer> {
  const response = await service.get(url, headers);
  return { status: response.statusCode, headers: response.headers, body: response.body };
}

const withParameter = (url: string, parameter: string): string =>
  url + (url.includes('?') ? '&' : '?') + parameter;

async function requestRoute(service: TestService, path: Path): Promise<void> {
  const url = targets[path];
  const other = path === '/v3/customers/{id}' ? 'customers:list' : 'customers:lookup';
  const { key } = await service.makeKey([other]);
  await receive(path, 'ok', ask(service, url));
  await receive(path, 'unknown-parameter', ask(service, withParameter(url, 'colour=red')));
  await receive(path, 'malformed-request', ask(service, url, { 'content-length': '5' }));
  await receive(path, 'unauthenticated', ask(service, url, { authorization: '' }));
  await receive(path, 'insufficient-scope', ask(service, url, { authorization: `Bearer ${key}` }));
  const { key: used } = await service.makeKey(undefined, { recordsPerDay: 1 });
  const spent = { authorization: `Bearer ${used}` };
  await ask(service, '/v3/customers?perPage=1', spent);
  await receive(path, 'records-used-up', ask(service, url, spent));
  const masked = await service.makeKey(scopes.filter((scope) => scope !== 'customers:contact'));
  const authorization = `Bearer ${masked.key}`;
  await receive(path, 'masking-not-ready', ask(service, url, { authorization }));
  await receive(path, 'not-acceptable', ask(service, url, { accept: 'text/html' }));
  const long = withParameter(url, `search=${'x'.repeat(4_096)}`);
  await receive(path, 'uri-too-long', ask(service, long));
  await receive(path, 'headers-too-large', ask(service, url, { 'x-long': 'x'.repeat(8_192) }));
}

async function requestSpecialCases(service: TestService): Promise<void> {
  const parameter = (code: ProblemCode, query: string, path: Path = '/v3/customers') =>
    receive(path, code, ask(service, `${path}?${query}`));
  const timeline = '/v3/customers/timeline';
  await parameter('invalid-buckets', 'buckets=0', timeline);
  await parameter('invalid-search', 'search=%ff', timeline);
  await parameter('search-too-long', `search=${'x'.repeat(257)}`, timeline);
  await parameter('invalid-filter', 'verified=yes', timeline);
  await parameter('repeated-parameter', 'search=a&search=b', timeline);
  await parameter('invalid-page', 'page=0');
  await parameter('invalid-per-page', 'perPage=101');
  await parameter('invalid-sort', 'sort=name');
  await parameter('sort-not-available', 'sort=-total_orders');
  for (const path of ['/v3/customers', '/v3/customers/suggestions'] as const) {
    await parameter('invalid-search', 'search=%ff', path);
    await parameter('search-too-long', `search=${'x'.repeat(257)}`, path);
  }
  await parameter('invalid-filter', 'verified=yes');
  await parameter('repeated-parameter', 'page=1&page=2');
  const suggestions = '/v3/customers/suggestions';
  await parameter('repeated-parameter', 'search=1&search=2', suggestions);
  await receive('/v3/customers/{id}', 'customer-not-found', ask(service, '/v3/customers/nobody'));
  await receive('', 'route-not-found', ask(service, '/v3/nothing'));
}

/** Errors that each need their own service, because it gets broken. */
async function requestBrokenServices(): Promise<void> {
  const limited = await start({ CLIENTELE_RATE_READS: '1', CLIENTELE_RATE_SEARCHES: '1' });
  const broken = await start({ CLIENTELE_AUTH: 'none' });
  const stopping = await start();
  const disconnected = await start({
    CLIENTELE_AUTH: 'none',
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', // nothing listens there
  });
  await broken.database.query(`
    alter table customers rename column full_name to name;
    alter table customers rename column place to position`);
  stopping.readiness.draining = true;
  const unlogged = await start({ CLIENTELE_AUTH: 'none' });
  await unlogged.database.query('alter table customers disable trigger log_updates');
  for (const path of [
    '/v3/customers',
    '/v3/customers/timeline',
    '/v3/customers/suggestions',
  ] as const) {
    await receive(path, 'database-mismatch', ask(unlogged, targets[path]));
  }
  await receive('', 'shutting-down', ask(stopping, '/readyz'));
  const unaudited = await start({ CLIENTELE_AUDIT: 'on', CLIENTELE_AUDIT_SPOOL: '/dev/null/none' });
  await unaudited.database.query(
    'revoke execute on function clientele.append_audit from clientele_reader',
  );
  await using folder = await temporaryFolder();
  const restored = await start(await ledgerOfSomebody(folder));
  for (const url of ['/v3/customers', '/v3/customers?search=a']) await ask(limited, url);
  for (const [path, url] of Object.entries(targets) as [Path, string][]) {
    await receive(path, 'rate-limited', ask(limited, url));
    await receive(path, 'internal-error', ask(broken, url));
    await receive(path, 'audit-unavailable', ask(unaudited, url));
    await receive(path, 'erasures-missing', ask(restored, url));
    await receive(path, 'database-unavailable', ask(disconnected, url));
  }
}

/** Settings with a ledger whose only erasure no database has. */
async function ledgerOfSomebody(folder: TemporaryFolder): Promise<Record<string, string>> {
  const [secretFile, file] = [folder.path('secret'), folder.path('ledger')];
  await createSecretFile(secretFile);
  const ledger = await Ledger.open(file, await readSecretFile(secretFile));
  const ids = { id: randomUUID(), uuid: randomUUID() };
  await ledger.append([
    { type: 'erasure', ...ids, erasedAt: new Date(), reason: 'a test', hashes: [] },
  ]);
  return { CLIENTELE_SECRET_FILE: secretFile, CLIENTELE_LEDGER_FILE: file };
}

/** A standby whose replay is paused. */
async function requestStaleReplica(): Promise<void> {
  await using cluster = await startReplicatedPostgres(await postgresUnderTest());
  const replica = await connectTo(cluster.replicaUrl);
  await replica.query('select pg_wal_replay_pause()');
  await replica.end();
  const stale = await start({ CLIENTELE_AUTH: 'none', DATABASE_URL: cluster.replicaUrl });
  await receive('', 'replica-stale', ask(stale, '/readyz'));
  await stale[Symbol.asyncDispose]();
  services.splice(services.indexOf(stale), 1);
}

/** Each lane has one connection, blocked by a query that waits for a locked table. */
async function requestLockedTable(path: Path, url: string): Promise<void> {
  const locked = await start({ CLIENTELE_AUTH: 'none', CLIENTELE_CONNECTIONS: '4' });
  // Connect and count first, so that only the page query has to wait for the lock.
  await ask(locked, url);
  const lock = await locked.database.connect();
  // A commit: cached pages have to be read again.
  await lock.query('select pg_current_xact_id()');
  await lock.query('begin; lock table customers');
  // A timeline that is known, or a search that matches nobody, is answered without looking at the table.
  const [wanted, another] = {
    '/v3/customers': [url, `${url}?page=2`],
    '/v3/customers/timeline': [`${url}?buckets=3`, `${url}?buckets=2`],
    '/v3/customers/suggestions': [`${path}?search=uncounted`, `${url}2`],
    '/v3/customers/{id}': [url, url],
  }[path] as [string, string];
  const timeout = receive(path, 'query-timeout', ask(locked, wanted));
  // Requests sent before the connection is busy would be coalesced with the first.
  await vi.waitFor(async () => expect(await waiting(lock)).toBe(1), {
    timeout: 300_000,
    interval: 5,
  });
  await Promise.all([timeout, receive(path, 'overloaded', ask(locked, another))]);
}

async function waiting(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query(`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);
  return rowCount!;
}

async function requestOnSocket(): Promise<void> {
  const service = await start();
  const port = await listen(service.app);
  const send = async (request: string) => (await exchange(port, request))[0]!;
  const post = getRequest('/v3/customers').replace('GET', 'POST');
  await receive('', 'method-not-allowed', send(post));
  await Promise.all(
    (Object.entries(targets) as [Path, string][]).map(([path, url]) =>
      receive(path, 'request-timeout', send(getRequest(url).slice(0, -2))),
    ),
  );
}

let service: TestService;
beforeAll(async () => {
  service = await start({ CLIENTELE_RATE_READS: '1000', CLIENTELE_RATE_SEARCHES: '1000' });
  await Promise.all([
    requestRoute(service, '/v3/customers')
      .then(() => requestRoute(service, '/v3/customers/suggestions'))
      .then(() => requestRoute(service, '/v3/customers/timeline'))
      .then(() => requestRoute(service, '/v3/customers/{id}'))
      .then(() => requestSpecialCases(service)),
    requestBrokenServices(),
    ...(Object.entries(targets) as [Path, string][]).map((target) => requestLockedTable(...target)),
    requestStaleReplica(),
    requestOnSocket(),
  ]);
});
afterAll(() => Promise.all(services.map((each) => each[Symbol.asyncDispose]())));

/** Whether a body matches a schema of the document, with its references resolved. */
const fits = (schema: object, body: unknown): boolean =>
  Check({ components: document.components, allOf: [schema] }, body);

test('/openapi.json is the document generated from the contract', async () => {
  const response = await service.app.inject('/openapi.json');
  expect(response.json()).toEqual(JSON.parse(JSON.stringify(document)));
});

test('a body that differs from the documentation is detected', () => {
  const { schema } = documented.find(({ code }) => code === 'ok')!;
  expect(fits(schema, list)).toBe(true);
  const [first] = list.data;
  for (const wrong of [
    { total_orders: '1' },
    { uuid: 'x' },
    { created_at: '2026-01-31' },
    { phone_number: undefined },
    { more: 1 },
  ]) {
    const body = JSON.parse(JSON.stringify({ ...list, data: [{ ...first, ...wrong }] })) as object;
    expect(fits(schema, body), JSON.stringify(wrong)).toBe(false);
  }
});

describe('every documented response occurs', () => {
  test.each(documented)('$path: $status $code', ({ path, status, code, schema, headers }) => {
    const answer = received.get(`${path} ${code}`);
    expect(answer, 'no request above causes it').toBeDefined();
    expect(answer!.status, answer!.body).toBe(status);
    const body = JSON.parse(answer!.body) as Partial<Problem>;
    expect(body.code ?? 'ok').toBe(code);
    expect(fits(schema, body), `${answer!.body} is not as documented`).toBe(true);
    for (const name of headers) expect(answer!.headers, name).toHaveProperty(name.toLowerCase());
  });

  test('every response is documented, except for unknown routes, methods and /readyz', () => {
    const known = new Set(documented.map(({ path, code }) => `${path} ${code}`));
    const undocumented = [...received.keys()].filter((key) => !known.has(key));
    expect(undocumented.toSorted()).toEqual([
      ' method-not-allowed',
      ' replica-stale',
      ' route-not-found',
      ' shutting-down',
    ]);
  });
});

const otherParameters = [
  ['/suggestions', 'search'],
  ['/timeline', 'search, verified, hasOrders, joinedFrom, joinedTo, buckets, exact'],
] as const;

/** The golden body is that of a list. What a route takes and needs differs. */
function goldenOn(key: string, code: ProblemCode): Problem {
  const wanted = structuredClone(goldenProblems[code]);
  const differently = (detail: string, parameter?: string): void => {
    wanted.detail = detail;
    for (const error of wanted.errors ?? [])
      Object.assign(error, { detail, ...(parameter && { parameter }) });
  };
  const isLookup = key.includes('{id}');
  if (code === 'unknown-parameter' && isLookup) differently('This route takes no parameters.');
  if (code === 'insufficient-scope' && isLookup)
    differently(wanted.detail.replace('customers:list', 'customers:lookup'));
  const parameters = otherParameters.find(([path]) => key.includes(path))?.[1];
  if (parameters && code === 'unknown-parameter') differently(`Known parameters: ${parameters}.`);
  if (parameters && code === 'repeated-parameter')
    differently(wanted.detail.replace('page', 'search'), 'search');
  return wanted;
}

describe('golden bodies', () => {
  test('of lists', async () => {
    expect(received.get('/v3/customers ok')!.body).toBe(JSON.stringify(list));
    const { body: past } = await ask(service, '/v3/customers?page=999&perPage=2');
    expect(past).toBe(JSON.stringify(golden('list-past-the-end')));
    const { body: none } = await ask(service, '/v3/customers?search=nobody');
    expect(none).toBe(JSON.stringify(golden('list-empty')));
  });

  test('of a customer', () => {
    expect(received.get('/v3/customers/{id} ok')!.body).toBe(JSON.stringify(detail));
  });

  test.each(Object.keys(problems) as ProblemCode[])('of %s, on every route', (code) => {
    const answers = [...received].filter(([key]) => key.endsWith(` ${code}`));
    expect(answers.length).toBeGreaterThan(0);
    for (const [key, { body, status }] of answers) {
      const problem = JSON.parse(body) as Problem;
      expect(problem.request_id).toMatch(/^[0-9a-f-]{36}$/);
      expect(status).toBe(problems[code].status);
      const wanted = { ...goldenOn(key, code), request_id: problem.request_id };
      expect(problem, key).toEqual(wanted);
    }
  });
});
