import { describe, expect, test } from 'vitest';
import {
  ApiError,
  type CustomersServiceOptions,
  createCustomersService,
  isApiError,
  isContractError,
} from '@clientele/client';
import { customer } from './directory.ts';

const list = { data: [customer(1)], pagination: { page: 1, per_page: 25, total: 1 } };

/** A service whose fetch gives one answer, and the requests it made. */
function answering(
  answer: () => Response | Promise<Response>,
  options: Partial<CustomersServiceOptions> = {},
) {
  const requests: Request[] = [];
  const service = createCustomersService({
    baseUrl: 'https://customers.example',
    fetch: async (url, init) => {
      requests.push(new Request(url, init));
      return answer();
    },
    ...options,
  });
  return { service, requests, url: () => new URL(requests.at(-1)!.url) };
}
const ok = () => Response.json(list);

/** What the promise was rejected with. */
const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('should have been rejected'),
    (error: unknown) => error,
  );

describe('a list request', () => {
  test('sends page and search, and search is empty when the caller gives none', async () => {
    const { service, url } = answering(ok);
    await service.list({ page: 3 });
    expect(url().href).toBe('https://customers.example/v3/customers?page=3&search=');
  });

  test('asks for page 1 when told nothing', async () => {
    const { service, url } = answering(ok);
    await service.list();
    expect(url().search).toBe('?page=1&search=');
  });

  test('sends perPage when it is set: for the service, or for one request', async () => {
    const { service, url } = answering(ok, { perPage: 50 });
    await service.list();
    expect(url().searchParams.get('perPage')).toBe('50');
    await service.list({ perPage: 10 });
    expect(url().searchParams.get('perPage')).toBe('10');
  });

  test.each(['anna', '50% & more', 'a+b', '"quoted"', 'Łódź 東京 😀', '\\_%'])(
    'carries the search %j through the address unchanged',
    async (search) => {
      const { service, url } = answering(ok);
      await service.list({ search });
      expect(url().searchParams.get('search')).toBe(search);
    },
  );

  test('answers with the wire body as it came, fields we do not know included', async () => {
    const body = { ...list, data: [{ ...customer(1), later_field: 1 }], later: true };
    const { service } = answering(() => Response.json(body));
    expect(await service.list()).toEqual(body);
  });
});

describe('a request for one customer', () => {
  test('puts the identifier into the path, escaped', async () => {
    const { service, url } = answering(() => Response.json({ data: customer(1) }));
    await service.get('a/b?c#d%e é');
    expect(url().pathname).toBe('/v3/customers/a%2Fb%3Fc%23d%25e%20%C3%A9');
  });

  test('answers with the wire body as it came', async () => {
    const { service } = answering(() => Response.json({ data: customer(7) }));
    expect(await service.get(customer(7).uuid)).toEqual({ data: customer(7) });
  });
});

describe('the base URL', () => {
  test.each([
    ['https://customers.example', 'https://customers.example/v3/customers/1'],
    ['https://customers.example/', 'https://customers.example/v3/customers/1'],
    ['https://example.com/api//', 'https://example.com/api/v3/customers/1'],
    [new URL('https://example.com/api'), 'https://example.com/api/v3/customers/1'],
    ['/api', '/api/v3/customers/1'],
    ['', '/v3/customers/1'],
  ])('%s leads to %s', async (baseUrl, expected) => {
    let asked = '';
    const fetch = async (url: string) => {
      asked = url;
      return Response.json({ data: customer(1) });
    };
    await createCustomersService({ baseUrl, fetch }).get('1');
    expect(asked).toBe(expected);
  });
});

describe('headers', () => {
  test('go with every request', async () => {
    const { service, requests } = answering(ok, { headers: { authorization: 'Bearer one' } });
    await service.list();
    expect(requests[0]!.headers.get('authorization')).toBe('Bearer one');
  });

  test('from a function are made anew for each request, so that tokens are fresh', async () => {
    let issued = 0;
    const { service, requests } = answering(ok, {
      headers: async () => new Headers({ authorization: `Bearer ${(issued += 1)}` }),
    });
    await service.list();
    await service.list();
    expect(requests.map((request) => request.headers.get('authorization'))).toEqual([
      'Bearer 1',
      'Bearer 2',
    ]);
  });

  test('that cannot be made fail the request, with the reason as it was thrown', async () => {
    const reason = new Error('signed out');
    const { service, requests } = answering(ok, { headers: () => Promise.reject(reason) });
    expect(await rejection(service.list())).toBe(reason);
    expect(requests).toEqual([]);
  });
});

describe('an answer outside 2xx is an ApiError', () => {
  const problem = {
    type: 'about:blank',
    title: 'Too many requests',
    status: 429,
    detail: 'Wait a little.',
    code: 'rate-limited',
    request_id: 'from-body',
  };
  const refused = async (response: Response) => {
    const error = await rejection(answering(() => response).service.list());
    expect(error).toBeInstanceOf(ApiError);
    return error as ApiError;
  };

  test('with status, problem document, retryAfter and requestId', async () => {
    const error = await refused(
      Response.json(problem, {
        status: 429,
        headers: { 'retry-after': '7', 'x-request-id': 'from-header' },
      }),
    );
    expect(error).toMatchObject({
      name: 'ApiError',
      message: '429 Too many requests: Wait a little.',
      status: 429,
      code: 'rate-limited',
      problem,
      retryAfter: 7,
      requestId: 'from-header',
    });
  });

  test('with the request id of the document where the browser hides the header', async () => {
    expect((await refused(Response.json(problem, { status: 429 }))).requestId).toBe('from-body');
  });

  test.each([
    ['a page of HTML', '<h1>Bad gateway</h1>'],
    ['nothing', ''],
    ['JSON of another kind', '{"message":"no"}'],
    ['JSON that is no object', 'null'],
  ])('with its status and no problem when the body is %s', async (_what, body) => {
    const error = await refused(new Response(body, { status: 502 }));
    expect(error).toMatchObject({ status: 502, message: 'HTTP status 502' });
    expect(error.problem).toBeUndefined();
    expect(error.code).toBeUndefined();
  });

  test('with retryAfter in seconds also where the header is a date', async () => {
    const header = new Date(Date.now() + 90_000).toUTCString();
    const { retryAfter } = await refused(
      new Response('', { status: 503, headers: { 'retry-after': header } }),
    );
    expect(retryAfter).toBeGreaterThan(85);
    expect(retryAfter).toBeLessThanOrEqual(90);
  });

  test.each([
    ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['soon', undefined],
    [undefined, undefined],
  ])('with a Retry-After of %s told as %s', async (header, seconds) => {
    const headers: Record<string, string> = header === undefined ? {} : { 'retry-after': header };
    const { retryAfter } = await refused(new Response('', { status: 503, headers }));
    expect(retryAfter).toBe(seconds);
  });

  test('and the search is not in its message', async () => {
    const { service } = answering(() => new Response('', { status: 500 }));
    expect(String(await rejection(service.list({ search: 'Anna' })))).not.toContain('Anna');
  });
});

describe('guards', () => {
  const notFound = new ApiError({
    status: 404,
    problem: {
      type: 'about:blank',
      title: 'Customer not found',
      status: 404,
      detail: 'No customer has this identifier.',
      code: 'customer-not-found',
      request_id: 'r-1',
    },
  });

  test('tell an ApiError, and one of a code, from everything else', () => {
    expect(isApiError(notFound)).toBe(true);
    expect(isApiError(notFound, 'customer-not-found')).toBe(true);
    expect(isApiError(notFound, 'rate-limited')).toBe(false);
    for (const other of [
      new Error('ApiError'),
      { name: 'ApiError' },
      null,
      undefined,
      'ApiError',
    ]) {
      expect(isApiError(other)).toBe(false);
      expect(isContractError(other)).toBe(false);
    }
  });

  test("know the errors of another copy of the package, which `instanceof` doesn't", () => {
    class OtherCopy extends Error {
      override readonly name = 'ApiError';
      readonly code = 'rate-limited';
    }
    expect(isApiError(new OtherCopy(), 'rate-limited')).toBe(true);
  });
});

describe('nothing is caught', () => {
  test('a network failure arrives as fetch threw it', async () => {
    const failure = new TypeError('fetch failed');
    const { service } = answering(() => Promise.reject(failure));
    expect(await rejection(service.list())).toBe(failure);
    expect(await rejection(service.get('1'))).toBe(failure);
  });

  test('an abort arrives with its reason, before the answer and while it is read', async () => {
    const before = new AbortController();
    before.abort();
    const { service } = answering(ok, { fetch: undefined, baseUrl: 'http://127.0.0.1:9' });
    expect(await rejection(service.list({ signal: before.signal }))).toBe(before.signal.reason);

    const during = new AbortController();
    const reading = answering(
      () =>
        new Response(
          new ReadableStream({
            start: (body) =>
              during.signal.addEventListener('abort', () => body.error(during.signal.reason)),
          }),
        ),
    );
    const answer = reading.service.list({ signal: during.signal });
    during.abort(new Error('moved on'));
    expect(await rejection(answer)).toBe(during.signal.reason);
  });

  test('a body that is not JSON arrives as the SyntaxError it is', async () => {
    const { service } = answering(() => new Response('<h1>Sign in to the network</h1>'));
    expect(await rejection(service.list())).toBeInstanceOf(SyntaxError);
  });
});

test("without a fetch of one's own, the platform's is taken at the time of the request", async () => {
  const service = createCustomersService({ baseUrl: 'https://customers.example' });
  const platform = globalThis.fetch;
  globalThis.fetch = async () => ok();
  try {
    expect(await service.list()).toEqual(list);
  } finally {
    globalThis.fetch = platform;
  }
});
