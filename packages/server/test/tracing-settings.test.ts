/** OpenTelemetry's variables, as documented in docs/operations.md. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigError } from '@clientele/directory';
import { readConfig } from '@clientele/server';
import { afterAll, describe, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'clientele-headers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const endpoint = 'http://collector.example:4318';

const read = (env: Record<string, string>) =>
  readConfig({ DATABASE_URL: 'postgres://db.example/clientele', ...env }).tracing;

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    read({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env });
  } catch (error) {
    return (error as ConfigError).faults;
  }
  return [];
}

test('without an endpoint, tracing is off, whatever else is set', () => {
  expect(
    read({ OTEL_TRACES_SAMPLER: 'always_on', OTEL_EXPORTER_OTLP_HEADERS: '?' }),
  ).toBeUndefined();
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeUndefined();
});

test('the defaults are those of OpenTelemetry', () => {
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toEqual({
    url: `${endpoint}/v1/traces`,
    headers: {},
    ratio: 1,
    serviceName: 'clientele',
  });
});

test('every setting is read', () => {
  expect(
    read({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp/',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20a%2Cb=, x-tenant = 7,',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.01',
      OTEL_SERVICE_NAME: 'customers',
    }),
  ).toEqual({
    url: 'https://collector.example/otlp/v1/traces',
    headers: { authorization: 'Bearer a,b=', 'x-tenant': '7' },
    ratio: 0.01,
    serviceName: 'customers',
  });
});

test('headers are read from a file', () => {
  const file = join(folder, 'headers');
  writeFileSync(file, 'authorization=Bearer%20secret\n');
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS_FILE: file,
  };
  expect(read(env)?.headers).toEqual({ authorization: 'Bearer secret' });
  expect(faultsOf({ ...env, OTEL_EXPORTER_OTLP_HEADERS: 'a=b' })).toEqual([
    'OTEL_EXPORTER_OTLP_HEADERS and OTEL_EXPORTER_OTLP_HEADERS_FILE must not both be set',
  ]);
  writeFileSync(file, 's3cret');
  expect(faultsOf(env)).toEqual([
    expect.stringMatching(/^OTEL_EXPORTER_OTLP_HEADERS_FILE must name/),
  ]);
  expect(faultsOf(env).join()).not.toContain('s3cret');
  const missing = { OTEL_EXPORTER_OTLP_HEADERS_FILE: join(folder, 's3cret') };
  expect(faultsOf(missing)).toEqual([
    'OTEL_EXPORTER_OTLP_HEADERS_FILE must name a file that can be read (ENOENT)',
  ]);
});

describe('a wrong value is reported by the name of its setting, without the value', () => {
  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector.s3cret:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://s3cret:4317'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:s3cret@collector.example'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector.example?key=s3cret'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc-s3cret'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 's3cret'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a b=s3cret'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=s3cret%'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=s3cret%0d%0ax: y'],
    ['OTEL_TRACES_SAMPLER', 'always_s3cret'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
    ['OTEL_TRACES_SAMPLER_ARG', '-0.1'],
    ['OTEL_TRACES_SAMPLER_ARG', '1e-2'],
    ['OTEL_TRACES_SAMPLER_ARG', '1 % s3cret'],
  ])('%s=%s', (name, value) => {
    const faults = faultsOf({ [name]: value });
    expect(faults).toEqual([expect.stringMatching(`^${name} must`)]);
    expect(faults.join()).not.toContain('s3cret');
  });
});
