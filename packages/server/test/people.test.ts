/** People who sign in with a real provider: the whole flow, being disabled, and a provider that is down. */
import {
  disablePerson,
  enablePerson,
  listPeople,
  Nodes,
  prepareMasking,
} from '@clientele/directory';
import { buildApp, readConfig } from '@clientele/server';
import { firstFreePort } from '@clientele/sandbox';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { patient, startTestService, type TestService } from '@clientele/sandbox/testing';
import {
  startIdentityProvider,
  type IdentityProvider,
  type IdentityProviderOptions,
} from '@clientele/sandbox/testing/identity-provider';
import { promised } from '@clientele/sandbox/testing/machine';
import { clientId, clientSecret } from './setup/hostile-provider.ts';
import { begin, comeBack, peopleSettings, statusOf } from './setup/served-people.ts';

const people: IdentityProviderOptions['people'] = {
  anna: { name: 'Anna Sample', email: 'anna@staff.example', groups: ['desk', 'other'] },
  ben: { name: 'Ben Sample', email: 'ben@staff.example', groups: ['leads', 'exporters'] },
  carl: { name: 'Carl Sample', email: 'carl@staff.example', groups: ['other'] },
};

let origin: string;
let provider: IdentityProvider;
let settings: Awaited<ReturnType<typeof peopleSettings>>;
let service: TestService;
/** A second instance on the same database. */
let other: FastifyInstance;
let closeOther: () => Promise<void>;
const startProvider = (port?: number) =>
  startIdentityProvider({
    publicOrigin: origin,
    clientId,
    clientSecret,
    people,
    ...(port && { port }),
  });

beforeAll(async () => {
  const port = await firstFreePort(18_080);
  origin = `http://127.0.0.1:${port}`;
  provider = await startProvider();
  settings = await peopleSettings(provider.issuer, origin);
  service = await startTestService(settings.env);
  // Most people here may not see contact details.
  await prepareMasking(await service.database.connect());
  // The provider reaches it by this port, to sign people out.
  await service.app.listen({ port });
  const env = { ...settings.env, DATABASE_URL: service.database.url, LOG_LEVEL: 'silent' };
  const config = readConfig(env, patient);
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
  await provider[Symbol.asyncDispose]();
  await settings.remove();
});

/** A browser at the provider: follows redirects and keeps its cookies. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async send(
    url: string,
    form?: Record<string, string>,
  ): Promise<{ to: string | null; body: string }> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name, value] = line.split(';')[0]!.split('=', 2) as [string, string];
      this.#cookies.set(name, value);
    }
    const location = response.headers.get('location');
    return { to: location && new URL(location, url).href, body: await response.text() };
  }

  /** Until the provider sends the browser back to the service. */
  async signIn(url: string, name: string): Promise<Record<string, string>> {
    let { to } = await this.send(url);
    for (let steps = 0; steps < 10 && to !== null; steps += 1) {
      if (to.startsWith(origin)) return Object.fromEntries(new URL(to).searchParams);
      ({ to } = await this.send(to, to.includes('/interaction/') ? { name } : undefined));
    }
    throw new Error('The provider did not send the browser back.');
  }
}

async function signIn(name: string, app = service.app, browser = new Browser()) {
  const { url, cookie } = await begin(app);
  return comeBack(app, await browser.signIn(url, name), cookie);
}

async function signedIn(name: string, app = service.app, browser?: Browser): Promise<string> {
  const { to, session } = await signIn(name, app, browser);
  expect(to).toBe(`${origin}/#signed-in`);
  return session!;
}

const inject = (cookie: string, method: 'GET' | 'DELETE', app = service.app) =>
  app.inject({ method, url: '/session', headers: { host: 'localhost', cookie } });

const idOf = async (name: string): Promise<string> => {
  const rows = await listPeople(await service.database.connect());
  return rows.find((person) => person.name === name)!.id;
};

describe('signing in', () => {
  test('gives the roles and scopes of the groups, on every instance, and says who is signed in', async () => {
    const cookie = await signedIn('ben');
    for (const app of [service.app, other]) {
      expect((await inject(cookie, 'GET', app)).json().data).toMatchObject({
        key: null,
        person: {
          id: await idOf('Ben Sample'),
          name: 'Ben Sample',
          account: 'ben@staff.example',
          roles: ['export', 'support-lead'],
        },
        scopes: [
          'customers:list',
          'customers:lookup',
          'customers:search',
          'customers:contact',
          'customers:export',
        ],
      });
      expect(await statusOf(app, cookie)).toBe(200);
    }
  });

  test('gives no more than the groups have: support sees no contact details and exports nothing', async () => {
    const { scopes } = (await inject(await signedIn('anna'), 'GET')).json().data;
    expect(scopes).toEqual(['customers:list', 'customers:lookup', 'customers:search']);
  });

  test('is refused without a role, and says that', async () => {
    const { to, session } = await signIn('carl');
    expect([to, session]).toEqual([`${origin}/#sign-in=no-role`, undefined]);
    const names = (await listPeople(await service.database.connect())).map(({ name }) => name);
    expect(names, 'people who were refused').not.toContain('Carl Sample');
  });

  test('keeps the same id, with the latest name and roles', async () => {
    await signedIn('anna');
    const id = await idOf('Anna Sample');
    people['anna'] = { ...people['anna']!, name: 'Anna Example', groups: ['leads'] };
    const cookie = await signedIn('anna', other);
    expect((await inject(cookie, 'GET')).json().data.person).toMatchObject({
      id,
      name: 'Anna Example',
      roles: ['support-lead'],
    });
  });

  test('logs the id and nothing else of the person', async () => {
    await statusOf(service.app, await signedIn('ben'));
    expect(service.logged()).toContain(await idOf('Ben Sample'));
    expect(service.logged()).not.toMatch(/Sample|staff\.example|code=|state=/);
  });
});

describe('the end of a session', () => {
  test('a disabled person is out on two instances within 15 seconds, and can sign in when enabled', async () => {
    const cookie = await signedIn('ben');
    const statuses = () => Promise.all([service.app, other].map((app) => statusOf(app, cookie)));
    expect(await statuses()).toEqual([200, 200]);
    const client = await service.database.connect();
    const id = await idOf('Ben Sample');
    const started = performance.now();
    expect(await disablePerson(client, id)).toBe(true);
    await vi.waitUntil(async () => (await statuses()).join() === '401,401', { timeout: 300_000 });
    expect(performance.now() - started).toBeLessThan(promised(15_000));
    expect((await signIn('ben')).to).toBe(`${origin}/#sign-in=disabled`);
    await enablePerson(client, id);
    expect(await statuses(), 'the old session').toEqual([401, 401]);
    await signedIn('ben');
  });

  test('signing out here leads to the provider’s page', async () => {
    const cookie = await signedIn('ben');
    const out = await inject(cookie, 'DELETE', other);
    const url = new URL(out.json().data.sign_out_url as string);
    expect(url.origin).toBe(provider.issuer);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${origin}/`);
    expect(url.searchParams.get('id_token_hint'), 'which Okta requires').toMatch(
      /^[\w-]+\.[\w-]+\.[\w-]+$/,
    );
    expect(out.headers['clear-site-data']).toBe('"cache"');
    expect(await statusOf(service.app, cookie)).toBe(401);
  });

  test('signing out at the provider ends the session here', async () => {
    const browser = new Browser();
    const cookie = await signedIn('ben', service.app, browser);
    const elsewhere = await signedIn('ben');
    expect(await statusOf(other, cookie)).toBe(200);
    const page = await browser.send(`${provider.issuer}/session/end?client_id=${clientId}`);
    const xsrf = /name="xsrf" value="(\w+)"/.exec(page.body)![1]!;
    await browser.send(`${provider.issuer}/session/end/confirm`, { xsrf, logout: 'yes' });
    await vi.waitUntil(async () => (await statusOf(other, cookie)) === 401, { timeout: 300_000 });
    expect(await statusOf(service.app, cookie)).toBe(401);
    expect(await statusOf(service.app, elsewhere), 'a session in another browser').toBe(200);
  });

  test('a session ends when the provider is no longer configured', async () => {
    const cookie = await signedIn('ben');
    const config = readConfig(
      {
        DATABASE_URL: service.database.url,
        LOG_LEVEL: 'silent',
        CLIENTELE_PUBLIC_ORIGIN: origin,
      },
      patient,
    );
    const nodes = new Nodes(config);
    const app = await buildApp({ config, nodes, readiness: { checked: true, draining: false } });
    expect(await statusOf(app, cookie)).toBe(401);
    await app.close();
    await nodes.close();
  });
});

test('while the provider is down, sessions live on, sign-in says so, and it works again afterwards', async () => {
  const cookie = await signedIn('ben');
  await provider[Symbol.asyncDispose]();
  // Its description of itself is used for a minute.
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 61_000);
  expect(await statusOf(service.app, cookie)).toBe(200);
  expect((await begin(service.app)).url).toBe(`${origin}/#sign-in=provider-unavailable`);
  const key = await service.app.inject({
    method: 'POST',
    url: '/session',
    headers: { host: 'localhost' },
    payload: { key: service.key },
  });
  expect(key.statusCode, 'signing in with a key').toBe(200);
  const out = await inject(cookie, 'DELETE');
  expect(out.statusCode, 'signing out').toBe(204);
  expect(await statusOf(other, cookie)).toBe(401);
  provider = await startProvider(Number(new URL(provider.issuer).port));
  await signedIn('ben');
  clock.mockRestore();
});
