/**
 * Faults below Fastify: bytes that are no HTTP request, headers that are too many or too slow. There is
 * no request object, so the answer is written to the socket by hand.
 */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { ProblemCode } from '@clientele/contract';
import { limits } from './limits.ts';
import { ProblemError } from './problems.ts';

export function answerClientError(error: Error, socket: Socket): void {
  const { code, rawPacket } = error as { code?: string; rawPacket?: Buffer };
  if (!socket.writable || code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  socket.end(rawResponse(new ProblemError(codeFor(code, rawPacket))));
}

export function rawResponse(problem: ProblemError): string {
  const requestId = randomUUID();
  const body = JSON.stringify(problem.toProblem(requestId));
  const headers = {
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    ...problem.headers,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status, title } = problem.toProblem(requestId);
  return `HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${body}`;
}

function codeFor(code: string | undefined, rawPacket: Buffer | undefined): ProblemCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request-timeout';
  if (code !== 'HPE_HEADER_OVERFLOW') return 'malformed-request';
  // Node counts the request line and the headers together.
  const line = rawPacket?.indexOf('\r\n') ?? -1;
  return line === -1 || line > limits.requestLineBytes ? 'uri-too-long' : 'headers-too-large';
}
