/** Sessions of the console: signing in with a key, attacks, expiry and signing out. */
import { randomBytes, randomUUID } from 'node:crypto';
import { scopes } from '@clientele/contract';
import { makeAccessKey, Nodes, revokeKey } from '@clientele/directory';
import { buildApp, readConfig } from '@clientele/server';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { promised } from '@clientele/sandbox/testing/machine';
import { seal, unseal } from '../src/access/sessions/seal.ts';
import { patient, startTestService, type TestService } from '@clientele/sandbox/testing';
import { stopClock } from './setup/stop-clock.ts';

const minute = 60_000;
const hour = 60 * minute;

let service: TestService;
/** A second instance on the same database, as behind a load balancer. */
let other: FastifyInstance;
let closeOther: () => Promise<void>;
beforeAll(async () => {
  service = await startTestService();
  const config = readConfig({ DATABASE_URL: service.database.url, LOG_LEVEL: 'silent' }, patient);
  const nodes = new Nodes(config);
  other = await buildApp({ config, nodes, readiness: { checked: true, draining: false } });
  closeOther = async () => {
    await other.close();
    await nodes.close();
  };
});
afterAll(async () => {
  await closeOther();
  await service[Symbol.asyncDispose]();
});
afterEach(() => void vi.useRealTimers());

let addresses = 0;
/** Every attempt comes from a new address, so that tests do not share a rate limit. */
const fromNewAddress = () => `198.51.100.${(addresses += 1)}`;

interface RequestOptions {
  app?: FastifyInstance;
  cookie?: string | undefined;
  headers?: Record<string, string>;
}

const signIn = (key: string, { app = service.app, headers = {} }: RequestOptions = {}) =>
  app.inject({
    method: 'POST',
    url: '/session',
    headers: { host: 'localhost', ...headers },
    payload: { key },
    remoteAddress: fromNewAddress(),
  });

const send = (
  method: 'GET' | 'DELETE',
  url: string,
  { app = service.app, cookie, headers = {} }: RequestOptions,
) =>
  app.inject({
    method,
    url,
    headers: { host: 'localhost', ...(cookie && { cookie }), ...headers },
  });

const cookieOf = (response: LightMyRequestResponse): string =>
  String(response.headers['set-cookie']).split(';')[0]!;

async function signedIn(key = service.key): Promise<string> {
  const response = await signIn(key);
  expect(response.statusCode).toBe(200);
  return cookieOf(response);
}

const listStatus = async (cookie: string | undefined, more: RequestOptions = {}) =>
  (await send('GET', '/v3/customers', { cookie, ...more })).statusCode;

/** Stops the wall clock at a time; timers and the monotonic clock keep running. */
function setClock(time: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: time });
}

describe('signing in', () => {
  test('returns a cookie that gives access to customers, and describes the session without secrets', async () => {
    const response = await signIn(service.key);
    expect(response.json()).toEqual({
      data: {
        key: { id: expect.stringMatching(/^[0-9a-z]{12}$/), name: 'test' },
        person: null,
        scopes: [...scopes],
        sort_fields: ['created_at'],
        links: [],
        idle_seconds: 1800,
        ends_at: expect.stringMatching(/Z$/),
      },
    });
    const cookie = cookieOf(response);
    expect(await listStatus(cookie)).toBe(200);
    const session = await send('GET', '/session', { cookie });
    expect(session.json()).toEqual(response.json());
    expect(session.body).not.toContain(service.key);
  });

  test('hides the cookie from scripts, other sites and plain HTTP, whatever Host a proxy sends', async () => {
    for (const host of ['127.0.0.1:8080', 'localhost', 'customers.example']) {
      const response = await signIn(service.key, { headers: { host } });
      expect(String(response.headers['set-cookie']), host).toMatch(
        /^__Host-clientele-session=\S+; Path=\/; Max-Age=1800; HttpOnly; SameSite=Strict; Secure$/,
      );
    }
  });

  test('uses a cookie for plain HTTP only where the public origin is one of localhost', async () => {
    await using local = await startTestService({
      CLIENTELE_PUBLIC_ORIGIN: 'http://localhost:8080',
    });
    const headers = { host: 'customers.example' };
    const response = await signIn(local.key, { app: local.app, headers });
    expect(String(response.headers['set-cookie'])).toMatch(
      /^clientele-session=\S+; Path=\/; Max-Age=1800; HttpOnly; SameSite=Strict$/,
    );
  });

  test('the cookie and the database together do not yield the access key', async () => {
    const cookie = await signedIn();
    const [row] = await service.database.query<{ secret: Buffer }>(
      'select secret from clientele.session_secret',
    );
    const session = unseal(cookie.split('=')[1]!, row!.secret);
    const [, , secret] = service.key.split('_');
    expect(session).toMatchObject({ token: expect.any(String) });
    expect(JSON.stringify(session)).not.toContain(secret);
  });

  test('nobody can make a cookie from a copy of the database', async () => {
    await signedIn();
    const rows = await service.database.query<{ id: string; token_hash: Buffer; secret: Buffer }>(
      'select x.id, x.token_hash, s.secret from clientele.sessions as x, clientele.session_secret as s',
    );
    const { id, token_hash, secret } = rows.at(-1)!;
    const now = Date.now();
    for (const token of [token_hash.toString('base64url'), token_hash.toString('hex'), '']) {
      const forged = seal({ id, token, startedAt: now, seenAt: now }, secret);
      expect(await listStatus(`__Host-clientele-session=${forged}`)).toBe(401);
    }
  });

  test('fails with the same response for a wrong, an unknown and a mistyped key', async () => {
    const unknown = await service.makeKey();
    await service.database.query('delete from clientele.access_keys where id = $1', [unknown.id]);
    const [, , secret] = service.key.split('_');
    const responses = await Promise.all(
      [unknown.key, service.key.slice(0, -1), `ck_${'0'.repeat(12)}_${secret}`, ''].map((key) =>
        signIn(key),
      ),
    );
    const bodies = responses.map((response) => ({ ...response.json(), request_id: '' }));
    expect(new Set(responses.map((response) => response.statusCode))).toEqual(new Set([401]));
    expect(bodies.every((body) => JSON.stringify(body) === JSON.stringify(bodies[0]))).toBe(true);
    expect(responses.every((response) => response.headers['set-cookie'] === undefined)).toBe(true);
  });

  test.each([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'key=ck_x'],
    ['plain text that is JSON', { 'content-type': 'text/plain' }, '{"key":"ck_x"}'],
    ['no type', {}, '{"key":"ck_x"}'],
    ['broken JSON', { 'content-type': 'application/json' }, '{"key":'],
    ['a key that is not a string', { 'content-type': 'application/json' }, '{"key":1}'],
    ['more than a key', { 'content-type': 'application/json' }, '{"key":"ck_x","admin":true}'],
    ['a large body', { 'content-type': 'application/json' }, `{"key":"${'x'.repeat(1_000)}"}`],
    ['no body', { 'content-type': 'application/json' }, ''],
  ])('rejects %s', async (_name, headers, payload) => {
    const response = await service.app.inject({
      method: 'POST',
      url: '/session',
      headers: { host: 'localhost', ...headers },
      payload,
      remoteAddress: fromNewAddress(),
    });
    expect([response.statusCode, response.json().code]).toEqual([400, 'malformed-request']);
  });

  test('never logs the key or the cookie', async () => {
    const cookie = await signedIn();
    await listStatus(cookie);
    const [, , secret] = service.key.split('_');
    expect(service.logged()).not.toContain(secret);
    expect(service.logged()).not.toContain(cookie.split('=')[1]);
  });
});

describe('attacks', () => {
  test('fixation: signing in with a planted cookie starts a new session', async () => {
    const planted = await signedIn();
    const response = await signIn(service.key, { headers: { cookie: planted } });
    const own = cookieOf(response);
    expect(own.split('=')[1]!.split('.')[0]).not.toBe(planted.split('=')[1]!.split('.')[0]);
  });

  test('fixation: an id cannot be chosen, and sealed content is not valid under another id', async () => {
    const cookie = await signedIn();
    const [name, value] = cookie.split('=') as [string, string];
    const body = value.split('.')[1]!;
    const flipped = body.slice(0, -4) + (body.endsWith('AAAA') ? 'BBBB' : 'AAAA');
    for (const forged of [
      `${randomUUID()}.${body}`,
      `${value.split('.')[0]}.${flipped}`,
      'x',
      '',
    ]) {
      expect(await listStatus(`${name}=${forged}`), forged).toBe(401);
    }
    expect(await listStatus(cookie)).toBe(200);
  });

  test('cross-site: another site cannot sign in, sign out or read', async () => {
    const cookie = await signedIn();
    const foreign = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'http://evil.localhost' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ] as Record<string, string>[];
    for (const headers of foreign) {
      const where = JSON.stringify(headers);
      expect((await signIn(service.key, { headers })).statusCode, where).toBe(401);
      expect((await send('DELETE', '/session', { cookie, headers })).statusCode, where).toBe(401);
      expect((await send('GET', '/session', { cookie, headers })).statusCode, where).toBe(401);
      expect(await listStatus(cookie, { headers }), where).toBe(401);
    }
    expect(await listStatus(cookie), 'the session is still valid').toBe(200);
    const own = { 'sec-fetch-site': 'same-origin', origin: 'http://localhost' };
    expect(await listStatus(cookie, { headers: own })).toBe(200);
  });

  test('brute force: ten failures per minute and address, which keep no valid key from signing in', async () => {
    const remoteAddress = fromNewAddress();
    const attempt = (key: string) =>
      service.app.inject({
        method: 'POST',
        url: '/session',
        headers: { host: 'localhost' },
        payload: { key },
        remoteAddress,
      });
    using _clock = stopClock();
    for (let n = 1; n <= 10; n += 1) expect((await attempt(`guess ${n}`)).statusCode).toBe(401);
    const limited = await attempt('guess 11');
    expect(limited.statusCode).toBe(429);
    expect(Number(limited.headers['retry-after']), 'one in six seconds').toBeGreaterThan(1);
    // Behind a proxy that is not trusted, these are people who have nothing to do with the guesses.
    for (let n = 1; n <= 20; n += 1) {
      expect((await attempt((await service.makeKey()).key)).statusCode).toBe(200);
    }
    expect((await attempt('guess 12')).statusCode, 'successes pay nothing off').toBe(429);
  });

  test('brute force: guesses count as wrong keys of their address, and cost no query beyond that limit', async () => {
    await using guessed = await startTestService();
    const remoteAddress = fromNewAddress();
    const attempt = async (key: string) => {
      const headers = { host: 'localhost' };
      const request = { method: 'POST', url: '/session', headers, remoteAddress } as const;
      return (await guessed.app.inject({ ...request, payload: { key } })).statusCode;
    };
    using _clock = stopClock();
    for (let n = 1; n <= 100; n += 1)
      expect([401, 429]).toContain(await attempt(makeAccessKey().key));
    await guessed.database.query('alter table clientele.access_keys rename to elsewhere');
    expect(await attempt(makeAccessKey().key), 'a query would fail with 503 now').toBe(429);
    const other = await guessed.app.inject({
      url: '/v3/customers',
      headers: { authorization: `Bearer ${makeAccessKey().key}` },
      remoteAddress,
    });
    expect(other.statusCode, 'the API shares the limit').toBe(429);
  });

  test('made-up cookies count as wrong keys of their address, and cost no query beyond that limit', async () => {
    await using guessed = await startTestService();
    const remoteAddress = fromNewAddress();
    const inject = (url: string, cookie: string) =>
      guessed.app.inject({ url, headers: { host: 'localhost', cookie }, remoteAddress });
    const { key } = await guessed.makeKey();
    const cookie = cookieOf(await signIn(key, { app: guessed.app }));
    const madeUp = () =>
      `${cookie.split('=')[0]}=${seal({ id: randomUUID(), token: 'x', startedAt: 0, seenAt: 0 }, randomBytes(32))}`;
    using _clock = stopClock();
    for (let n = 1; n <= 100; n += 1) {
      const url = n % 2 ? '/session' : '/v3/customers';
      expect((await inject(url, madeUp())).statusCode).toBe(401);
    }
    expect((await inject('/v3/customers', cookie)).statusCode, 'a session of ours').toBe(200);
    await guessed.database.query('alter table clientele.sessions rename to elsewhere');
    for (const url of ['/session', '/v3/customers']) {
      expect((await inject(url, madeUp())).statusCode, 'a query would fail with 503 now').toBe(429);
    }
  });

  test('brute force: addresses in the same IPv6 network count as one', async () => {
    using _clock = stopClock();
    const statuses = [];
    for (let n = 1; n <= 11; n += 1) {
      const response = await service.app.inject({
        method: 'POST',
        url: '/session',
        headers: { host: 'localhost' },
        payload: { key: 'guess' },
        remoteAddress: `2001:db8:7::${n}`,
      });
      statuses.push(response.statusCode);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  });

  test('a key in the request takes precedence: a wrong key fails even with a session', async () => {
    const cookie = await signedIn();
    expect(await listStatus(cookie, { headers: { authorization: 'Bearer wrong' } })).toBe(401);
  });

  test('a session has the scopes of its key and no more', async () => {
    const { key } = await service.makeKey(['customers:lookup']);
    expect(await listStatus(await signedIn(key))).toBe(403);
  });
});

describe('the end of a session', () => {
  test('signing out ends the session on every instance at once and clears the cookie', async () => {
    const cookie = await signedIn();
    expect(await listStatus(cookie, { app: other })).toBe(200);
    const out = await send('DELETE', '/session', { cookie, app: other });
    expect(out.statusCode).toBe(204);
    expect(out.headers).toMatchObject({
      'clear-site-data': '"cache"',
      'referrer-policy': 'no-referrer',
    });
    expect(out.headers['set-cookie']).toMatch(/^__Host-clientele-session=; .*Max-Age=0/);
    expect(await listStatus(cookie)).toBe(401);
    expect(await listStatus(cookie, { app: other })).toBe(401);
    expect((await send('GET', '/session', { cookie })).statusCode).toBe(401);
  });

  test('on a standby, a session goes on, signing in is refused, and signing out reports that the session has not ended', async () => {
    const config = readConfig(
      { DATABASE_URL: service.database.url, CLIENTELE_AUDIT: 'off', LOG_LEVEL: 'silent' },
      patient,
    );
    const nodes = new Nodes(config);
    const { lookups } = nodes.authority;
    // A standby's connections cannot write either.
    const readOnly = Object.assign(nodes, { authority: { lookups, writes: lookups } });
    const app = await buildApp({
      config,
      nodes: readOnly,
      readiness: { checked: true, draining: false },
    });
    const cookie = await signedIn();
    expect(await listStatus(cookie, { app })).toBe(200);
    const refused = await signIn(service.key, { app });
    expect([refused.statusCode, refused.json().code]).toEqual([503, 'database-unavailable']);
    const out = await send('DELETE', '/session', { cookie, app });
    expect([out.statusCode, out.json().code]).toEqual([503, 'database-unavailable']);
    expect(out.headers['set-cookie']).toContain('Max-Age=0;');
    await app.close();
    await nodes.close();
  });

  test('signing out ends only that session', async () => {
    const [one, two] = [await signedIn(), await signedIn()];
    await send('DELETE', '/session', { cookie: one });
    expect(await listStatus(two)).toBe(200);
  });

  test('revoking a key ends its sessions within 15 seconds, on every instance', async () => {
    const { key, id } = await service.makeKey();
    const cookie = await signedIn(key);
    expect(await listStatus(cookie, { app: other })).toBe(200);
    await revokeKey(await service.database.connect(), id);
    const revokedAt = performance.now();
    for (const app of [service.app, other]) {
      await vi.waitUntil(async () => (await listStatus(cookie, { app })) === 401, {
        timeout: promised(15_000) - (performance.now() - revokedAt),
        interval: 200,
      });
    }
    expect(performance.now() - revokedAt).toBeLessThan(promised(15_000));
  });

  test('a session ends after 30 minutes without use; use on any instance extends it', async () => {
    const start = Date.now();
    setClock(start);
    let cookie = await signedIn();
    const unused = cookie;
    for (const at of [29, 58, 87]) {
      setClock(start + at * minute);
      const response = await send('GET', '/v3/customers', { cookie, app: other });
      expect(response.statusCode, `${at} minutes`).toBe(200);
      cookie = cookieOf(response);
    }
    expect(await listStatus(unused), 'the first cookie has expired').toBe(401);
    setClock(start + (87 + 29) * minute);
    const look = await send('GET', '/session', { cookie });
    expect(look.statusCode).toBe(200);
    expect(look.headers['set-cookie'], 'a look at the session is no use').toBeUndefined();
    setClock(start + (87 + 30) * minute);
    expect(await listStatus(cookie)).toBe(401);
  });

  test('a session ends after twelve hours, however much it is used', async () => {
    const start = Date.now();
    setClock(start);
    let cookie = await signedIn();
    for (let at = 20 * minute; at < 12 * hour; at += 20 * minute) {
      setClock(start + at);
      const response = await send('GET', '/v3/customers', { cookie });
      expect(response.statusCode, `${at / minute} minutes`).toBe(200);
      cookie = cookieOf(response);
    }
    setClock(start + 12 * hour - 1);
    const last = await send('GET', '/v3/customers', { cookie });
    expect(last.statusCode).toBe(200);
    expect(last.headers['set-cookie']).toContain('Max-Age=1;');
    setClock(start + 12 * hour);
    expect(await listStatus(cookie)).toBe(401);
  });

  test('changing the secret ends every session', async () => {
    const cookie = await signedIn();
    await service.database.query('update clientele.session_secret set secret = default');
    expect(await listStatus(cookie)).toBe(401);
    expect(await listStatus(await signedIn())).toBe(200);
  });

  test('the record of a session is deleted once the session would have expired anyway', async () => {
    await signedIn();
    await service.database.query(
      `update clientele.sessions set forget_at = now() - interval '1 second'`,
    );
    await signedIn();
    const rows = await service.database.query<{ overdue: number }>(
      `select count(*)::int as overdue from clientele.sessions where forget_at < now()`,
    );
    expect(rows).toEqual([{ overdue: 0 }]);
  });
});

describe('privileges and settings', () => {
  test('the reader role can start and end a session and write nothing else about sessions', async () => {
    const client = await service.database.connect();
    await client.query('set role clientele_reader');
    await client.query('select clientele.end_session($1)', [randomUUID()]);
    for (const statement of [
      'delete from clientele.sessions',
      `update clientele.sessions set roles = '{export}'`,
      'update clientele.people set disabled_at = null',
      'update clientele.session_secret set secret = default',
    ]) {
      await expect(client.query(statement), statement).rejects.toMatchObject({ code: '42501' });
    }
  });

  test('without authentication nobody needs to sign in', async () => {
    await using open = await startTestService({ CLIENTELE_AUTH: 'none' });
    expect((await open.app.inject('/session')).json().data.key).toBeNull();
  });

  test('a console on a configured origin can use its session, and one on another origin cannot', async () => {
    const origin = 'https://console.example';
    await using hosted = await startTestService({ CLIENTELE_CONSOLE_ORIGINS: origin });
    const { app } = hosted;
    const headers = { host: 'api.example', origin, 'sec-fetch-site': 'same-site' };
    const preflight = await app.inject({ method: 'OPTIONS', url: '/session', headers });
    expect([preflight.statusCode, preflight.headers['access-control-allow-origin']]).toEqual([
      204,
      origin,
    ]);
    const cookie = cookieOf(await signIn(hosted.key, { app, headers }));
    const read = await send('GET', '/v3/customers', { app, cookie, headers });
    expect(read.statusCode).toBe(200);
    expect(read.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
    });
    const evil = { ...headers, origin: 'https://evil.example' };
    const refused = await send('GET', '/v3/customers', { app, cookie, headers: evil });
    expect(refused.statusCode).toBe(401);
    expect(refused.headers['access-control-allow-origin']).toBeUndefined();
  });

  test('behind a trusted proxy, attempts are counted by the forwarded address', async () => {
    await using behind = await startTestService({ CLIENTELE_TRUSTED_PROXIES: '127.0.0.0/8' });
    const attempt = (address: string) =>
      behind.app.inject({
        method: 'POST',
        url: '/session',
        headers: { host: 'localhost', 'x-forwarded-for': address },
        payload: { key: 'guess' },
      });
    for (let n = 1; n <= 10; n += 1) await attempt('203.0.113.1');
    expect((await attempt('203.0.113.1')).statusCode).toBe(429);
    expect((await attempt('203.0.113.2')).statusCode).toBe(401);
  });
});
