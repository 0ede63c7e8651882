/** A span: what was done, when, inside what. Nothing in it comes from a caller but the ids of a traceparent. */
import { randomFillSync } from 'node:crypto';
import type { Attributes, SpanKind } from '@clientele/directory';

export interface Trace {
  id: string;
  /** The wall clock minus the monotonic one, in milliseconds: durations are exact, whatever sets the clock. */
  offset: number;
}

export class Span {
  readonly trace: Trace;
  readonly id = randomHex(8);
  readonly parentId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly start = performance.now();
  end = Number.NaN;
  attributes: Attributes;
  failed = false;

  constructor(
    parent: { trace: Trace; id?: string },
    name: string,
    attributes: Attributes,
    kind: SpanKind = 1,
  ) {
    this.trace = parent.trace;
    this.parentId = parent.id;
    this.name = name;
    this.attributes = attributes;
    this.kind = kind;
  }
}

/** Random bytes are made many at a time: asking for a few costs as much as the rest of a span. */
const pool = Buffer.alloc(4_096);
let used = pool.length;

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString('hex', used - bytes, used);
}

export const newTrace = (id = randomHex(16)): Trace => ({
  id,
  offset: Date.now() - performance.now(),
});

export interface RemoteParent {
  traceId: string;
  spanId: string;
  sampled: boolean;
}

const traceparent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const zeros = /^0+$/;

/** The W3C header. Undefined unless it is valid; a later version may have more fields. */
export function parseTraceparent(header: unknown): RemoteParent | undefined {
  const [, version, traceId, spanId, flags, more] =
    typeof header === 'string' ? (traceparent.exec(header) ?? []) : [];
  if (!version || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (zeros.test(traceId!) || zeros.test(spanId!)) return undefined;
  return { traceId: traceId!, spanId: spanId!, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}
