/** The bounds of a request, before anybody looks at what it asks. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from './problems.ts';

export const limits = { requestLineBytes: 4_096, headerBytes: 8_192 } as const;

export function checkRequests(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    if (request.raw.url!.length > limits.requestLineBytes) throw new ProblemError('uri-too-long');
    if (headerBytes(request) > limits.headerBytes) throw new ProblemError('headers-too-large');
    const {
      host,
      'content-length': length,
      'transfer-encoding': encoding,
      expect,
    } = request.headers;
    if (host === undefined && request.raw.httpVersion !== '1.0') {
      throw new ProblemError('malformed-request', 'The Host header is missing.');
    }
    // Node keeps the first of several; a proxy before us may have gone by another.
    if (count(request, 'host') > 1) {
      throw new ProblemError('malformed-request', 'There is more than one Host header.');
    }
    // A body on a read is what request smuggling is made of.
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (reads && (encoding !== undefined || (length !== undefined && length !== '0'))) {
      throw new ProblemError('malformed-request', 'A body is not accepted.');
    }
    if (expect !== undefined)
      throw new ProblemError('malformed-request', 'Expect is not supported.');
  });
}

function count({ raw }: FastifyRequest, name: string): number {
  return raw.rawHeaders.filter((part, i) => i % 2 === 0 && part.toLowerCase() === name).length;
}

function headerBytes({ raw }: FastifyRequest): number {
  let bytes = 0;
  for (const part of raw.rawHeaders) bytes += part.length + 2;
  return bytes;
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
