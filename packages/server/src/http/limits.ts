/** The bounds of a request, before anybody looks at what it asks. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from './problems.ts';

export const limits = { requestLineBytes: 4_096, headerBytes: 8_192 } as const;

export function checkRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const fault = faultOf(request);
    // Not at once: where the parser has objections to the same bytes, they are answered first, and alone.
    if (fault) queueMicrotask(() => done(fault));
    else done();
  });
}

function faultOf(request: FastifyRequest): ProblemError | undefined {
  if (request.raw.url!.length > limits.requestLineBytes) return new ProblemError('uri-too-long');
  const { bytes, hosts } = measureHeaders(request);
  if (bytes > limits.headerBytes) return new ProblemError('headers-too-large');
  const { 'content-length': length, 'transfer-encoding': encoding, expect } = request.headers;
  if (hosts === 0 && request.raw.httpVersion !== '1.0') {
    return new ProblemError('malformed-request', 'The Host header is missing.');
  }
  // Node keeps the first of several; a proxy before us may have gone by another.
  if (hosts > 1) {
    return new ProblemError('malformed-request', 'There is more than one Host header.');
  }
  // A body on a read is what request smuggling is made of.
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (reads && (encoding !== undefined || (length !== undefined && length !== '0'))) {
    return new ProblemError('malformed-request', 'A body is not accepted.');
  }
  if (expect !== undefined)
    return new ProblemError('malformed-request', 'Expect is not supported.');
  return undefined;
}

function measureHeaders({ raw: { rawHeaders } }: FastifyRequest): { bytes: number; hosts: number } {
  let bytes = 0;
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    bytes += name.length + rawHeaders[i + 1]!.length + 4;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return { bytes, hosts };
}

/** Whether an Accept header leaves room for JSON. */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*') return true;
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const refused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    return !refused && ['*/*', 'application/*', 'application/json', ''].includes(type ?? '');
  });
}
