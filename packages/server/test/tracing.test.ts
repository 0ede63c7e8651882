/** Traces as documented in docs/how-to/trace.md, received by a collector over HTTP. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { freePort } from '@clientele/sandbox';
import {
  createTestDatabase,
  patient,
  startTestService,
  type TestService,
} from '@clientele/sandbox/testing';
import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { promised } from '@clientele/sandbox/testing/machine';
import { Exporter } from '../src/tracing/exporter.ts';
import { newTrace, parseTraceparent, Span } from '../src/tracing/span.ts';
import {
  resourceOf,
  startCollector,
  type Collector,
  type ReceivedSpan,
} from './setup/collector.ts';
import { exchange, getRequest, listen } from './setup/raw-http.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';
const sampled = `00-${traceId}-${parentId}-01`;
const unsampled = `00-${traceId}-${parentId}-00`;

interface Traced {
  service: TestService;
  port: number;
  /** Sends a GET request with the test's key. */
  get: (path: string, traceparent?: string) => Promise<Response>;
}

/** What is exported while the work runs on a service, and until it is closed. */
async function trace(
  collector: Pick<Collector, 'url'>,
  env: Record<string, string>,
  work: (traced: Traced) => Promise<void>,
): Promise<void> {
  await using service = await startTestService({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    ...env,
  });
  const port = await listen(service.app);
  await work({
    service,
    port,
    get: (path, traceparent) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { authorization: `Bearer ${service.key}`, ...(traceparent && { traceparent }) },
      }),
  });
}

const only = (spans: ReceivedSpan[], name: string): ReceivedSpan => {
  const found = spans.filter((span) => span.name === name);
  expect(found, `${name} among ${spans.map((span) => span.name).join(', ')}`).toHaveLength(1);
  return found[0]!;
};

test('a request is a span of the caller’s trace, and what it waited for is inside it', async () => {
  await using collector = await startCollector();
  const env = {
    OTEL_SERVICE_NAME: 'customers',
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20c2VjcmV0==, x-tenant=7',
  };
  let headers: string[] = [];
  await trace(collector, env, async ({ get }) => {
    const response = await get('/v3/customers?search=ada', sampled);
    expect(response.status).toBe(200);
    headers = [...response.headers.keys()];
  });
  expect(headers.filter((name) => name.includes('trace'))).toEqual([]);

  const [{ path, headers: sent, body }] = collector.requests as [Collector['requests'][0]];
  expect(path).toBe('/v1/traces');
  expect(sent).toMatchObject({
    'content-type': 'application/json',
    authorization: 'Basic c2VjcmV0==',
    'x-tenant': '7',
  });
  expect(resourceOf(body)).toMatchObject({ 'service.name': 'customers' });

  const spans = collector.spans().filter((span) => span.traceId === traceId);
  const request = only(spans, 'GET /v3/customers');
  expect(request).toMatchObject({ parentSpanId: parentId, kind: 2 });
  expect(request.attributes).toEqual({
    'http.request.method': 'GET',
    'http.route': '/v3/customers',
    'http.response.status_code': '200',
  });
  const count = only(spans, 'count');
  expect(count).toMatchObject({ parentSpanId: request.spanId, kind: 1 });
  expect(count.attributes).toEqual({
    'clientele.count.kind': 'places',
    'clientele.count.cause': 'miss',
  });
  const places = only(spans, 'places-1');
  expect(places).toMatchObject({ parentSpanId: count.spanId, kind: 3 });
  expect(places.attributes).toEqual({
    'db.system.name': 'postgresql',
    'clientele.lane': 'searches',
    'clientele.node': expect.stringMatching(/^.*:\d+$/),
  });
  for (const name of ['find-key', 'search-patterns']) {
    expect(only(spans, name), name).toMatchObject({ parentSpanId: request.spanId, kind: 3 });
  }
  expect(new Set(spans.map((span) => span.spanId)).size, 'ids are unique').toBe(spans.length);
  for (const { name, startTimeUnixNano: start, endTimeUnixNano: end } of spans) {
    expect(BigInt(start), name).toBeGreaterThanOrEqual(BigInt(request.startTimeUnixNano));
    expect(BigInt(end), name).toBeGreaterThanOrEqual(BigInt(start));
    expect(BigInt(end), name).toBeLessThanOrEqual(BigInt(request.endTimeUnixNano));
  }
  const age = Date.now() - Number(BigInt(request.endTimeUnixNano) / 1_000_000n);
  expect(age, 'on the wall clock').toBeLessThan(60_000);
  expect(age).toBeGreaterThanOrEqual(0);
});

test('refusals have their code, and a statement that fails has PostgreSQL’s', async () => {
  await using collector = await startCollector();
  await trace(collector, {}, async ({ service, get, port }) => {
    await get('/v3/customers/nobody', sampled);
    await get('/v3/nothing', sampled);
    await exchange(port, getRequest('/v3/customers', `Traceparent: ${sampled}`));
    await service.database.query('alter table customers rename column full_name to name');
    expect((await get('/v3/customers', sampled)).status).toBe(500);
  });
  const spans = collector.spans().filter((span) => span.traceId === traceId);
  const outcomes = spans
    .filter((span) => span.kind === 2)
    .map(({ name, attributes, status }) => [
      name,
      attributes['http.response.status_code'],
      attributes['error.type'],
      status?.code,
    ]);
  expect(outcomes).toEqual([
    ['GET /v3/customers/:id', '404', 'customer-not-found', undefined],
    ['GET', '404', 'route-not-found', undefined],
    ['GET /v3/customers', '401', 'unauthenticated', undefined],
    ['GET /v3/customers', '500', 'internal-error', 2],
  ]);
  const failed = spans.filter((span) => span.kind === 3 && span.status?.code === 2);
  expect(failed.map(({ attributes }) => attributes['error.type'])).toContain('42703');
});

test('a request whose client disconnects has a span too, with the wait for a slot', async () => {
  await using collector = await startCollector();
  const env = { CLIENTELE_CONNECTIONS: '4', CLIENTELE_WARM_UP: 'off' };
  await trace(collector, env, async ({ service, port, get }) => {
    await get('/v3/customers');
    const locking = await service.database.connect();
    await locking.query('begin; lock table customers');
    const authorization = `Authorization: Bearer ${service.key}`;
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(getRequest('/v3/customers?page=2', authorization, `Traceparent: ${unsampled}`));
    const waiting = () => service.app.inject('/metrics').then(({ body }) => body);
    const isBusy = /lane="lists",state="busy"\} 1/;
    while (!isBusy.test(await waiting())) await new Promise(setImmediate);
    const late = connect(port, '127.0.0.1').on('error', () => undefined);
    late.write(getRequest('/v3/customers?page=3', authorization, `Traceparent: ${sampled}`));
    const isWaiting = /lane="lists",state="waited_for"\} 1/;
    while (!isWaiting.test(await waiting())) await new Promise(setImmediate);
    late.destroy();
    while (isWaiting.test(await waiting())) await new Promise(setImmediate);
    await locking.query('rollback');
    socket.destroy();
  });
  const spans = collector.spans().filter((span) => span.traceId === traceId);
  const request = only(spans, 'GET /v3/customers');
  expect(request.attributes['error.type']).toBe('disconnected');
  expect(request.attributes['http.response.status_code']).toBeUndefined();
  expect(only(spans, 'wait for slot')).toMatchObject({
    parentSpanId: request.spanId,
    attributes: { 'clientele.lane': 'lists' },
  });
});

test('upkeep is a trace of its own', async () => {
  await using collector = await startCollector();
  await trace(collector, {}, async () => {
    const names = () => collector.spans().map(({ name }) => name);
    await expect.poll(names, { timeout: 300_000 }).toContain('upkeep');
  });
  const spans = collector.spans();
  const upkeep = only(spans, 'upkeep');
  expect(upkeep.parentSpanId).toBeUndefined();
  const inside = spans.filter((span) => span.traceId === upkeep.traceId);
  expect(only(inside, 'count').attributes).toEqual({
    'clientele.count.kind': 'scan',
    'clientele.count.cause': 'miss',
  });
  const renewal = only(inside, 'renew maps');
  expect(renewal.parentSpanId).toBe(upkeep.spanId);
  expect(only(inside, 'arrival-0').parentSpanId).toBe(renewal.spanId);
});

describe('the caller decides whether a request is sampled, and the ratio decides for others', () => {
  test.each([
    ['0', { none: 0, sampled: 1, unsampled: 0, invalid: 0 }],
    ['1.0', { none: 1, sampled: 1, unsampled: 0, invalid: 1 }],
  ])('OTEL_TRACES_SAMPLER_ARG=%s', async (ratio, expected) => {
    await using collector = await startCollector();
    const sampler = 'parentbased_traceidratio';
    const env = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio };
    let log = '';
    await trace(collector, env, async ({ get, service }) => {
      await get('/docs');
      await get('/v3/customers', sampled);
      await get('/openapi.json', unsampled);
      // On the same connections, to the database too: nothing is left of the trace before.
      await get(`/v3/customers/${crypto.randomUUID()}`, `00-${traceId}-${'0'.repeat(16)}-01`);
      for (const path of ['/livez', '/readyz', '/metrics']) await get(path, sampled);
      log = service.logged();
    });
    const requests = collector.spans().filter((span) => span.kind === 2);
    const of = (route: string) =>
      requests.filter(({ attributes }) => attributes['http.route'] === route);
    expect({
      none: of('/docs').length,
      sampled: of('/v3/customers').length,
      unsampled: of('/openapi.json').length,
      invalid: of('/v3/customers/:id').length,
    }).toEqual(expected);
    const lookups = collector.spans().filter((span) => span.name === 'lookup');
    expect(lookups, 'statements').toHaveLength(expected.invalid);
    for (const route of ['/livez', '/readyz', '/metrics']) expect(of(route), route).toEqual([]);
    for (const { traceId: id } of of('/v3/customers/:id')) expect(id).not.toBe(traceId);
    const lines = log.split('\n').filter((line) => line.includes('"trace_id"'));
    expect(lines, 'a log line for each sampled request').toHaveLength(requests.length);
    for (const request of requests) {
      expect(lines.join('\n')).toContain(`"trace_id":"${request.traceId}"`);
    }
  });
});

describe('a traceparent', () => {
  test.each([
    [sampled, { traceId, spanId: parentId, sampled: true }],
    [unsampled, { traceId, spanId: parentId, sampled: false }],
    [`00-${traceId}-${parentId}-ff`, { traceId, spanId: parentId, sampled: true }],
    [`cc-${traceId}-${parentId}-01-later`, { traceId, spanId: parentId, sampled: true }],
    [`00-${traceId}-${parentId}-01-more`, undefined],
    [`ff-${traceId}-${parentId}-01`, undefined],
    [`00-${'0'.repeat(32)}-${parentId}-01`, undefined],
    [`00-${traceId}-${'0'.repeat(16)}-01`, undefined],
    [`00-${traceId.toUpperCase()}-${parentId}-01`, undefined],
    [`00-${traceId}-${parentId}`, undefined],
    [`00-${traceId}-${parentId}-1`, undefined],
    [`${sampled}, ${sampled}`, undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s', (header, expected) => {
    expect(parseTraceparent(header)).toEqual(expected);
  });
});

test('nothing personal is exported: no search, name, e-mail address, identifier or key', async () => {
  const canary = `canary${randomBytes(6).toString('hex')}`;
  const uuid = crypto.randomUUID();
  await using collector = await startCollector();
  const secrets = [canary, uuid];
  await trace(collector, {}, async ({ service, get, port }) => {
    const { key, id } = await service.makeKey();
    secrets.push(key, id, service.key);
    await service.database.insert([
      {
        uuid,
        full_name: `Name ${canary}`,
        email_address: `${canary}@directory.example`,
        is_verified: true,
        total_orders: 1,
        lifetime_value_cents: 1,
        created_at: '2026-01-31T09:05:00.000Z',
      },
    ]);
    for (const path of [
      `/v3/customers?search=${canary}`,
      `/v3/customers?search=${canary}@directory.example`,
      `/v3/customers?search=${uuid}`,
      `/v3/customers/${uuid}`,
    ]) {
      expect(await (await get(path)).text(), path).toContain(canary);
    }
    for (const path of [`/${canary}`, `/v3/customers/${canary}`, `/v3/customers?${canary}=1`]) {
      expect((await get(path)).status, path).toBeGreaterThanOrEqual(400);
    }
    const lines = ['User-Agent', 'Tracestate', 'Baggage', 'Traceparent'];
    const headers = lines.map((name) => `${name}: a=${canary}`);
    await exchange(port, getRequest('/docs', `Authorization: Bearer ${key}`, ...headers));
    await exchange(port, getRequest(`/${canary}`).replace('GET', 'DELETE'));
  });
  expect(collector.spans().filter((span) => span.kind === 2)).toHaveLength(9);
  expect(collector.spans().filter((span) => span.kind === 3).length).toBeGreaterThan(9);
  for (const secret of secrets) expect(collector.text()).not.toContain(secret);
});

describe('a collector that does not work', () => {
  /** How the service did: the statuses of its answers, and the codes of the failures in its log. */
  async function withCollectorAt(url: string, requests = 20) {
    const statuses = new Set<number>();
    let stopMs = 0;
    let logged = (): string => '';
    await trace({ url }, {}, async ({ service, get }) => {
      logged = () => service.logged();
      for (let page = 1; page <= requests; page += 5) {
        const pages = Array.from({ length: 5 }, (_, i) => `/v3/customers?page=${page + i}`);
        const responses = await Promise.all(pages.map((path) => get(path, sampled)));
        for (const response of responses) {
          statuses.add(response.status);
          await response.arrayBuffer();
        }
      }
      const started = performance.now();
      await service.app.close();
      stopMs = performance.now() - started;
    });
    const failures = logged()
      .split('\n')
      .filter((line) => line.includes('traces cannot be exported'))
      .map((line) => (JSON.parse(line) as { code: string }).code);
    return { statuses: [...statuses], failures, stoppedInTime: stopMs < 4_000 };
  }

  const unharmed = (code: string) => ({
    statuses: [200],
    failures: [code],
    stoppedInTime: true,
  });

  test('because it is down', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    expect(await withCollectorAt(url)).toEqual(unharmed('ECONNREFUSED'));
  });

  test('because it never answers', async () => {
    await using collector = await startCollector('never');
    // Enough for a batch to be on its way while others are answered.
    expect(await withCollectorAt(collector.url, 300)).toEqual(unharmed('ETIMEDOUT'));
  });

  test('because it refuses, or would redirect', async () => {
    await using collector = await startCollector(307);
    expect(await withCollectorAt(collector.url)).toEqual(unharmed('HTTP 307'));
    expect(new Set(collector.requests.map(({ path }) => path)), 'it alone is sent to').toEqual(
      new Set(['/v1/traces']),
    );
  });

  test('does not fill the memory, and what is dropped is counted', async () => {
    await using collector = await startCollector('never');
    const config = { url: collector.url, headers: {}, ratio: 1, serviceName: 'test' };
    const exporter = new Exporter(config, Fastify().log, patient);
    const parent = { trace: newTrace() };
    const count = 10_000;
    for (let i = 0; i < count; i += 1) exporter.add(new Span(parent, 'test', {}));
    // One batch is on its way, and the rest of the queue is full.
    expect(exporter.dropped).toBe(count - 512 - 2_048);
    const started = performance.now();
    await exporter.stop();
    expect(performance.now() - started).toBeLessThan(promised(2_000));
    expect(exporter.dropped).toBe(count);
    expect(exporter.exported).toBe(0);
  });
});

test('the metrics count the spans that were exported', async () => {
  await using collector = await startCollector();
  const config = { url: collector.url, headers: {}, ratio: 1, serviceName: 'test' };
  const exporter = new Exporter(config, Fastify().log, patient);
  const parent = { trace: newTrace() };
  for (let i = 0; i < 1_000; i += 1) exporter.add(new Span(parent, 'test', {}));
  await exporter.stop();
  expect(exporter).toMatchObject({ exported: 1_000, dropped: 0 });
  expect(collector.spans()).toHaveLength(1_000);
  await trace(collector, {}, async ({ service }) => {
    const { body } = await service.app.inject('/metrics');
    expect(body).toContain('clientele_trace_spans_total{result="exported"} 0');
    expect(body).toContain('clientele_trace_spans_total{result="dropped"} 0');
  });
});

describe('the modules that a server loads', () => {
  const hook = `import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) {
      if (/\\/(directory|server)\\/src\\/tracing\\//.test(url)) process.stderr.write(url.split('/').at(-1) + '\\n');
      return next(url, context);
    } });`;

  /** Those of the tracing folder, until it listens. */
  async function loaded(env: Record<string, string>): Promise<string[]> {
    await using database = await createTestDatabase();
    const main = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url));
    const options = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`];
    const child = spawn(process.execPath, [...options, main, 'serve'], {
      env: { DATABASE_URL: database.url, PORT: '0', CLIENTELE_AUDIT_SPOOL: 'none', ...env },
    });
    let written = '';
    child.stderr.on('data', (chunk) => (written += String(chunk)));
    const exited = once(child, 'exit');
    let log = '';
    for await (const chunk of child.stdout) {
      log += String(chunk);
      if (log.includes('listening')) break;
    }
    child.kill('SIGKILL');
    await exited;
    expect(log, written).toContain('listening');
    return written.split('\n').filter((line) => line.endsWith('.ts'));
  }

  test('while tracing is off: one, with the switch', async () => {
    expect(await loaded({ OTEL_SERVICE_NAME: 'off' })).toEqual(['trace.ts']);
  });

  test('while it is on: the others too', async () => {
    const names = await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    expect(names).toContain('exporter.ts');
  });
});
