/** Every route × every kind of request × every credential: what it declares is what it requires. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { scopes, type Problem, type Scope } from '@clientele/contract';
import { openapiDocument } from '@clientele/contract/openapi';
import { insertKey, makeAccessKey, Nodes, prepareMasking, revokeKey } from '@clientele/directory';
import { buildApp, readConfig } from '@clientele/server';
import { patient, startTestService, type TestService } from '@clientele/sandbox/testing';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routeAccess, type Access } from '../src/access/route-access.ts';
import { createAdminServer } from '../src/operations/admin.ts';

const uuid = '00000000-0000-4000-8000-000000000001';

/** How each kind of request is made; a kind that is declared and has no example fails. */
const ofList: Record<string, InjectOptions> = {
  '': {},
  search: { query: 'search=anna' },
  'search identifier': { query: `search=${uuid}` },
  export: { headers: { 'clientele-purpose': 'export' } },
  'search export': { query: 'search=anna', headers: { 'clientele-purpose': 'export' } },
};
const examples: Record<string, Record<string, InjectOptions>> = {
  '/v3/customers': ofList,
  '/v3/customers/timeline': ofList,
  '/v3/customers/suggestions': { search: { query: 'search=anna' } },
};

interface Credential {
  name: string;
  /** None if it is not valid. */
  scopes: readonly Scope[] | undefined;
  /** For API calls, or the session that was started with the key. */
  headers: Record<string, string>;
}

let service: TestService;
/** Knows none of the keys yet, so that the others' ends take effect at once. */
let app: FastifyInstance;
let nodes: Nodes;
let consoleFolder: string;
let credentials: Credential[];

beforeAll(async () => {
  service = await startTestService();
  // Otherwise keys without customers:contact are refused.
  await prepareMasking(await service.database.connect());
  consoleFolder = await mkdtemp(join(tmpdir(), 'clientele-console-'));
  await writeFile(join(consoleFolder, 'index.html'), '<!doctype html>');
  await writeFile(join(consoleFolder, 'icon.svg'), '<svg/>');
  const secret = join(consoleFolder, 'client-secret');
  await writeFile(secret, 'knownOnlyToTheTwoOfUs', { mode: 0o600 });
  const roles = join(consoleFolder, 'roles.json');
  await writeFile(roles, '{"groups":{"desk":["support"]}}');
  const config = readConfig(
    {
      DATABASE_URL: service.database.url,
      // Nobody signs in with the provider here, but its routes have to be declared too.
      CLIENTELE_PUBLIC_ORIGIN: 'https://customers.example',
      CLIENTELE_OIDC_ISSUER: 'https://login.example',
      CLIENTELE_OIDC_CLIENT_ID: 'clientele',
      CLIENTELE_OIDC_CLIENT_SECRET_FILE: secret,
      CLIENTELE_ROLES_FILE: roles,
      CLIENTELE_RATE_READS: '0',
      CLIENTELE_RATE_SEARCHES: '0',
      LOG_LEVEL: 'silent',
    },
    patient,
  );
  nodes = new Nodes(config);
  const readiness = { checked: true, draining: false };
  const folder = pathToFileURL(`${consoleFolder}/`);
  app = await buildApp({ config, nodes, readiness, consoleFolder: folder });
  credentials = await makeCredentials();
});
afterAll(async () => {
  await app.close();
  await nodes.close();
  await service[Symbol.asyncDispose]();
  await rm(consoleFolder, { recursive: true });
});

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

let addresses = 0;
/** A new address each time, so that no limit per address is reached. */
const newAddress = () => `2001:db8:${(addresses += 1).toString(16)}::1`;

async function signIn(key: string): Promise<Record<string, string>> {
  const response = await service.app.inject({
    method: 'POST',
    url: '/session',
    payload: { key },
    remoteAddress: newAddress(),
  });
  expect(response.statusCode).toBe(200);
  return { cookie: String(response.headers['set-cookie']).split(';')[0]! };
}

async function makeCredentials(): Promise<Credential[]> {
  const owner = await service.database.connect();
  const revoked = await service.makeKey();
  const ofRevoked = await signIn(revoked.key);
  await revokeKey(owner, revoked.id);
  const expired = await service.makeKey();
  const ofExpired = await signIn(expired.key);
  await owner.query('update clientele.access_keys set expires_at = now() where id = $1', [
    expired.id,
  ]);
  const wrong = makeAccessKey();
  const stored = { ...wrong, secretHash: makeAccessKey().secretHash };
  await insertKey(owner, stored, 'test', scopes);
  const invalid: [string, Record<string, string>][] = [
    ['none', {}],
    ['malformed', bearer('opensesame')],
    ['unknown', bearer(makeAccessKey().key)],
    ['wrong secret', bearer(wrong.key)],
    ['revoked', bearer(revoked.key)],
    ['session of a revoked key', ofRevoked],
    ['expired', bearer(expired.key)],
    ['session of an expired key', ofExpired],
    ['forged session', { cookie: `clientele-session=${uuid}.${'A'.repeat(80)}` }],
  ];
  const made: Credential[] = invalid.map(([name, headers]) => ({
    name,
    headers,
    scopes: undefined,
  }));
  for (const granted of subsets(scopes)) {
    const { key } = await service.makeKey(granted);
    const name = granted.join(', ');
    made.push({ name, scopes: granted, headers: bearer(key) });
    made.push({ name: `session: ${name}`, scopes: granted, headers: await signIn(key) });
  }
  return made;
}

/** All but the empty one. */
function subsets(all: readonly Scope[]): Scope[][] {
  return Array.from({ length: 2 ** all.length - 1 }, (_, i) =>
    all.filter((_scope, bit) => ((i + 1) >> bit) & 1),
  );
}

/** As the app itself lists them: `GET /v3/customers/:id`. */
function routesOf(built: FastifyInstance): string[] {
  const path: string[] = [];
  return built
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent, part, methods] = /^([│├└─\s]*)(\S+)(?: \(([A-Z, ]+)\))?/.exec(line) ?? [];
      if (indent === undefined || part === undefined) return [];
      path.splice(indent.length / 4 - 1, Infinity, part);
      return (methods?.split(', ') ?? []).map((method) => `${method} ${path.join('')}`);
    });
}

const declared: Record<string, Access> = routeAccess;

const send = (route: string, example: InjectOptions, { headers }: Credential) => {
  const [method, url] = route.split(' ') as ['GET', string];
  return app.inject({
    method,
    url: url.replace(':id', uuid).replace('*', 'icon.svg'),
    remoteAddress: newAddress(),
    ...example,
    headers: { host: 'localhost', ...headers, ...example.headers },
  });
};

describe('the declarations', () => {
  test('are of all routes that the app has, and of no other', () => {
    const routes = routesOf(app).map((route) => route.replace(/^HEAD /, 'GET '));
    expect([...new Set(routes)].toSorted()).toEqual(Object.keys(routeAccess).toSorted());
  });

  test('a route without one cannot be added, to the service or to the admin listener', async () => {
    const config = readConfig({ DATABASE_URL: service.database.url, LOG_LEVEL: 'silent' }, patient);
    const fresh = await buildApp({ config, nodes, readiness: { checked: true, draining: false } });
    for (const server of [fresh, createAdminServer(config)]) {
      expect(() => server.get('/v3/orders', () => 'secret')).toThrow(
        "Nothing says who may use GET /v3/orders. Add it to routeAccess in src/access/route-access.ts: a scope, or 'public'.",
      );
      expect(() => server.post('/v3/customers', () => 'secret')).toThrow('POST /v3/customers');
    }
    await fresh.close();
  });

  test('on the admin listener, a route with a scope refuses everyone', async () => {
    const config = readConfig({ DATABASE_URL: service.database.url, LOG_LEVEL: 'silent' }, patient);
    const admin = createAdminServer(config);
    admin.get('/v3/customers', () => 'secret');
    const response = await admin.inject({ url: '/v3/customers', headers: bearer(service.key) });
    expect(response.statusCode).toBe(401);
    await admin.close();
  });

  test('are what /openapi.json says of each operation', () => {
    for (const [path, { get }] of Object.entries(openapiDocument('0').paths)) {
      const access = declared[`GET ${path.replace('{id}', ':id')}`]!;
      if (access === 'public') throw new Error(`${path} has an operation and no scope`);
      expect(get.security, path).toEqual([{ key: [access.scope] }]);
      expect(get['x-conditional-scopes'], path).toEqual(access.also ?? {});
    }
  });
});

describe('the matrix of routes, requests and credentials', () => {
  const scoped = Object.entries(declared).flatMap(([route, access]) =>
    access === 'public'
      ? []
      : [{ route, access, requests: examples[route.slice(4)] ?? { '': {} } }],
  );

  test.each(scoped)('$route', async ({ route, access: { scope, also = {} }, requests }) => {
    const tried = Object.keys(requests).flatMap((kind) => kind.split(' '));
    expect(tried, 'an example of every kind of request').toEqual(
      expect.arrayContaining(Object.keys(also)),
    );
    const wrong: string[] = [];
    for (const [kind, example] of Object.entries(requests)) {
      const needed = [scope, ...kind.split(' ').flatMap((name) => also[name] ?? [])];
      for (const credential of credentials) {
        const missing = needed.find((one) => !credential.scopes?.includes(one));
        for (const each of [route, route.replace('GET', 'HEAD')]) {
          const { statusCode, body, headers } = await send(each, example, credential);
          const expected = !credential.scopes
            ? 401
            : missing
              ? 403
              : route.includes(':id')
                ? 404
                : 200;
          const named = String(headers['www-authenticate']).match(/scope="(.*)"/)?.[1];
          if (statusCode !== expected || (expected === 403 && named !== missing)) {
            wrong.push(`${each} ${kind} with ${credential.name}: ${statusCode} ${named}`);
          }
          if (expected === 403 && each === route) {
            const { code, detail } = JSON.parse(body) as Problem;
            expect([code, detail]).toEqual([
              'insufficient-scope',
              expect.stringContaining(missing!),
            ]);
          }
        }
      }
    }
    expect(wrong, 'not as declared').toEqual([]);
  });

  // Those of sessions identify whoever calls them by themselves: below, and in people.test.ts.
  const open = Object.entries(declared).flatMap(([route, access]) =>
    access === 'public' && !route.includes(' /session') ? [route] : [],
  );

  test.each(open)('%s answers everyone alike', async (route) => {
    const answers = new Set<string>();
    for (const credential of credentials) {
      const { statusCode, body } = await send(route, {}, credential);
      answers.add(route === 'GET /metrics' ? String(statusCode) : `${statusCode} ${body}`);
    }
    expect(answers.size).toBe(1);
    expect([...answers][0]).toMatch(/^200/);
  });

  test('GET /session answers those who have a session, with the scopes of its key', async () => {
    for (const credential of credentials) {
      const { statusCode, ...response } = await send('GET /session', {}, credential);
      const isSession = credential.scopes && credential.headers['cookie'] !== undefined;
      expect(statusCode, credential.name).toBe(isSession ? 200 : 401);
      if (isSession) expect(response.json().data.scopes).toEqual(credential.scopes);
    }
  });
});
