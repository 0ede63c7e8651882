import { describe, expect, test } from 'vitest';
import { createCustomersService } from '@clientele/client';
import { answering, rejection } from './answering.ts';
import { customer } from './directory.ts';

const list = { data: [customer(1)], pagination: { page: 1, per_page: 25, total: 1 } };
const ok = () => Response.json(list);

describe('a list request', () => {
  test('sends page and search, with an empty search by default', async () => {
    const { service, url } = answering(ok);
    await service.list({ page: 3 });
    expect(url().href).toBe('https://customers.example/v3/customers?page=3&search=');
  });

  test('requests page 1 by default', async () => {
    const { service, url } = answering(ok);
    await service.list();
    expect(url().search).toBe('?page=1&search=');
  });

  test('sends perPage if it is set for the service or for one request', async () => {
    const { service, url } = answering(ok, { perPage: 50 });
    await service.list();
    expect(url().searchParams.get('perPage')).toBe('50');
    await service.list({ perPage: 10 });
    expect(url().searchParams.get('perPage')).toBe('10');
  });

  test.each(['anna', '50% & more', 'a+b', '"quoted"', 'Łódź 東京 😀', '\\_%'])(
    'sends the search %j unchanged',
    async (search) => {
      const { service, url } = answering(ok);
      await service.list({ search });
      expect(url().searchParams.get('search')).toBe(search);
    },
  );

  test('returns the unmodified body, including unknown fields', async () => {
    const body = { ...list, data: [{ ...customer(1), later_field: 1 }], later: true };
    const { service } = answering(() => Response.json(body));
    expect(await service.list()).toEqual(body);
  });
});

describe('a request for one customer', () => {
  test('escapes the identifier in the path', async () => {
    const { service, url } = answering(() => Response.json({ data: customer(1) }));
    await service.get('a/b?c#d%e é');
    expect(url().pathname).toBe('/v3/customers/a%2Fb%3Fc%23d%25e%20%C3%A9');
  });

  test('returns the unmodified body', async () => {
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
  ])('%s results in %s', async (baseUrl, expected) => {
    let requested = '';
    const fetch = async (url: string) => {
      requested = url;
      return Response.json({ data: customer(1) });
    };
    await createCustomersService({ baseUrl, fetch }).get('1');
    expect(requested).toBe(expected);
  });
});

describe('headers', () => {
  test('are sent with every request', async () => {
    const { service, requests } = answering(ok, { headers: { authorization: 'Bearer one' } });
    await service.list();
    expect(requests[0]!.headers.get('authorization')).toBe('Bearer one');
  });

  test('from a function are created for each request, so that tokens stay fresh', async () => {
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

  test('from a function that throws fail the request with that error', async () => {
    const reason = new Error('signed out');
    const { service, requests } = answering(ok, { headers: () => Promise.reject(reason) });
    expect(await rejection(service.list())).toBe(reason);
    expect(requests).toEqual([]);
  });
});

describe('errors pass through', () => {
  test('a network failure is rethrown as fetch threw it', async () => {
    const failure = new TypeError('fetch failed');
    const { service } = answering(() => Promise.reject(failure));
    expect(await rejection(service.list())).toBe(failure);
    expect(await rejection(service.get('1'))).toBe(failure);
  });

  test('an abort is rethrown with its reason, before the response and while its body is read', async () => {
    const before = new AbortController();
    before.abort();
    const { service } = answering(ok, { fetch: undefined, baseUrl: 'http://127.0.0.1:9' });
    expect(await rejection(service.list({ signal: before.signal }))).toBe(before.signal.reason);

    const during = new AbortController();
    const reading = answering(
      () =>
        new Response(
          new ReadableStream({
            start: (stream) =>
              during.signal.addEventListener('abort', () => stream.error(during.signal.reason)),
          }),
        ),
    );
    const body = reading.service.list({ signal: during.signal });
    during.abort(new Error('moved on'));
    expect(await rejection(body)).toBe(during.signal.reason);
  });
});

describe('a 2xx response that is not JSON is a ContractError', () => {
  const html = { 'content-type': 'text/html; charset=utf-8' };
  const errorOf = async (body: string, headers: Record<string, string> = html) =>
    rejection(answering(() => new Response(body, { headers })).service.list());

  test('that names the content type, as behind a captive portal', async () => {
    expect(await errorOf('<h1>Sign in to the network</h1>')).toMatchObject({
      name: 'ContractError',
      path: 'body',
      message: 'body: expected JSON, got text/html; charset=utf-8',
    });
  });

  test('if the body is empty or truncated', async () => {
    for (const body of ['', '{"data":[{"full_name":"Anna Ex']) {
      expect(await errorOf(body)).toMatchObject({ name: 'ContractError', path: 'body' });
    }
  });

  test('that contains nothing of the body, which may be personal data', async () => {
    const error = await errorOf('{"data":[{"full_name":"Anna Example"}], oops');
    expect(`${String(error)} ${String((error as Error).cause)}`).not.toContain('Anna');
  });

  test('unless the body is JSON under another content type, which is read', async () => {
    const { service } = answering(() => new Response(JSON.stringify(list)));
    expect(await service.list()).toEqual(list);
  });
});

test('without a custom fetch, the global one is looked up for each request', async () => {
  const service = createCustomersService({ baseUrl: 'https://customers.example' });
  const platform = globalThis.fetch;
  globalThis.fetch = async () => ok();
  try {
    expect(await service.list()).toEqual(list);
  } finally {
    globalThis.fetch = platform;
  }
});
