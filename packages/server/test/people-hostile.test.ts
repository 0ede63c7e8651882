/** Responses of a provider, or of somebody who pretends to be one, that must not sign anybody in. */
import { createHash, createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { exportJWK, exportSPKI, type JWTPayload } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { prepareMasking } from '@clientele/directory';
import { startTestService, type TestService } from '@clientele/sandbox/testing';
import {
  clientId,
  clientSecret,
  HostileProvider,
  startTrap,
  type Deviation,
} from './setup/hostile-provider.ts';
import { insertRandomCustomers, Random } from '@clientele/sandbox/testing';
import {
  begin,
  comeBack,
  peopleSettings,
  publicOrigin,
  rolesFile,
  statusOf,
} from './setup/served-people.ts';

let provider: HostileProvider;
let trap: Awaited<ReturnType<typeof startTrap>>;
let settings: Awaited<ReturnType<typeof peopleSettings>>;
let service: TestService;
beforeAll(async () => {
  provider = await HostileProvider.start();
  trap = await startTrap();
  settings = await peopleSettings(provider.issuer);
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  trap.stop();
  await settings.remove();
});

const fetched: string[] = [];
const realFetch = globalThis.fetch;
beforeAll(async () => {
  service = await startTestService(settings.env);
  // Most people here may not see contact details.
  await prepareMasking(await service.database.connect());
  vi.stubGlobal('fetch', (input: string | URL, init?: RequestInit) => {
    fetched.push(new URL(input).host);
    return realFetch(input, init);
  });
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await service[Symbol.asyncDispose]();
});
beforeEach(() => {
  provider.deviation = {};
  provider.asked = [];
  fetched.length = 0;
  later += 61_000;
  stopped = undefined;
});
/** Its description of itself is used for a minute; every test starts with a new one. */
let later = 0;
/** While set, rates are not paid off. */
let stopped: number | undefined;
const now = performance.now.bind(performance);
vi.spyOn(performance, 'now').mockImplementation(() => stopped ?? now() + later);
afterEach(() => {
  vi.useRealTimers();
  const own = new URL(provider.issuer).host;
  const others = [...fetched.filter((host) => host !== own), ...trap.asked];
  if (others.length > 0) throw new Error(`Requests to other hosts: ${others.join(', ')}`);
});

/** Signs in, with whatever the browser sends back. */
async function signIn(
  change: (honest: Record<string, string>) => [string, string][] = Object.entries,
) {
  const { url, cookie } = await begin(service.app);
  return comeBack(service.app, change(provider.authorize(url)), cookie);
}

const people = () =>
  service.database.query('select * from clientele.sessions where person is not null');

/** What an attempt left behind. */
const outcome = async ({ to, session }: Awaited<ReturnType<typeof signIn>>) => ({
  to,
  session,
  sessions: await people(),
});
const refused = (reason = 'invalid') => ({
  to: `${publicOrigin}/#sign-in=${reason}`,
  session: undefined,
  sessions: [],
});

test('an honest response signs in, with the roles of the groups and no more', async () => {
  const { to, session } = await signIn();
  expect(to).toBe(`${publicOrigin}/#signed-in`);
  expect(fetched, 'requests are noticed').toContain(new URL(provider.issuer).host);
  expect(await statusOf(service.app, session!)).toBe(200);
  await service.database.query('delete from clientele.sessions');
});

test('a person is shown as many customers in a day as the roles allow, on all instances', async () => {
  await writeFile(
    settings.env.CLIENTELE_ROLES_FILE,
    JSON.stringify({ ...rolesFile, records_per_day: { support: 3 } }),
  );
  await using limited = await startTestService({ ...settings.env, CLIENTELE_RATE_READS: '0' });
  await writeFile(settings.env.CLIENTELE_ROLES_FILE, JSON.stringify(rolesFile));
  await prepareMasking(await limited.database.connect());
  await insertRandomCustomers(await limited.database.connect(), new Random(6), 5);
  const { url, cookie } = await begin(limited.app);
  const { session } = await comeBack(limited.app, provider.authorize(url), cookie);
  const ask = (perPage: number) =>
    limited.app.inject({
      url: `/v3/customers?perPage=${perPage}`,
      headers: { host: 'localhost', cookie: session! },
    });
  expect((await ask(2)).statusCode).toBe(200);
  expect((await ask(2)).json()).toMatchObject({ code: 'records-used-up', status: 429 });
  expect((await ask(1)).statusCode).toBe(200);
  const [shown] = await limited.database.query<{ records: string }>(
    `select r.records from clientele.records_shown as r
     join clientele.people as p on p.id::text = r.caller`,
  );
  expect(shown?.records, 'counted in the database').toBe('3');
});

describe('what the browser brings back', () => {
  const without = (name: string) => (honest: Record<string, string>) =>
    Object.entries(honest).filter(([key]) => key !== name);
  const withOther = (name: string, value: string) => (honest: Record<string, string>) =>
    Object.entries({ ...honest, [name]: value });

  test.each([
    ['no state', without('state')],
    ['another state', withOther('state', 'x'.repeat(43))],
    ['an empty state', withOther('state', '')],
    [
      'two states',
      (honest: Record<string, string>) => [
        ...Object.entries(honest),
        ['state', honest['state']!] as [string, string],
      ],
    ],
    ['the name of another issuer (mix-up)', withOther('iss', 'https://other.example')],
    [
      'two codes',
      (honest: Record<string, string>) => [
        ...Object.entries(honest),
        ['code', 'other'] as [string, string],
      ],
    ],
    ['no code', without('code')],
    ['a made-up code', withOther('code', 'made-up')],
    ['an ID token in the address', withOther('id_token', 'e30.e30.')],
    ['an error together with a code', withOther('error', 'server_error')],
    ['a response inside a JWT', withOther('response', 'e30.e30.')],
  ])('is refused: %s', async (_what, change) => {
    expect(await outcome(await signIn(change))).toEqual(refused());
  });

  test('is refused without the name of the issuer, where the provider promises it', async () => {
    provider.deviation = { metadata: { authorization_response_iss_parameter_supported: true } };
    expect(await outcome(await signIn(without('iss')))).toEqual(refused());
  });

  test('is refused if the person said no', async () => {
    const { url, cookie } = await begin(service.app);
    const { state } = provider.authorize(url);
    expect(
      await outcome(await comeBack(service.app, { error: 'access_denied', state }, cookie)),
    ).toEqual(refused('cancelled'));
  });

  test.each([
    ['without the cookie of this sign-in', ''],
    ['with a forged cookie', `clientele-sign-in=${Buffer.alloc(200, 'a').toString('base64url')}`],
    ['with a session instead of the cookie', 'clientele-session=x'],
  ])('is refused %s', async (_what, cookie) => {
    const { url } = await begin(service.app);
    expect(await outcome(await comeBack(service.app, provider.authorize(url), cookie))).toEqual(
      refused('expired'),
    );
    expect(provider.asked).not.toContain('/token');
  });

  test('is refused with the cookie of another browser', async () => {
    const [victim, attacker] = [await begin(service.app), await begin(service.app)];
    expect(
      await outcome(await comeBack(service.app, provider.authorize(attacker.url), victim.cookie)),
    ).toEqual(refused());
    expect(provider.asked).not.toContain('/token');
  });

  test('is refused after ten minutes', async () => {
    const { url, cookie } = await begin(service.app);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 });
    expect(await outcome(await comeBack(service.app, provider.authorize(url), cookie))).toEqual(
      refused('expired'),
    );
  });

  test('is refused the second time (replayed code)', async () => {
    const { url, cookie } = await begin(service.app);
    const granted = provider.authorize(url);
    const first = await comeBack(service.app, granted, cookie);
    expect(first.session).toBeDefined();
    expect(first.response.headers['set-cookie'], 'the cookie is for one sign-in').toContainEqual(
      expect.stringMatching(/^clientele-sign-in=; .*Max-Age=0/),
    );
    await service.database.query('delete from clientele.sessions');
    expect(await outcome(await comeBack(service.app, granted, cookie))).toEqual(refused());
  });
});

describe('an ID token', () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const hmac = (claims: JWTPayload, key: string | Buffer) => {
    const text = `${encode({ alg: 'HS256', kid: 'one' })}.${encode(claims)}`;
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  };

  test.each<[string, Deviation]>([
    ['without a nonce', { claims: { nonce: undefined } }],
    ['with another nonce', { claims: { nonce: 'other' } }],
    ['of another issuer', { claims: { iss: 'https://other.example' } }],
    ['for another client', { claims: { aud: 'other' } }],
    [
      'for several clients, and issued to another',
      { claims: { aud: [clientId, 'other'], azp: 'other' } },
    ],
    ['for several clients, without saying to whom', { claims: { aud: [clientId, 'other'] } }],
    ['that has expired', { claims: { iat: 1_000_000_000, exp: 1_000_000_300 } }],
    ['without an expiry', { claims: { exp: undefined } }],
    ['that is not valid yet', { claims: { nbf: 4_000_000_000 } }],
    ['without a subject', { claims: { sub: undefined } }],
    ['with an empty subject', { claims: { sub: '' } }],
    ['with a subject that is not text', { claims: { sub: { $ne: '' } } }],
    ['with an oversized subject', { claims: { sub: 'a'.repeat(256) } }],
    ['with a NUL in the subject', { claims: { sub: 'an\0na' } }],
    ['with an oversized session', { claims: { sid: 's'.repeat(10_000) } }],
    [
      'that is unsigned',
      { token: async (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.` },
    ],
    [
      'with its signature removed',
      {
        token: async (claims) =>
          `${(await provider.sign(claims)).split('.').slice(0, 2).join('.')}.`,
      },
    ],
    ['signed with the client’s secret', { token: async (claims) => hmac(claims, clientSecret) }],
    [
      'signed with the public key as a secret (key confusion)',
      { token: async (claims, { own }) => hmac(claims, await exportSPKI(own.publicKey)) },
    ],
    [
      'signed with the public key as a secret, where metadata allows it',
      {
        metadata: { id_token_signing_alg_values_supported: ['RS256', 'HS256'] },
        token: async (claims, { own }) => hmac(claims, await exportSPKI(own.publicKey)),
      },
    ],
    [
      'unsigned, where metadata allows it',
      {
        metadata: { id_token_signing_alg_values_supported: ['none'] },
        token: async (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`,
      },
    ],
    [
      'signed with another key under the same name',
      { token: (claims, { foreign }) => provider.sign(claims, {}, foreign.privateKey) },
    ],
    [
      'signed with a key that it brings along',
      {
        token: async (claims, { foreign }) =>
          provider.sign(claims, { jwk: await exportJWK(foreign.publicKey) }, foreign.privateKey),
      },
    ],
    [
      'signed with a key from elsewhere',
      {
        token: (claims, { foreign }) =>
          provider.sign(
            claims,
            { jku: `${trap.url}/keys`, x5u: `${trap.url}/x5u`, kid: 'two' },
            foreign.privateKey,
          ),
      },
    ],
    [
      'with a critical header that nobody knows',
      {
        token: async (claims) =>
          (await provider.sign(claims)).replace(
            /^[^.]+/,
            encode({ alg: 'RS256', kid: 'one', crit: ['x'], x: 1 }),
          ),
      },
    ],
    [
      'whose claims were changed',
      {
        token: async (claims) =>
          (await provider.sign(claims)).replace(
            /\.[^.]+\./,
            `.${encode({ ...claims, groups: ['leads'] })}.`,
          ),
      },
    ],
    ['that is missing', { tokens: { id_token: undefined } }],
    ['that is no JWT', { tokens: { id_token: 'x' } }],
  ])('is refused %s', async (_what, deviation) => {
    provider.deviation = deviation;
    expect(await outcome(await signIn())).toEqual(refused());
  });

  test('of which the name is oversized or has control characters is stored within bounds', async () => {
    provider.deviation = {
      claims: { name: `Anna\0\n${'n'.repeat(5_000)}`, email: '\ud800'.repeat(999) },
    };
    const { session } = await signIn();
    expect(await statusOf(service.app, session!)).toBe(200);
    const [row] = await service.database.query<{ name: string }>(
      'select name from clientele.people',
    );
    expect(row!.name).toBe(`Anna ${'n'.repeat(195)}`);
    await service.database.query('delete from clientele.sessions');
  });

  test('that expired less than a minute ago is accepted: clocks differ', async () => {
    const seconds = Math.floor(Date.now() / 1000);
    provider.deviation = { claims: { iat: seconds - 90, exp: seconds - 30 } };
    expect((await signIn()).session).toBeDefined();
    await service.database.query('delete from clientele.sessions');
  });
});

describe('groups', () => {
  test.each<[string, Deviation, string]>([
    ['that give no role', { claims: { groups: ['strangers', 'Desk', 'desk '] } }, 'no-role'],
    [
      'named like members of objects',
      { claims: { groups: ['__proto__', 'constructor'] } },
      'no-role',
    ],
    ['that are none', { claims: { groups: [] } }, 'no-role'],
    ['that are missing', { claims: { groups: undefined } }, 'no-groups'],
    ['that are an object', { claims: { groups: { desk: true } } }, 'no-groups'],
    ['that are not text', { claims: { groups: ['desk', 1] } }, 'no-groups'],
    [
      'that userinfo says of another subject',
      { claims: { groups: undefined }, userinfo: { sub: 'eve', groups: ['desk'] } },
      'invalid',
    ],
  ])('%s give no access', async (_what, deviation, refusal) => {
    provider.deviation = deviation;
    expect(await outcome(await signIn())).toEqual(refused(refusal));
  });
});

describe('a provider', () => {
  const tooMuch = `{"x":"${'x'.repeat(300_000)}"`;
  const big = (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(tooMuch);
  const elsewhere = (response: ServerResponse) =>
    void response.writeHead(307, { location: `${trap.url}/` }).end();
  const description = '/.well-known/openid-configuration';

  test.each<[string, () => Deviation]>([
    ['that says it is another', () => ({ metadata: { issuer: 'https://other.example' } })],
    [
      'whose pages are elsewhere',
      () => ({ metadata: { authorization_endpoint: `${trap.url}/authorize` } }),
    ],
    ['whose tokens are elsewhere', () => ({ metadata: { token_endpoint: `${trap.url}/token` } })],
    ['whose keys are elsewhere', () => ({ metadata: { jwks_uri: `${trap.url}/keys` } })],
    [
      'whose page is a script',
      () => ({ metadata: { authorization_endpoint: 'javascript:alert(1)' } }),
    ],
    ['that is described elsewhere', () => ({ instead: { [description]: elsewhere } })],
    ['with an oversized description', () => ({ instead: { [description]: big } })],
  ])('%s is not used', async (_what, deviation) => {
    provider.deviation = deviation();
    const { url, response } = await begin(service.app);
    expect(url).toBe(`${publicOrigin}/#sign-in=provider-unavailable`);
    expect(response.headers['set-cookie']).toBeUndefined();
  });

  test.each<[string, () => Deviation]>([
    ['sends the exchange elsewhere', () => ({ instead: { '/token': elsewhere } })],
    ['sends us elsewhere for its keys', () => ({ instead: { '/keys': elsewhere } })],
    ['sends oversized tokens', () => ({ instead: { '/token': big } })],
    ['sends oversized keys', () => ({ instead: { '/keys': big } })],
    [
      'has its userinfo elsewhere',
      () => ({ claims: { groups: undefined }, metadata: { userinfo_endpoint: `${trap.url}/` } }),
    ],
    [
      'sends us elsewhere for its userinfo',
      () => ({ claims: { groups: undefined }, instead: { '/userinfo': elsewhere } }),
    ],
  ])('that %s signs nobody in', async (what, deviation) => {
    provider.deviation = deviation();
    expect(await outcome(await signIn())).toEqual(
      refused(what.startsWith('has') ? 'no-groups' : 'invalid'),
    );
  });
});

describe('redirects', () => {
  test.each([
    'return=https://evil.example',
    'redirect_uri=https://evil.example',
    'next=//evil.example',
  ])('cannot be asked for: %s', async (query) => {
    const response = await service.app.inject(`/session/sign-in?${query}`);
    expect([response.statusCode, response.headers.location]).toEqual([400, undefined]);
  });

  test('come back to the configured origin, whatever Host the request has', async () => {
    for (const headers of [
      { host: 'evil.example' },
      { host: 'localhost', 'x-forwarded-host': 'evil.example' },
    ]) {
      const response = await service.app.inject({ url: '/session/sign-in', headers });
      const { searchParams } = new URL(String(response.headers.location));
      expect(searchParams.get('redirect_uri')).toBe(`${publicOrigin}/session/callback`);
      expect(searchParams.get('code_challenge_method')).toBe('S256');
    }
  });

  test('carry no state that says something of the person or the page', async () => {
    const [one, two] = [await begin(service.app), await begin(service.app)];
    for (const name of ['state', 'nonce', 'code_challenge']) {
      const [a, b] = [one, two].map(({ url }) => new URL(url).searchParams.get(name)!);
      expect(a, name).toHaveLength(43);
      expect(a, name).not.toBe(b);
    }
  });
});

describe('too many failures', () => {
  const callback = (headers: Record<string, string>) =>
    service.app.inject({ url: '/session/callback?code=x&state=y', headers });

  test('that a page of another site causes keep nobody from signing in or out', async () => {
    const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    const { url, cookie } = await begin(service.app);
    for (let n = 1; n <= 150; n += 1) {
      const headers = { host: 'localhost', ...(n % 2 && image) };
      expect((await callback(headers)).headers.location).toMatch(/=expired$/);
    }
    // The browser of a page on the same site sends the cookie, and keeps it.
    const sibling = { host: 'localhost', ...image, 'sec-fetch-site': 'same-site', cookie };
    expect((await callback(sibling)).headers['set-cookie']).toBeUndefined();
    const { session } = await comeBack(service.app, provider.authorize(url), cookie);
    expect(await statusOf(service.app, session!)).toBe(200);
    await service.database.query('delete from clientele.sessions');
  });

  test('with made-up cookies are limited as wrong keys are, and stop no sign-in under way', async () => {
    const { url, cookie } = await begin(service.app);
    stopped = performance.now();
    const madeUp = { host: 'localhost', cookie: `clientele-sign-in=${'a'.repeat(200)}` };
    for (let n = 1; n <= 100; n += 1) {
      expect((await callback(madeUp)).headers.location).toMatch(/=expired$/);
    }
    expect((await callback(madeUp)).statusCode).toBe(429);
    const { to } = await comeBack(service.app, provider.authorize(url), cookie);
    expect(to).toBe(`${publicOrigin}/#signed-in`);
    await service.database.query('delete from clientele.sessions');
  });

  test('at the provider are limited', async () => {
    const { cookie, url } = await begin(service.app);
    const state = new URL(url).searchParams.get('state')!;
    stopped = performance.now();
    const attempt = () =>
      comeBack(service.app, { code: 'guess', state, iss: provider.issuer }, cookie);
    for (let n = 1; n <= 100; n += 1) expect((await attempt()).to).toMatch(/=invalid$/);
    provider.asked = [];
    expect((await attempt()).response.statusCode).toBe(429);
    expect(provider.asked).toEqual([]);
  });
});

describe('a sign-out by the provider', () => {
  const event = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const out = (token: string) =>
    service.app.inject({
      method: 'POST',
      url: '/session/back-channel-logout',
      headers: { host: 'localhost', 'content-type': 'application/x-www-form-urlencoded' },
      payload: `logout_token=${encodeURIComponent(token)}`,
    });
  const claims = (more: Record<string, unknown> = {}) =>
    provider.claims({ jti: 'x', events: event, ...more });

  test.each<[string, Record<string, unknown>]>([
    ['that is an ID token', { events: undefined, nonce: 'n' }],
    ['with a nonce', { nonce: 'n' }],
    ['without an event', { events: {} }],
    ['for another client', { aud: 'other' }],
    ['of another issuer', { iss: 'https://other.example' }],
    ['of an hour ago', { iat: 1_000_000_000, exp: undefined }],
    ['of nobody', { sub: undefined, sid: undefined }],
    ['without an id', { jti: undefined }],
  ])('is refused: a token %s', async (_what, more) => {
    const { session } = await signIn();
    const response = await out(await provider.sign(claims(more)));
    expect([response.statusCode, response.json().code]).toEqual([400, 'malformed-request']);
    expect(await statusOf(service.app, session!), 'still signed in').toBe(200);
    await service.database.query('delete from clientele.sessions');
  });

  test('is refused: a token signed by somebody else, or with the client’s secret', async () => {
    const { session } = await signIn();
    const foreign = await provider.sign(claims(), {}, provider.keys.foreign.privateKey);
    const secret = createHash('sha256').update(clientSecret).digest();
    const text = [{ alg: 'HS256' }, claims()]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const shared = `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
    for (const token of [foreign, shared, `${text}.`, 'x', ''])
      expect((await out(token)).statusCode).toBe(400);
    expect(await statusOf(service.app, session!), 'still signed in').toBe(200);
    await service.database.query('delete from clientele.sessions');
  });

  test('passes whatever others at its address send, who are limited and cost the provider nothing', async () => {
    const { session } = await signIn();
    stopped = performance.now();
    const forgery = await provider.sign(claims(), {}, provider.keys.foreign.privateKey);
    const statuses = [];
    for (let n = 1; n <= 32; n += 1) statuses.push((await out(forgery)).statusCode);
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 400), 429, 429]);
    expect(provider.asked.filter((path) => path === '/keys').length).toBeLessThanOrEqual(2);
    expect((await out(await provider.sign(claims({ sid: undefined })))).statusCode).toBe(200);
    expect(await statusOf(service.app, session!)).toBe(401);
  });

  test('ends the session that it names, and without a name all of the person', async () => {
    provider.deviation = { claims: { sid: 'one' } };
    const first = await signIn();
    provider.deviation = { claims: { sid: 'two' } };
    const second = await signIn();
    const statuses = async () => [
      await statusOf(service.app, first.session!),
      await statusOf(service.app, second.session!),
    ];
    expect(
      (await out(await provider.sign(claims({ sub: 'somebody else', sid: undefined })))).statusCode,
    ).toBe(200);
    expect(await statuses()).toEqual([200, 200]);
    expect(
      (await out(await provider.sign(claims({ sub: undefined, sid: 'one' })))).statusCode,
    ).toBe(200);
    expect(await statuses()).toEqual([401, 200]);
    expect((await out(await provider.sign(claims({ sid: undefined })))).statusCode).toBe(200);
    expect(await statuses()).toEqual([401, 401]);
  });
});
