/** Spans as OTLP in JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
import { type Attributes, version } from '@clientele/directory';
import type { Span } from './span.ts';

const errorStatus = 2;

export function toOtlp(spans: readonly Span[], resource: Attributes): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: 'clientele', version }, spans: spans.map(toJson) }],
      },
    ],
  });
}

const toJson = (span: Span): object => ({
  traceId: span.trace.id,
  spanId: span.id,
  parentSpanId: span.parentId,
  name: span.name,
  kind: span.kind,
  startTimeUnixNano: nanoseconds(span.trace.offset + span.start),
  endTimeUnixNano: nanoseconds(span.trace.offset + span.end),
  attributes: keyValues(span.attributes),
  ...(span.failed && { status: { code: errorStatus } }),
});

/** 64-bit numbers are strings. Microseconds are still exact as a number. */
const nanoseconds = (ms: number): string => `${Math.round(1_000 * ms)}000`;

const keyValues = (attributes: Attributes): object[] =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }));
