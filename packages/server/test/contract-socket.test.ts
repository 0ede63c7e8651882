/** Raw bytes on a socket: methods, size limits, slow clients, request smuggling. */
import { METHODS } from 'node:http';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import type { Problem } from '@clientele/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { promised } from '@clientele/sandbox/testing/machine';
import { exchange, getRequest, listen, type RawResponse } from './setup/raw-http.ts';
import { startTestService, type TestService } from '@clientele/sandbox/testing';

let service: TestService;
let port: number;
let authorization: string;
beforeAll(async () => {
  service = await startTestService();
  authorization = `Authorization: Bearer ${service.key}`;
  port = await listen(service.app);
});
afterAll(() => service[Symbol.asyncDispose]());

/** The only response: a problem document with the same request id in header, body and log. */
function onlyProblem(responses: RawResponse[]): Problem & { headers: RawResponse['headers'] } {
  expect(responses).toHaveLength(1);
  const [{ status, headers, body }] = responses as [RawResponse];
  const problem = JSON.parse(body) as Problem;
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(headers['cache-control']).toBe('private, no-store');
  expect(problem.status).toBe(status);
  expect(headers['x-request-id']).toBe(problem.request_id);
  const logged = service
    .logged()
    .split('\n')
    .filter((line) => line.includes(problem.request_id));
  expect(logged.map((line) => JSON.parse(line) as object)).toMatchObject([
    { reqId: problem.request_id, status },
  ]);
  return { ...problem, headers };
}

const last = getRequest('/livez');
const keepAlive = (request: string): string => request.replace('Connection: close\r\n', '');

describe('methods other than GET and HEAD under /v3/customers are 405 with Allow', () => {
  const others = METHODS.filter((method) => !['GET', 'HEAD', 'CONNECT'].includes(method));
  test.each(others)('%s', async (method) => {
    for (const target of ['/v3/customers', '/v3/customers/x', '/v3/customers?page=1']) {
      const request = getRequest(target).replace('GET', method);
      const { code, status, headers } = onlyProblem(await exchange(port, request));
      expect([status, code]).toEqual([405, 'method-not-allowed']);
      expect(headers['allow']).toBe('GET, HEAD');
    }
  });

  test('CONNECT', async () => {
    const request = 'CONNECT directory.example:443 HTTP/1.1\r\nHost: directory.example\r\n\r\n';
    const { status, headers } = onlyProblem(await exchange(port, request));
    expect(status).toBe(405);
    expect(headers['allow']).toBe('GET, HEAD');
  });

  test('a method that does not exist is 400', async () => {
    const request = getRequest('/v3/customers').replace('GET', 'FETCH');
    expect(onlyProblem(await exchange(port, request)).code).toBe('malformed-request');
  });

  test('the response to HEAD has no body', async () => {
    const request = getRequest('/v3/customers', authorization).replace('GET', 'HEAD');
    const [response] = await exchange(port, request);
    expect(response).toMatchObject({ status: 200, body: '' });
    expect(Number(response!.headers['content-length'])).toBeGreaterThan(0);
  });
});

describe('size limits of a request', () => {
  const search = (length: number): string => `/v3/customers?search=${'%41'.repeat(length / 3)}`;

  test('a URL of 4 KiB is accepted', async () => {
    const [response] = await exchange(port, getRequest(search(4_062), authorization));
    expect(response!.status).toBe(400);
    expect((JSON.parse(response!.body) as Problem).code).toBe('search-too-long');
  });

  test.each([4_095, 9_000, 20_001, 60_000])(
    'a longer URL is rejected with 414: %i',
    async (length) => {
      const { status, code } = onlyProblem(await exchange(port, getRequest(search(length))));
      expect([status, code]).toEqual([414, 'uri-too-long']);
    },
  );

  test.each([4_096, 9_000, 20_000])(
    'a long identifier is rejected with 414: %i',
    async (length) => {
      const request = getRequest(`/v3/customers/${'x'.repeat(length)}`);
      expect(onlyProblem(await exchange(port, request)).code).toBe('uri-too-long');
    },
  );

  test('headers of 8 KiB are accepted', async () => {
    const [response] = await exchange(
      port,
      getRequest('/v3/customers', authorization, `X-Long: ${'x'.repeat(7_900)}`),
    );
    expect(response!.status).toBe(200);
  });

  test.each([
    ['one of 9,000 bytes', `X-Long: ${'x'.repeat(9_000)}`],
    ['one of 20,000 bytes', `X-Long: ${'x'.repeat(20_000)}`],
    ['many small ones', 'a: b\r\n'.repeat(1_500).trimEnd()],
    ['many empty ones', 'a:\r\n'.repeat(2_100).trimEnd()],
  ])('larger headers are rejected with 431: %s', async (_, headers) => {
    const { status, code } = onlyProblem(
      await exchange(port, getRequest('/v3/customers', authorization, headers)),
    );
    expect([status, code]).toEqual([431, 'headers-too-large']);
  });

  test('a header after a thousand others is still checked', async () => {
    const request = getRequest('/livez', 'a:\r\n'.repeat(1_100).trimEnd(), 'Content-Length: 5');
    expect(onlyProblem(await exchange(port, `${request}hello`)).code).toBe('malformed-request');
  });
});

describe('a GET with a body is rejected with 400 and closes, so nothing can be smuggled', () => {
  test.each([
    ['a length', ['Content-Length: 5'], 'hello'],
    ['chunks', ['Transfer-Encoding: chunked'], '5\r\nhello\r\n0\r\n\r\n'],
    ['a length and chunks', ['Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 5'], '0\r\n\r\n'],
    ['two lengths', ['Content-Length: 5', 'Content-Length: 0'], 'hello'],
    ['a list of lengths', ['Content-Length: 5, 5'], 'hello'],
    ['a length that is not a number', ['Content-Length: five'], 'hello'],
    ['a signed length', ['Content-Length: +5'], 'hello'],
    ['a length with a space before the colon', ['Content-Length : 5'], 'hello'],
    ['an unknown encoding', ['Transfer-Encoding: xchunked'], '0\r\n\r\n'],
    ['two encodings', ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], '0\r\n\r\n'],
    ['an encoding after a line break', ['X: y\r\n Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['an encoding after a bare line feed', ['X: y\nTransfer-Encoding: chunked'], '0\r\n\r\n'],
    ['an encoding after a carriage return', ['X: y\rTransfer-Encoding: chunked'], '0\r\n\r\n'],
    ['a vertical tab in a name', ['Content-Length\v: 5'], 'hello'],
    ['NUL in a value', ['X: y\0'], ''],
  ])('%s', async (_, headers, body) => {
    const request = keepAlive(getRequest('/v3/customers', authorization, ...headers));
    // The request that follows must never get a response.
    const {
      status,
      code,
      headers: received,
    } = onlyProblem(await exchange(port, request + body + last));
    expect([status, code]).toEqual([400, 'malformed-request']);
    expect(received['connection']).toBe('close');
  });

  test('a length of zero is accepted', async () => {
    const [response] = await exchange(
      port,
      getRequest('/v3/customers', authorization, 'Content-Length: 0'),
    );
    expect(response!.status).toBe(200);
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])(
    'the body of a rejected %s is not read as a request',
    async (method) => {
      const smuggled = keepAlive(getRequest('/v3/customers', authorization));
      const carrier = keepAlive(getRequest('/v3/customers', `Content-Length: ${smuggled.length}`));
      const responses = await exchange(port, carrier.replace('GET', method) + smuggled + last);
      expect(responses.map(({ status }) => status)).toEqual([405, 200]);
      expect(responses[1]!.body).toBe('{"status":"alive"}');
    },
  );

  test('pipelined requests are answered in order, each on its own', async () => {
    const pipelined = ['/v3/customers?page=0', '/v3/customers', '/v3/customers/x', '/nothing'].map(
      (target) => keepAlive(getRequest(target, authorization)),
    );
    const responses = await exchange(port, pipelined.join('') + last);
    expect(responses.map(({ status }) => status)).toEqual([400, 200, 404, 404, 200]);
  });
});

describe('requests that deviate from HTTP/1.1', () => {
  test.each([
    ['Expect: 100-continue', getRequest('/v3/customers', 'Expect: 100-continue')],
    ['Expect: anything', getRequest('/v3/customers', 'Expect: anything')],
    ['no Host', 'GET /v3/customers HTTP/1.1\r\n\r\n'],
    ['two Hosts', getRequest('/v3/customers', 'Host: other.example')],
    [
      'two Authorizations',
      getRequest('/v3/customers', 'Authorization: Bearer one', 'authorization: Bearer two'),
    ],
    ['no version', 'GET /v3/customers\r\n\r\n'],
    ['an unknown version', getRequest('/v3/customers').replace('1.1', '3.0')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xFC\x03\x03\r\n\r\n'],
    ['line feeds only', getRequest('/v3/customers').replaceAll('\r\n', '\n')],
    ['a space in the target', getRequest('/v3/customers?search=a b')],
    ['a tab in the target', getRequest('/v3/customers?search=a\tb')],
    ['non-ASCII bytes in the target', getRequest('/v3/customers?search=caf\xE9')],
    ['NUL in the target', getRequest('/v3/customers?search=a\0b')],
    ['a target without a slash', getRequest('v3/customers')],
    ['plain text', 'hello there\r\n\r\n'],
  ])('%s is rejected with 400 and closes the connection', async (_, request) => {
    const { status, code, headers } = onlyProblem(await exchange(port, request));
    expect([status, code]).toEqual([400, 'malformed-request']);
    expect(headers['connection']).toBe('close');
  });

  test.each([
    ['HTTP/1.0 without Host', `GET /v3/customers HTTP/1.0\r\n%\r\n\r\n`],
    ['an absolute target', getRequest('http://directory.example/v3/customers', '%')],
    ['an offer to upgrade', getRequest('/v3/customers', '%', 'Upgrade: h2c')],
  ])('%s is accepted', async (_, request) => {
    const responses = await exchange(port, request.replace('%', authorization));
    expect(responses.map(({ status }) => status)).toEqual([200]);
  });
});

test('a client that is slow to send headers is disconnected within 6.5 seconds', async () => {
  const beginnings = [
    ['', 'request-timeout'],
    ['G', 'request-timeout'],
    ['GET /v3/customers HTTP/1.1\r\n', 'request-timeout'],
    ['GET /v3/customers HTTP/1.1\r\nHost: directory.example\r\n', 'request-timeout'],
    ['GET /v3/customers HTTP/1.1\r\nX-Slow: ', 'request-timeout'],
    ['nonsense\r\n\r\n', 'malformed-request'],
  ];
  const closed: Promise<void>[] = [];
  for (const [beginning, code] of beginnings) {
    for (const allowHalfOpen of [false, true]) {
      const started = performance.now();
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
      const [served] = (await once(service.app.server, 'connection')) as [Socket];
      let received = '';
      socket.on('data', (chunk) => (received += chunk.toString('latin1')));
      socket.on('error', () => undefined);
      socket.write(beginning!);
      // Sending a space before the header's value now and then must not extend the time.
      const drip = setInterval(() => beginning!.endsWith(': ') && socket.write(' '), 500);
      const check = async (): Promise<void> => {
        await once(served, 'close');
        const milliseconds = performance.now() - started;
        clearInterval(drip);
        socket.destroy();
        const about = `after ${JSON.stringify(beginning)}`;
        expect(milliseconds, about).toBeLessThan(promised(6_500));
        const problem = JSON.parse(received.slice(received.indexOf('\r\n\r\n'))) as Problem;
        expect(problem.code, about).toBe(code);
        expect(service.logged(), about).toContain(problem.request_id);
      };
      closed.push(check());
    }
  }
  await Promise.all(closed);
});
