/** The headers of every kind of response, complete: one that is added, changed or lost shows here. */
import { mkdir, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { scopes } from '@clientele/contract';
import { insertKey, makeAccessKey, Nodes } from '@clientele/directory';
import { buildApp, readConfig } from '@clientele/server';
import { createTestDatabase, patient, temporaryFolder } from '@clientele/sandbox/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAdminServer } from '../src/operations/admin.ts';
import { exchange, listen, type RawResponse } from './setup/raw-http.ts';

const cleanUp = new AsyncDisposableStack();
let port: number;
let adminPort: number;
let key: string;
let lookupsOnly: string;

beforeAll(async () => {
  const folder = cleanUp.use(await temporaryFolder());
  await mkdir(folder.path('assets'));
  await writeFile(folder.path('index.html'), '<!doctype html>');
  await writeFile(folder.path('assets/app-1234.js'), '1');
  await writeFile(folder.path('icon.svg'), '<svg/>');
  const database = cleanUp.use(await createTestDatabase());
  const config = readConfig(
    {
      DATABASE_URL: database.url,
      LOG_LEVEL: 'silent',
      CLIENTELE_PUBLIC_ORIGIN: 'https://customers.example',
      CLIENTELE_CONSOLE_ORIGINS: 'https://console.example',
      CLIENTELE_RATE_READS: '36',
    },
    patient,
  );
  const nodes = new Nodes(config);
  cleanUp.defer(() => nodes.close());
  const readiness = { checked: true, draining: false };
  const admin = createAdminServer(config);
  const consoleFolder = pathToFileURL(folder.path('./'));
  const app = await buildApp({ config, nodes, readiness, admin, consoleFolder });
  for (const server of [admin, app]) cleanUp.defer(() => server.close());
  port = await listen(app);
  adminPort = await listen(admin);
  const client = await database.connect();
  const make = async (may: Parameters<typeof insertKey>[3]) => {
    const made = makeAccessKey();
    await insertKey(client, made, 'test', may);
    return made.key;
  };
  key = await make(scopes);
  lookupsOnly = await make(['customers:lookup']);
});
afterAll(() => cleanUp.disposeAsync());

/** Of every response, whatever it is. */
const everywhere = {
  connection: 'close',
  'cross-origin-resource-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
};
const personal = { 'cache-control': 'private, no-store', vary: 'Authorization, Cookie, Origin' };
const json = { 'content-type': 'application/json; charset=utf-8', ...personal };
const problem = { 'content-type': 'application/problem+json; charset=utf-8', ...personal };
const limited = { 'ratelimit-policy': '<policy>', ratelimit: '<left>' };
const unreferred = { 'referrer-policy': 'no-referrer' };
const raw = { ...problem, vary: 'Authorization, Cookie' };
const page = {
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'same-origin',
  vary: 'Accept-Encoding',
};

type Kind = [name: string, request: string, status: number, headers: Record<string, string>];
const bearer = (): string => `Authorization: Bearer ${key}`;
const send = (start: string, ...lines: string[]): string =>
  [`${start} HTTP/1.1`, 'Host: customers.example', 'Connection: close', ...lines, '', ''].join(
    '\r\n',
  );
const signIn = (): string => {
  const body = JSON.stringify({ key });
  const type = 'Content-Type: application/json';
  return send('POST /session', type, `Content-Length: ${body.length}`) + body;
};

const kinds = (): Kind[] => [
  ['a list', send('GET /v3/customers', bearer()), 200, { ...json, ...limited }],
  ['a search', send('GET /v3/customers?search=a', bearer()), 200, { ...json, ...limited }],
  ['HEAD', send('HEAD /v3/customers', bearer()), 200, { ...json, ...limited }],
  ['a bad parameter', send('GET /v3/customers?page=0', bearer()), 400, { ...problem, ...limited }],
  ['no customer', send('GET /v3/customers/x', bearer()), 404, { ...problem, ...limited }],
  ['no key', send('GET /v3/customers'), 401, { ...problem, 'www-authenticate': '<realm>' }],
  [
    'no scope',
    send('GET /v3/customers', `Authorization: Bearer ${lookupsOnly}`),
    403,
    { ...problem, 'www-authenticate': '<realm>' },
  ],
  ['no route', send('GET /v3/orders'), 404, problem],
  ['no method', send('DELETE /v3/customers'), 405, { ...problem, allow: '<methods>' }],
  [
    'no session',
    send('GET /session'),
    401,
    { ...problem, ...unreferred, 'www-authenticate': '<realm>' },
  ],
  ['a sign-in', signIn(), 200, { ...json, ...unreferred, 'set-cookie': '<cookie>' }],
  [
    'a sign-out',
    send('DELETE /session'),
    204,
    { ...personal, ...unreferred, 'clear-site-data': '"cache"', 'set-cookie': '<cookie>' },
  ],
  ['/livez', send('GET /livez'), 200, json],
  ['/readyz', send('GET /readyz'), 200, json],
  ['/metrics', send('GET /metrics'), 404, problem],
  ['/openapi.json', send('GET /openapi.json'), 200, json],
  [
    '/docs',
    send('GET /docs'),
    200,
    {
      ...personal,
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'content-type': 'text/html; charset=utf-8',
    },
  ],
  ['the console', send('GET /'), 200, page],
  ['a page that does not exist', send('GET /x', 'Accept: text/html'), 404, page],
  [
    'a file of the build',
    send('GET /assets/app-1234.js'),
    200,
    {
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'Accept-Encoding',
    },
  ],
  [
    'an icon',
    send('GET /icon.svg'),
    200,
    {
      'cache-control': 'public, max-age=3600',
      'content-type': 'image/svg+xml',
      vary: 'Accept-Encoding',
    },
  ],
  ['the configuration', send('GET /config.json'), 200, { ...json, 'cache-control': 'no-cache' }],
  [
    'a preflight',
    send('OPTIONS /session', 'Origin: https://console.example'),
    204,
    {
      ...personal,
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'content-type, clientele-purpose, prefer',
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-origin': 'https://console.example',
      'access-control-expose-headers': 'X-Request-Id, Retry-After, Clientele-Data-As-Of',
      'access-control-max-age': '600',
    },
  ],
  ['bytes that are no request', 'x\r\n\r\n', 400, raw],
  ['headers that are too large', send('GET /', `X: ${'x'.repeat(20_000)}`), 431, raw],
  ['a tunnel', send('CONNECT example.org:443'), 405, { ...raw, allow: '<methods>' }],
];

/** Values that differ from response to response, or that other tests check. */
const masks: Record<string, string> = {
  ratelimit: '<left>',
  'ratelimit-policy': '<policy>',
  'www-authenticate': '<realm>',
  allow: '<methods>',
  'set-cookie': '<cookie>',
};
function comparable(headers: Record<string, string>) {
  const { date, 'x-request-id': id, 'content-length': _length, ...others } = headers;
  expect(date, 'date').toBeDefined();
  expect(id, 'x-request-id').toMatch(/^[0-9a-f-]{36}$/);
  return Object.fromEntries(
    Object.entries(others).map(([name, value]) => [name, masks[name] ?? value]),
  );
}

test('every kind of response has exactly these headers', async () => {
  for (const [name, request, status, headers] of kinds()) {
    const [response] = await exchange(port, request);
    expect({ name, status: response!.status, ...comparable(response!.headers) }).toEqual({
      name,
      status,
      ...everywhere,
      ...headers,
    });
  }
});

test('a refusal by rate, and everything on the admin port, has them too', async () => {
  let last: RawResponse | undefined;
  for (let n = 1; n <= 60 && last?.status !== 429; n += 1) {
    [last] = await exchange(port, send('GET /v3/customers', `Authorization: Bearer ${key}`));
  }
  expect(last!.status).toBe(429);
  expect(comparable(last!.headers)).toEqual({
    ...everywhere,
    ...problem,
    ...limited,
    'retry-after': expect.stringMatching(/^\d+$/),
  });

  // Nobody opens it in a browser, and it has no origin of its own.
  const { 'strict-transport-security': _, ...shared } = everywhere;
  const own = { ...shared, ...json, vary: 'Authorization, Cookie' };
  for (const [path, status, type] of [
    ['/livez', 200, json['content-type']],
    ['/metrics', 200, 'text/plain; version=0.0.4; charset=utf-8'],
    ['/v3/customers', 404, problem['content-type']],
  ] as const) {
    const [response] = await exchange(adminPort, send(`GET ${path}`));
    expect({ path, status: response!.status, ...comparable(response!.headers) }).toEqual({
      path,
      status,
      ...own,
      'content-type': type,
    });
  }
});
