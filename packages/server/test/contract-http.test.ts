/** The contract's Service table, row by row: routes, methods, headers, content. */
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

/** One request of each kind of answer that needs no fault. */
const answers = [
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

describe('paths: "HEAD answers like GET without a body"', () => {
  test.each(answers)('%s', async (_, url, status) => {
    const request = getRequest(url, `Authorization: Bearer ${service.key}`);
    const [get] = await exchange(port, request);
    const [head] = await exchange(port, request.replace('GET', 'HEAD'));
    expect(head).toMatchObject({ status, body: '' });
    const comparable = ({ headers }: RawResponse) => {
      // The text of the metrics changes with every request.
      const own = new Set(['date', 'x-request-id', url === '/metrics' ? 'content-length' : '']);
      return Object.entries(headers).filter(([name]) => !own.has(name));
    };
    expect(comparable(head!)).toEqual(comparable(get!));
  });
});

describe('paths: what else there is', () => {
  test.each([
    '/v3',
    '/v3/',
    '/v2/customers',
    '/V3/customers',
    '/v3/customer',
    '/v3/customers/a/b',
    '/',
  ])('nothing is at %s', async (url) => {
    const response = await service.get(url);
    expect(response.statusCode).toBe(404);
    expect(response.json<Problem>().code).toBe('route-not-found');
  });

  test.each(['/livez', '/readyz', '/metrics', '/openapi.json', '/docs'])(
    '"not part of /v3": %s asks for no key',
    async (url) => {
      expect((await service.app.inject(url)).statusCode).toBe(200);
    },
  );
});

describe('caching: "Cache-Control: private, no-store", "Vary: Authorization (and Cookie)"', () => {
  test.each(answers)('%s', async (_, url, status) => {
    const { statusCode, headers } = await service.get(url);
    expect(statusCode).toBe(status);
    expect(headers['cache-control']).toBe('private, no-store');
    expect(String(headers.vary).split(', ')).toEqual(
      expect.arrayContaining(['Authorization', 'Cookie']),
    );
  });

  test('nothing is there to revalidate with: neither ETag nor Last-Modified', async () => {
    const { headers } = await service.get('/v3/customers');
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('last-modified');
    const again = await service.get('/v3/customers', { 'if-none-match': '*' });
    expect(again.statusCode).toBe(200);
  });
});

describe('request id: "X-Request-Id on every response, and in every error and log line"', () => {
  test.each(answers)('%s', async (_, url, status) => {
    const response = await service.get(url);
    const id = String(response.headers['x-request-id']);
    expect(id).toMatch(uuidShape);
    const told = status < 400 ? id : response.json<Problem>().request_id;
    expect(told).toBe(id);
    const lines = service
      .logged()
      .split('\n')
      .filter((line) => line.includes(id));
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { reqId: id, status, method: 'GET', msg: 'request' },
    ]);
  });

  test('each request has its own, and a caller cannot choose it', async () => {
    const chosen = { 'x-request-id': 'chosen-by-caller', 'request-id': 'chosen-by-caller' };
    const one = await service.get('/v3/customers', chosen);
    const two = await service.get('/v3/customers', chosen);
    expect(one.headers['x-request-id']).not.toBe(two.headers['x-request-id']);
    expect(JSON.stringify(one.headers) + service.logged()).not.toContain('chosen-by-caller');
  });
});

describe('content: "application/json; charset=utf-8; errors application/problem+json"', () => {
  test.each(answers.filter(([, url]) => url.startsWith('/v3') || url.endsWith('z')))(
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
  ])('Accept: %s leaves room for JSON', async (accept) => {
    expect((await service.get('/v3/customers', { accept })).statusCode).toBe(200);
  });

  test.each([
    'text/html',
    'application/xml, text/*',
    'application/json;q=0',
    '*/*; q=0.000',
    'json',
  ])('Accept: %s does not: 406', async (accept) => {
    const response = await service.get('/v3/customers', { accept });
    expect(response.statusCode).toBe(406);
    expect(response.json<Problem>().code).toBe('not-acceptable');
  });

  test('no body is guessed to be something else', async () => {
    const { headers } = await service.get('/v3/customers');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });
});

describe('errors: "RFC 9457 problem documents"', () => {
  test.each(answers.filter(([, , status]) => status >= 400))('%s', async (_, url, status) => {
    const response = await service.get(url);
    const problem = response.json<Problem>();
    expect(problem.status).toBe(status);
    // The type leads to where the code is explained.
    expect(problem.type).toBe(`/docs#${problem.code}`);
    expect((await service.get('/docs')).body).toContain(`id="${problem.code}"`);
  });
});

test('"No stack, SQL or version is shown": no header tells what runs here', async () => {
  const { headers } = await service.get('/v3/customers');
  expect(headers).not.toHaveProperty('server');
  expect(headers).not.toHaveProperty('x-powered-by');
});
