/** Keys, scopes and rate limits as documented in docs/api.md, and the order of the checks. */
import { problems, scopes, type Problem } from '@clientele/contract';
import { insertKey, makeAccessKey, revokeKey } from '@clientele/directory';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { RateLimit } from '../src/http/rate-limit.ts';
import { withAnotherSecret } from './setup/wrong-key.ts';
import { startTestService, type TestService } from '@clientele/sandbox/testing';
import { stopClock } from './setup/stop-clock.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('without a valid key: one 401 response for every cause, with WWW-Authenticate', () => {
  const causes: [string, () => Promise<string | undefined>][] = [
    ['no header', async () => undefined],
    ['an empty header', async () => ''],
    ['no scheme', async () => service.key],
    ['another scheme', async () => `Basic ${service.key}`],
    ['a scheme alone', async () => 'Bearer'],
    ['two keys', async () => `Bearer ${service.key} ${service.key}`],
    ['something that is not a key', async () => 'Bearer opensesame'],
    [
      'a mistyped key',
      async () => `Bearer ${service.key.slice(0, -1)}${service.key.endsWith('0') ? '1' : '0'}`,
    ],
    ['a key with a trailing character', async () => `Bearer ${service.key}0`],
    ['a key in another case', async () => `Bearer ${service.key.toUpperCase()}`],
    ['a key that was never created', async () => `Bearer ${makeAccessKey().key}`],
    [
      'a known id with another secret',
      async () => {
        const wrong = makeAccessKey();
        const { secretHash } = makeAccessKey();
        await insertKey(await service.database.connect(), { ...wrong, secretHash }, 'test', scopes);
        return `Bearer ${wrong.key}`;
      },
    ],
    [
      'a revoked key',
      async () => {
        const { key, id } = await service.makeKey();
        await revokeKey(await service.database.connect(), id);
        return `Bearer ${key}`;
      },
    ],
  ];

  const ask = (url: string, authorization: string | undefined) =>
    service.app.inject({ url, headers: authorization === undefined ? {} : { authorization } });

  test.each(causes)('%s', async (_, make) => {
    const authorization = await make();
    for (const url of ['/v3/customers', `/v3/customers/${unknownId}`]) {
      const response = await ask(url, authorization);
      expect(response.statusCode).toBe(401);
      expect(response.headers['www-authenticate']).toBe('Bearer realm="clientele"');
      expect(response.json()).toEqual({
        request_id: response.headers['x-request-id'],
        type: '/docs#unauthenticated',
        title: 'Not authenticated',
        status: 401,
        detail: 'Send a valid access key: Authorization: Bearer <key>.',
        code: 'unauthenticated',
      });
    }
  });

  test.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])(
    'a valid key is accepted: %j',
    async (scheme) => {
      expect((await ask('/v3/customers', `${scheme} ${service.key}`)).statusCode).toBe(200);
    },
  );

  test('a key in the URL is ignored, and appears in neither the response nor the log', async () => {
    const response = await ask(`/v3/customers?access_token=${service.key}`, undefined);
    expect(response.statusCode).toBe(401);
    expect(response.body + service.logged()).not.toContain(service.key);
  });
});

describe('a key without the scope is rejected', () => {
  test.each([
    ['customers:list', '/v3/customers', undefined],
    ['customers:list', `/v3/customers/${unknownId}`, 'insufficient-scope'],
    ['customers:lookup', '/v3/customers', 'insufficient-scope'],
    ['customers:lookup', `/v3/customers/${unknownId}`, 'customer-not-found'],
    ['customers:search', '/v3/customers?search=a', 'insufficient-scope'],
    ['customers:list', '/v3/customers?search=a', 'insufficient-scope'],
    ['customers:list', '/v3/customers?search=', undefined],
    ['customers:list', '/v3/customers?search=%20', undefined],
    ['customers:list', '/v3/customers?search=%FF', 'invalid-search'],
  ] as const)('a key for %s on %s: %s', async (scope, url, code) => {
    const { key } = await service.makeKey([scope, 'customers:contact']);
    const response = await service.app.inject({ url, headers: { authorization: `Bearer ${key}` } });
    expect(response.statusCode).toBe(code === undefined ? 200 : problems[code].status);
    expect(response.json<Partial<Problem>>().code).toBe(code);
  });
});

describe('authentication can be turned off for a trusted network', () => {
  test('CLIENTELE_AUTH=none needs no key and ignores one', async () => {
    await using open = await startTestService({ CLIENTELE_AUTH: 'none' });
    expect((await open.app.inject('/v3/customers')).statusCode).toBe(200);
    const headers = { authorization: 'Bearer nonsense' };
    expect((await open.app.inject({ url: '/v3/customers', headers })).statusCode).toBe(200);
  });
});

describe('rate limits, with Retry-After and the RateLimit headers of the IETF draft', () => {
  let limited: TestService;
  beforeAll(async () => {
    limited = await startTestService({ CLIENTELE_RATE_READS: '3', CLIENTELE_RATE_SEARCHES: '1' });
  });
  afterAll(() => limited[Symbol.asyncDispose]());
  const policies = '"reads";q=3;w=60, "searches";q=1;w=60';

  test('the remaining requests count down, then 429 until the window ends', async () => {
    const { key } = await limited.makeKey();
    const read = () => limited.get('/v3/customers', { authorization: `Bearer ${key}` });
    for (const left of [2, 1, 0]) {
      const { statusCode, headers } = await read();
      expect(statusCode).toBe(200);
      expect(headers['ratelimit-policy']).toBe(policies);
      expect(headers['ratelimit']).toMatch(new RegExp(`^"reads";r=${left};t=(60|[1-5]?\\d)$`));
    }
    const { statusCode, headers, ...refused } = await read();
    expect(statusCode).toBe(429);
    expect(refused.json<Problem>().code).toBe('rate-limited');
    expect(headers['ratelimit-policy']).toBe(policies);
    const seconds = Number(headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(headers['ratelimit']).toBe(`"reads";r=0;t=${seconds}`);
  });

  test('lists and lookups count as reads, searches count separately, and so does each key', async () => {
    const { key } = await limited.makeKey();
    const get = async (url: string) =>
      (await limited.get(url, { authorization: `Bearer ${key}` })).statusCode;
    expect(await get('/v3/customers?search=a')).toBe(200);
    expect(await get('/v3/customers?search=a')).toBe(429);
    expect(await get(`/v3/customers?search=${unknownId}`)).toBe(429);
    expect(await get('/v3/customers?search=')).toBe(200);
    expect(await get(`/v3/customers/${unknownId}`)).toBe(404);
    expect(await get('/v3/customers?page=0')).toBe(400);
    expect(await get(`/v3/customers/${unknownId}`)).toBe(429);
    const { key: other } = await limited.makeKey();
    const fresh = await limited.get('/v3/customers', { authorization: `Bearer ${other}` });
    expect(fresh.statusCode).toBe(200);
  });

  test('a key that looks up identifiers which nobody has is refused, also for those that exist', async () => {
    await using guessed = await startTestService({ CLIENTELE_RATE_READS: '100000' });
    const existingId = '00000000-0000-4000-8000-000000000001';
    await guessed.database.query(
      `insert into customers (uuid, full_name, email_address) values ($1, 'A', 'a@mail.example')`,
      [existingId],
    );
    const [{ key }, { key: other }] = [await guessed.makeKey(), await guessed.makeKey()];
    const look = (id: string, by: string) =>
      guessed.get(`/v3/customers/${id}`, { authorization: `Bearer ${by}` });
    using _clock = stopClock();
    const statuses = new Set<number>();
    for (let i = 0; i < 20; i += 1) statuses.add((await look(unknownId, key)).statusCode);
    expect([...statuses]).toEqual([404]);
    for (const id of [unknownId, existingId]) {
      const { statusCode, headers, ...refused } = await look(id, key);
      expect([statusCode, refused.json<Problem>().code]).toEqual([429, 'rate-limited']);
      expect(headers['ratelimit']).toMatch(/^"not-found";r=0;t=1$/);
      expect(headers['retry-after']).toBe('1');
    }
    expect((await look(existingId, other)).statusCode).toBe(200);
  });

  test('a new window lasts 60 seconds at any clock reading', () => {
    const clock = vi.spyOn(performance, 'now');
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), (now) => {
        clock.mockReturnValue(now);
        const rate = new RateLimit({ reads: 1, searches: 1 });
        expect(rate.take('key', 'reads')['ratelimit']).toBe('"reads";r=0;t=60');
      }),
      { numRuns: 1_000 },
    );
    clock.mockRestore();
  });

  test('invalid keys use up no quota, and health checks have no limit', async () => {
    for (let i = 0; i < 5; i += 1) {
      const refused = await limited.get('/v3/customers', { authorization: 'Bearer nonsense' });
      expect(refused.statusCode).toBe(401);
      expect(refused.headers).not.toHaveProperty('ratelimit');
      expect((await limited.app.inject('/livez')).statusCode).toBe(200);
    }
  });
});

describe('requests at a time', () => {
  test('above its share, a key gets 429 with Retry-After, and another key is still served', async () => {
    await using busy = await startTestService();
    const { key: other } = await busy.makeKey();
    const read = (page: number, key = busy.key) =>
      busy.get(`/v3/customers?page=${page}`, { authorization: `Bearer ${key}` });
    // Keys and counts are cached, so only the pages have to wait for the lock.
    await Promise.all([read(1), read(1, other)]);
    const lock = await busy.database.connect();
    await lock.query('select pg_current_xact_id()');
    await lock.query('begin; lock table customers');
    const sent = Array.from({ length: 30 }, (_, i) => read(i + 2).then((response) => response));
    const refused = await Promise.all(sent.slice(10));
    for (const { statusCode, headers, ...response } of refused) {
      const { code, detail } = response.json<Problem>();
      expect([statusCode, code, headers['retry-after']]).toEqual([429, 'rate-limited', '1']);
      expect(detail).toContain('at a time');
    }
    const served = read(1, other).then((response) => response);
    await lock.query('rollback');
    expect((await served).statusCode).toBe(200);
    // Those that waited for a connection for too long got 503.
    for (const { statusCode } of await Promise.all(sent))
      expect([200, 503, 429]).toContain(statusCode);
  });
});

describe('wrong keys from one address', () => {
  test('cost no query once there are too many, and do not affect keys in use or other addresses', async () => {
    await using service = await startTestService();
    using _clock = stopClock();
    const ask = async (key: string, remoteAddress: string) => {
      const headers = { authorization: `Bearer ${key}` };
      const { statusCode } = await service.app.inject({
        url: '/v3/customers',
        headers,
        remoteAddress,
      });
      return statusCode;
    };
    expect(await ask(service.key, '203.0.113.1')).toBe(200);
    for (let i = 0; i < 100; i += 1)
      expect(await ask(makeAccessKey().key, '203.0.113.1'), 'the quota').toBe(401);
    expect(await ask(makeAccessKey().key, '203.0.113.1'), 'beyond it').toBe(429);
    const { key: unused } = await service.makeKey();
    await service.database.query('alter table clientele.access_keys rename to elsewhere');
    expect(await ask(makeAccessKey().key, '203.0.113.1'), 'a query would fail now').toBe(429);
    const [, id] = service.key.split('_');
    expect(await ask(withAnotherSecret(id!), '203.0.113.1'), 'a wrong secret of a key in use').toBe(
      429,
    );
    expect(await ask(service.key, '203.0.113.1'), 'a key in use').toBe(200);
    await service.database.query('alter table clientele.elsewhere rename to access_keys');
    expect(await ask(unused, '203.0.113.2'), 'another address').toBe(200);
  });
});

describe('checks run in the order given in docs/api.md', () => {
  test('the first failing check decides the error', async () => {
    await using limited = await startTestService({ CLIENTELE_RATE_READS: '1' });
    const { key: narrow } = await limited.makeKey(['customers:lookup']);
    const { key: spent } = await limited.makeKey();
    const ask = async (
      url: string,
      headers: Record<string, string>,
      method: 'GET' | 'POST' = 'GET',
    ) => {
      const response = await limited.app.inject({ url, method, headers });
      return response.json<Partial<Problem>>().code ?? response.statusCode;
    };
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
    const body = { 'content-length': '5' };
    await limited.database.query('alter table customers rename to elsewhere');

    expect(await ask('/v3/nothing?page=0', body)).toBe('malformed-request');
    expect(await ask('/v3/customers?page=0', body)).toBe('malformed-request');
    expect(await ask('/v3/nothing?page=0', {})).toBe('route-not-found');
    expect(await ask('/v3/customers?page=0', {}, 'POST')).toBe('method-not-allowed');
    expect(await ask('/v3/customers?page=0', bearer('nonsense'))).toBe('unauthenticated');
    expect(await ask('/v3/customers?page=0', bearer(narrow))).toBe('insufficient-scope');
    expect(await ask('/v3/customers?page=0', bearer(spent))).toBe('invalid-page');
    expect(await ask('/v3/customers?page=0', bearer(spent))).toBe('rate-limited');
    expect(await ask('/v3/customers', bearer(limited.key))).toBe('database-unavailable');
  });

  describe('every read of customers: scope, rate, parameters, customers shown in the day, database', () => {
    const rate = 3;
    let limited: TestService;
    beforeAll(async () => {
      limited = await startTestService({
        CLIENTELE_RATE_READS: String(rate),
        CLIENTELE_RATE_SEARCHES: String(rate),
      });
    });
    afterAll(() => limited[Symbol.asyncDispose]());

    test.each([
      ['/v3/customers?search=anna', '&page=0', 'invalid-page'],
      ['/v3/customers/timeline?search=anna', '&buckets=0', 'invalid-buckets'],
      ['/v3/customers/suggestions?search=anna', '&page=1', 'unknown-parameter'],
      [`/v3/customers/${unknownId}?`, '&page=1', 'unknown-parameter'],
    ])('%s', async (right, more, fault) => {
      const wrong = right + more;
      const ask = async (url: string, { key }: { key: string }) => {
        const headers = { authorization: `Bearer ${key}` };
        const response = await limited.app.inject({ url, headers });
        return response.json<Partial<Problem>>().code ?? response.statusCode;
      };
      const usedUp = await limited.makeKey(undefined, { recordsPerDay: 1 });
      expect(await ask('/v3/customers', usedUp), 'the one record').toBe(200);
      await limited.database.query('alter table customers rename to elsewhere');
      try {
        const narrow = await limited.makeKey(['customers:export']);
        for (let i = 0; i <= rate; i += 1) {
          expect(await ask(wrong, narrow)).toBe('insufficient-scope');
        }
        const key = await limited.makeKey();
        for (let i = 0; i < rate; i += 1) expect(await ask(wrong, key)).toBe(fault);
        expect(await ask(wrong, key)).toBe('rate-limited');
        expect(await ask(wrong, usedUp)).toBe(fault);
        expect(await ask(right, usedUp)).toBe('records-used-up');
        expect(await ask(right, await limited.makeKey())).toBe('database-unavailable');
      } finally {
        await limited.database.query('alter table elsewhere rename to customers');
      }
    });
  });

  describe('bad parameters never use a database connection', () => {
    let disconnected: TestService;
    beforeAll(async () => {
      // Nothing listens on port 1.
      disconnected = await startTestService({
        CLIENTELE_AUTH: 'none',
        DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      });
    });
    afterAll(() => disconnected[Symbol.asyncDispose]());

    test.each([
      ['/v3/customers', 503],
      ['/v3/customers?search=anna', 503],
      [`/v3/customers/${unknownId}`, 503],
      ['/v3/customers?page=0', 400],
      ['/v3/customers?perPage=101&search=anna', 400],
      ['/v3/customers?search=%ff', 400],
      ['/v3/customers?serach=anna', 400],
      [`/v3/customers/${unknownId}?page=1`, 400],
      ['/v3/customers/malformed', 404],
    ])('without a database, %s is %i', async (url, status) => {
      const response = await disconnected.app.inject(url);
      expect(response.statusCode, response.body).toBe(status);
      if (status !== 503) return;
      expect(response.json<Problem>().code).toBe('database-unavailable');
      expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    });
  });

  test('under full load, bad parameters still get 400, and an extra request is rejected at once', async () => {
    await using full = await startTestService({ CLIENTELE_AUTH: 'none' });
    // Count first, so that only the page queries have to wait for the lock.
    await full.app.inject('/v3/customers');
    const lock = await full.database.connect();
    // A commit: cached pages have to be read again.
    await lock.query('select pg_current_xact_id()');
    await lock.query('begin; lock table customers');
    // An injected request starts when its promise is used, so `extra` is the 65th: 32 run and 32 wait.
    const send = (url: string) => full.app.inject(url).then((response) => response);
    // All for different pages, because identical requests are coalesced.
    const waiting = Array.from({ length: 64 }, (_, i) => send(`/v3/customers?page=${i + 2}`));
    const [extra, wrong] = await Promise.all([send('/v3/customers'), send('/v3/customers?page=0')]);
    expect(wrong.json<Problem>().code).toBe('invalid-page');
    const { code, request_id } = extra.json<Problem>();
    expect(code).toBe('overloaded');
    // A request that waits too long for a connection gets the same code, with a cause; this one was not admitted.
    const logged = full
      .logged()
      .split('\n')
      .find((line) => line.includes(request_id));
    const { err } = JSON.parse(logged!) as { err: object };
    expect(err).toEqual({ type: 'ProblemError', code: 'overloaded', stack: '' });
    // Five hold the connections for lists; the others time out waiting for one.
    const rejected = await Promise.all(waiting.slice(5));
    expect(rejected.map(({ statusCode }) => statusCode)).toEqual(Array(59).fill(503));
    await lock.query('rollback');
    const served = await Promise.all(waiting.slice(0, 5));
    expect(served.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
  });
});
