/** What every request has to pass, whatever it asks for: size, framing, Host. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from './problems.ts';

export const requestLimits = { requestLineBytes: 4_096, headerBytes: 8_192 } as const;

export function checkRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const fault = faultOf(request);
    // Deferred: if the parser rejects the same bytes, only its error is answered.
    if (fault) queueMicrotask(() => done(fault));
    else done();
  });
}

function faultOf(request: FastifyRequest): ProblemError | undefined {
  if (request.raw.url!.length > requestLimits.requestLineBytes)
    return new ProblemError('uri-too-long');
  const { bytes, hosts, authorizations } = measureHeaders(request);
  if (bytes > requestLimits.headerBytes) return new ProblemError('headers-too-large');
  const { 'content-length': length, 'transfer-encoding': encoding, expect } = request.headers;
  if (hosts === 0 && request.raw.httpVersion !== '1.0') {
    return new ProblemError('malformed-request', 'The Host header is missing.');
  }
  // Node keeps the first of several; a proxy in front may have used another one.
  if (hosts > 1) {
    return new ProblemError('malformed-request', 'There is more than one Host header.');
  }
  if (authorizations > 1) {
    return new ProblemError('malformed-request', 'There is more than one Authorization header.');
  }
  // A body on a read enables request smuggling.
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (reads && (encoding !== undefined || (length !== undefined && length !== '0'))) {
    return new ProblemError('malformed-request', 'A body is not accepted.');
  }
  if (expect !== undefined)
    return new ProblemError('malformed-request', 'Expect is not supported.');
  return undefined;
}

function measureHeaders({ raw: { rawHeaders } }: FastifyRequest): {
  bytes: number;
  hosts: number;
  authorizations: number;
} {
  let bytes = 0;
  let hosts = 0;
  let authorizations = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    bytes += name.length + rawHeaders[i + 1]!.length + 4;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations += 1;
  }
  return { bytes, hosts, authorizations };
}

/** Whether an Accept header allows JSON. */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*') return true;
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const refused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    return !refused && ['*/*', 'application/*', 'application/json', ''].includes(type ?? '');
  });
}
