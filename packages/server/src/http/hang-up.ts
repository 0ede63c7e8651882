import type { FastifyReply } from 'fastify';
import { QueryTimeoutError } from '@clientele/directory';

/**
 * Runs work with a signal that aborts when the client disconnects, so that its query is cancelled, and
 * stops waiting after `longest` milliseconds.
 */
export function whileWanted<T>(
  reply: FastifyReply,
  longest: number,
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
    }, longest);
    reply.raw.once('close', hangUp);
    // The client may have left while its key or session was looked up.
    if (reply.raw.destroyed) hangUp();
    work(controller.signal)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
        reply.raw.off('close', hangUp);
      });
  });
}
