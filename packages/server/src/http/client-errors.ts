/**
 * Errors below Fastify: bytes that are not an HTTP request, headers that are too large or too slow.
 * There is no request object, so the response is written to the socket directly.
 */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ProblemCode } from '@clientele/contract';
import type { FastifyInstance } from 'fastify';
import { requestLimits } from './request-checks.ts';
import { ProblemError } from './problems.ts';

const requestTimeout = 'ERR_HTTP_REQUEST_TIMEOUT';

type Answering = Pick<FastifyInstance, 'log' | 'refusals' | 'sharedHeaders'>;

export function answerClientError(error: Error, socket: Socket, app: Answering): void {
  const { code, rawPacket } = error as { code?: string; rawPacket?: Buffer };
  if (!socket.writable || code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  refuse(socket, new ProblemError(codeFor(code, rawPacket)), app);
  // A client this slow may never close the connection either.
  if (code === requestTimeout) socket.destroySoon();
}

/** Responds, closes the connection, and logs the one line that every request gets. */
export function refuse(socket: Duplex, problem: ProblemError, app: Answering): void {
  const { log, refusals } = app;
  const requestId = randomUUID();
  socket.end(rawResponse(problem, requestId, app));
  refusals.count(problem.code);
  log.info({ reqId: requestId, route: 'none', status: problem.status }, 'request');
}

function rawResponse(problem: ProblemError, requestId: string, app: Answering): string {
  const body = JSON.stringify(problem.toProblem(requestId));
  const headers = {
    date: new Date().toUTCString(),
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    ...app.sharedHeaders,
    ...problem.headers,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status, title } = problem.toProblem(requestId);
  return `HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${body}`;
}

function codeFor(code: string | undefined, rawPacket: Buffer | undefined): ProblemCode {
  if (code === requestTimeout) return 'request-timeout';
  if (code !== 'HPE_HEADER_OVERFLOW') return 'malformed-request';
  // Node counts the request line and the headers together.
  const line = rawPacket?.indexOf('\r\n') ?? -1;
  return line === -1 || line > requestLimits.requestLineBytes
    ? 'uri-too-long'
    : 'headers-too-large';
}
