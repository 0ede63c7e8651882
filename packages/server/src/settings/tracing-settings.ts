/**
 * Where traces go, by OpenTelemetry's variables. Without an endpoint, tracing is off and the others are not read.
 * Headers are secrets and never part of a fault.
 */
import { readFileSync } from 'node:fs';
import { codeOf } from '@clientele/directory';

export interface TracingConfig {
  /** Where spans are sent to. */
  url: string;
  headers: Record<string, string>;
  /** The share of traces that are sampled, unless the caller has decided it. */
  ratio: number;
  serviceName: string;
}

type Environment = Record<string, string | undefined>;

const sampler = 'parentbased_traceidratio';

export function readTracing(env: Environment, faults: string[]): TracingConfig | undefined {
  const setting = (name: string): string => env[name] ?? '';
  const endpoint = setting('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (endpoint === '') return undefined;
  const only = (name: string, value: string): void => {
    if (!['', value].includes(setting(name))) faults.push(`${name} must be ${value}`);
  };
  only('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  only('OTEL_TRACES_SAMPLER', sampler);
  const share = setting('OTEL_TRACES_SAMPLER_ARG') || '1';
  if (!/^(0?\.\d{1,9}|[01](\.0{0,9})?)$/.test(share)) {
    faults.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  }
  if (!isEndpoint(endpoint)) {
    faults.push(
      'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL like http://collector.example:4318, without a login or a query',
    );
  }
  return {
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: readHeaders(env, faults),
    ratio: Number(share),
    serviceName: setting('OTEL_SERVICE_NAME') || 'clientele',
  };
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text) || /[\s?#]/.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '';
}

function readHeaders(env: Environment, faults: string[]): Record<string, string> {
  const name = 'OTEL_EXPORTER_OTLP_HEADERS';
  const text = env[name] ?? '';
  const file = env['OTEL_EXPORTER_OTLP_HEADERS_FILE'] ?? '';
  if (text !== '' && file !== '') faults.push(`${name} and ${name}_FILE must not both be set`);
  try {
    const headers = parseHeaders(file === '' ? text : readFileSync(file, 'utf8'));
    if (headers) return headers;
    const rule = file === '' ? `${name} must be` : `${name}_FILE must name a file that contains`;
    faults.push(`${rule} headers like name=value,name=value, with percent-encoded values`);
  } catch (error) {
    const reason = codeOf(error) ?? 'unknown';
    faults.push(`${name}_FILE must name a file that can be read (${reason})`);
  }
  return {};
}

/** Undefined if a header could not be sent. */
function parseHeaders(text: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const part of text.split(',').map((each) => each.trim())) {
    if (part === '') continue;
    const [, name, encoded] = /^([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*)$/.exec(part) ?? [];
    const value = encoded === undefined ? undefined : decoded(encoded);
    if (name === undefined || value === undefined || !/^[ -~]*$/.test(value)) return undefined;
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
