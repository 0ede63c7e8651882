/** HTTP as documented in docs/api.md: routes, methods, headers and content types. */
import type { Problem } from '@clientele/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exchange, getRequest, listen, type RawResponse } from './setup/raw-http.ts';
import { startTestService, type TestService } from '@clientele/sandbox/testing';

const uuid = 'a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d';
const uuidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let service: TestService;
let port: number;
beforeAll(async () => {
  service = await startTestService();
  port = await listen(service.app);
  await service.database.insert([
    {
      uuid,
      full_name: 'Ada Example',
      email_address: 'ada@directory.example',
      is_verified: true,
      total_orders: 1,
      lifetime_value_cents: 1,
      created_at: '2026-01-31T09:05:00.000Z',
    },
  ]);
});
afterAll(() => service[Symbol.asyncDispose]());

/** One request for each kind of response that a healthy service gives. */
const responses = [
  ['a list', '/v3/customers', 200],
  ['a search', '/v3/customers?search=ada', 200],
  ['a customer', `/v3/customers/${uuid}`, 200],
  ['a bad parameter', '/v3/customers?page=0', 400],
  ['an unknown customer', '/v3/customers/nobody', 404],
  ['an unknown route', '/v3/orders', 404],
  ['/livez', '/livez', 200],
  ['/readyz', '/readyz', 200],
  ['/metrics', '/metrics', 200],
  ['/openapi.json', '/openapi.json', 200],
  ['/docs', '/docs', 200],
] as const;

describe('HEAD responds like GET, without a body', () => {
  test.each(responses)('%s', async (_, url, status) => {
    const request = getRequest(url, `Authorization: Bearer ${service.key}`);
    const [get] = await exchange(port, request);
    const [head] = await exchange(port, request.replace('GET', 'HEAD'));
    expect(head).toMatchObject({ status, body: '' });
    const comparable = ({ headers }: RawResponse) => {
      // The metrics change with every request.
      const varying = new Set(['date', 'x-request-id', url === '/metrics' ? 'content-length' : '']);
      return Object.entries(headers).filter(([name]) => !varying.has(name));
    };
    expect(comparable(head!)).toEqual(comparable(get!));
  });
});

describe('paths', () => {
  test.each([
    '/v3',
    '/v3/',
    '/v2/customers',
    '/V3/customers',
    '/v3/customer',
    '/v3/customers/a/b',
    '/',
  ])('there is nothing at %s', async (url) => {
    const response = await service.get(url);
    expect(response.statusCode).toBe(404);
    expect(response.json<Problem>().code).toBe('route-not-found');
  });

  test.each(['/livez', '/readyz', '/metrics', '/openapi.json', '/docs'])(
    '%s needs no key',
    async (url) => {
      expect((await service.app.inject(url)).statusCode).toBe(200);
    },
  );
});

describe('no response may be cached: Cache-Control and Vary', () => {
  test.each(responses)('%s', async (_, url, status) => {
    const { statusCode, headers } = await service.get(url);
    expect(statusCode).toBe(status);
    expect(headers['cache-control']).toBe('private, no-store');
    expect(String(headers.vary).split(', ')).toEqual(
      expect.arrayContaining(['Authorization', 'Cookie']),
    );
  });

  test('there is no ETag or Last-Modified to revalidate with', async () => {
    const { headers } = await service.get('/v3/customers');
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('last-modified');
    const again = await service.get('/v3/customers', { 'if-none-match': '*' });
    expect(again.statusCode).toBe(200);
  });
});

describe('the request id is on every response, and in every error and log line', () => {
  test.each(responses)('%s', async (_, url, status) => {
    const response = await service.get(url);
    const id = String(response.headers['x-request-id']);
    expect(id).toMatch(uuidShape);
    const inBody = status < 400 ? id : response.json<Problem>().request_id;
    expect(inBody).toBe(id);
    const lines = service
      .logged()
      .split('\n')
      .filter((line) => line.includes(id));
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { reqId: id, status, method: 'GET', msg: 'request' },
    ]);
  });

  test('each request has its own id, and callers cannot choose it', async () => {
    const chosen = { 'x-request-id': 'chosen-by-caller', 'request-id': 'chosen-by-caller' };
    const one = await service.get('/v3/customers', chosen);
    const two = await service.get('/v3/customers', chosen);
    expect(one.headers['x-request-id']).not.toBe(two.headers['x-request-id']);
    expect(JSON.stringify(one.headers) + service.logged()).not.toContain('chosen-by-caller');
  });
});

describe('responses are JSON in UTF-8, errors are problem+json', () => {
  test.each(responses.filter(([, url]) => url.startsWith('/v3') || url.endsWith('z')))(
    '%s',
    async (_, url, status) => {
      const kind = status === 200 ? 'json' : 'problem+json';
      const { headers } = await service.get(url);
      expect(headers['content-type']).toBe(`application/${kind}; charset=utf-8`);
    },
  );

  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/*',
    '*/*',
    'text/html, application/json;q=0.1',
    'text/html, */*;q=0.8',
    '',
  ])('Accept: %s includes JSON', async (accept) => {
    expect((await service.get('/v3/customers', { accept })).statusCode).toBe(200);
  });

  test.each([
    'text/html',
    'application/xml, text/*',
    'application/json;q=0',
    '*/*; q=0.000',
    'json',
  ])('Accept: %s excludes JSON and is rejected with 406', async (accept) => {
    const response = await service.get('/v3/customers', { accept });
    expect(response.statusCode).toBe(406);
    expect(response.json<Problem>().code).toBe('not-acceptable');
  });

  test('browsers must not guess the content type', async () => {
    const { headers } = await service.get('/v3/customers');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });
});

describe('errors are RFC 9457 problem documents', () => {
  test.each(responses.filter(([, , status]) => status >= 400))('%s', async (_, url, status) => {
    const response = await service.get(url);
    const problem = response.json<Problem>();
    expect(problem.status).toBe(status);
    // The type links to the explanation of the code.
    expect(problem.type).toBe(`/docs#${problem.code}`);
    expect((await service.get('/docs')).body).toContain(`id="${problem.code}"`);
  });
});

test('no header reveals the server software', async () => {
  const { headers } = await service.get('/v3/customers');
  expect(headers).not.toHaveProperty('server');
  expect(headers).not.toHaveProperty('x-powered-by');
});
