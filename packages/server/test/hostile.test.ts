/** Sends 500 hostile strings in every part of a request that a caller controls. */
import { problems, type Problem } from '@clientele/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { hostileBytes, hostileExamples } from './setup/hostile-strings.ts';
import {
  hasPostgresLog,
  readPostgresLog,
  statementsOfService,
  startTestService,
  type TestService,
} from '@clientele/sandbox/testing';
import { exchange, getRequest, listen } from './setup/raw-http.ts';

let service: TestService;
let port: number;
beforeAll(async () => {
  service = await startTestService();
  port = await listen(service.app);
});
afterAll(() => service[Symbol.asyncDispose]());

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

/** The response is a success or a documented client error. */
function expectDocumented({ status, headers, body }: Answer, place: string): void {
  const about = `${place}: ${status} ${body}`;
  expect(headers['x-request-id'], about).toMatch(/^[0-9a-f-]{36}$/);
  if (status === 200) {
    expect(headers['content-type'], about).toBe('application/json; charset=utf-8');
    return;
  }
  expect(headers['content-type'], about).toBe('application/problem+json; charset=utf-8');
  const { code } = JSON.parse(body) as Problem;
  expect((problems as Partial<typeof problems>)[code]?.status, about).toBe(status);
  expect(status, about).toBeLessThan(500);
}

const percentEncode = (bytes: string): string =>
  Buffer.from(bytes, 'latin1')
    .toString('hex')
    .replaceAll(/../g, (hex) => `%${hex}`);

async function inUrl(bytes: string): Promise<void> {
  const encoded = percentEncode(bytes);
  await Promise.all(
    [
      `/v3/customers?search=${encoded}`,
      `/v3/customers?page=${encoded}`,
      `/v3/customers?perPage=${encoded}`,
      `/v3/customers?${encoded}=1`,
      `/v3/customers/${encoded}`,
    ].map(async (url) => {
      const { statusCode, headers, body } = await service.get(url);
      expectDocumented({ status: statusCode, headers, body }, url);
    }),
  );
}

/** Unencoded: if the bytes end a line, the rest becomes another header or request. */
async function onTheWire(bytes: string): Promise<void> {
  const key = `Authorization: Bearer ${service.key}`;
  const requests = {
    url: getRequest(`/v3/customers?search=${bytes}`, key),
    host: getRequest('/v3/customers', key).replace('directory.example', () => bytes),
    authorization: getRequest('/v3/customers', `Authorization: ${bytes}`),
    others: getRequest(
      '/v3/customers',
      key,
      ...['Accept', 'X-Request-Id', 'Cookie', 'User-Agent'].map((name) => `${name}: ${bytes}`),
      `X-${bytes}: 1`,
    ),
  };
  await Promise.all(
    Object.entries(requests).map(async ([place, request]) => {
      const responses = await exchange(port, request);
      expect(responses.length, place).toBeGreaterThan(0);
      for (const response of responses) expectDocumented(response, place);
    }),
  );
}

const all = { numRuns: 500, examples: hostileExamples };

test('500 hostile strings in the URL get documented responses, never a 500', async () => {
  await fc.assert(fc.asyncProperty(hostileBytes, inUrl), all);
  expect((await service.get('/v3/customers')).statusCode, 'the service still works').toBe(200);
}, 600_000);

// Most of this never reaches PostgreSQL, so one version of it is enough.
test.runIf(inject('major') === 15)(
  '500 hostile strings in raw requests get documented responses, never a 500',
  async () => {
    await fc.assert(fc.asyncProperty(hostileBytes, onTheWire), all);
    expect((await service.get('/v3/customers')).statusCode, 'the service still works').toBe(200);
  },
  120_000,
);

/** Statements that differ only in the number of search terms are of the same kind. */
const kindOf = (statement: string): string =>
  statement
    .replaceAll(/\$\d+/g, '$')
    .replaceAll(/(\((\w+)\.search_text like \$ or \2\.search_text like \$\))( and \1)+/g, '$1')
    .replaceAll(/\(\w+\.search_text like \$ or \([^()]*\)\)|\btrue\b/g, '(terms)');

test.runIf(hasPostgresLog)(
  'hostile strings caused at most fifty kinds of statement and no error in PostgreSQL',
  async () => {
    const entries = await readPostgresLog(service.database.name);
    const kinds = new Set([...statementsOfService(entries)].map(kindOf));
    expect(kinds.size).toBeGreaterThanOrEqual(5);
    expect(kinds.size, [...kinds].join('\n\n')).toBeLessThanOrEqual(50);
    expect(entries.filter(({ text }) => /^(ERROR|FATAL|PANIC)/.test(text))).toEqual([]);
  },
);
