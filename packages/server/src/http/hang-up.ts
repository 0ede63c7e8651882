import type { FastifyReply } from 'fastify';
import { timeouts } from '../config.ts';
import { QueryTimeoutError } from '../db/errors.ts';

/**
 * Runs work with a signal that aborts when the client disconnects, so that its query is cancelled, and
 * stops waiting at the handler's deadline.
 */
export function whileWanted<T>(
  reply: FastifyReply,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const hangUp = (): void => {
      if (!reply.raw.writableFinished) controller.abort();
    };
    const timer = setTimeout(() => {
      const error = new QueryTimeoutError();
      controller.abort(error);
      reject(error);
    }, timeouts.handler);
    reply.raw.once('close', hangUp);
    work(controller.signal)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
        reply.raw.off('close', hangUp);
      });
  });
}
