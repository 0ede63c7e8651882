/**
 * Sends a list in two pieces: its rows, then the rest. A connection on which the rest cannot be sent is closed before
 * the body ends, so nobody takes it for a whole one: docs/decisions/rows-first.md.
 */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { QueryAbortedError } from '@clientele/directory';
import { toProblemError } from '../http/error-handler.ts';
import type { RowsFirst } from '../responses/list-body.ts';

/** `Prefer` is a header of RFC 7240. Other clients get a response whose status says whether it is whole, as does HEAD. */
export const prefersRowsFirst = ({ method, headers }: FastifyRequest): boolean =>
  method !== 'HEAD' && /(^|,)\s*rows-first\s*(,|;|$)/i.test(String(headers['prefer'] ?? ''));

/** Responses that have begun. Their status can no longer say what went wrong. */
const begun = new WeakSet<FastifyReply>();

/** `beforeRows` is what has to be done before anything is sent. */
export async function sendRowsFirst(
  reply: FastifyReply,
  content: RowsFirst,
  signal: AbortSignal,
  beforeRows: () => Promise<void>,
): Promise<void> {
  const leaving = new AbortController();
  // At once: a count that nobody waits for is cancelled.
  const end = content.end(AbortSignal.any([signal, leaving.signal]));
  end.catch(() => undefined);
  try {
    await beforeRows();
    if (signal.aborted) throw new QueryAbortedError();
    // If the count has failed meanwhile, there is still a status to say so.
    await Promise.race([end, Promise.resolve()]);
    await send(reply, content.rows, end);
  } finally {
    leaving.abort();
  }
}

async function send(reply: FastifyReply, rows: Buffer, end: Promise<Buffer>): Promise<void> {
  const body = new Readable({ read: () => undefined });
  body.push(rows);
  begun.add(reply);
  // nginx would keep the rows until the rest has come.
  reply
    .headers({ 'x-accel-buffering': 'no', 'preference-applied': 'rows-first' })
    .type('application/json; charset=utf-8')
    .send(body);
  try {
    body.push(await end);
    body.push(null);
  } catch (error) {
    // Before the stream ends, which would have Fastify send a problem document after the rows.
    reply.raw.destroy();
    body.destroy();
    throw error;
  }
}

/** Whether an error came too late for a response of its own. It is then counted and logged as if it had one. */
export function cutShort(reply: FastifyReply, error: unknown): boolean {
  if (!begun.has(reply)) return false;
  reply.raw.destroy();
  if (error instanceof QueryAbortedError) return true;
  const { server, request } = reply;
  const { code, status } = toProblemError(error);
  server.refusals.count(code);
  request.log.warn({ reqId: request.id, err: error, code }, 'cut short');
  // The client has already received status 200, but alerts watch this one. Closing the connection does not run
  // Fastify's hooks; this event does.
  reply.code(status).raw.emit('error', error);
  return true;
}
