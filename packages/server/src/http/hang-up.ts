import type { FastifyReply } from 'fastify';
import { timeouts } from '../config.ts';
import { QueryTimeoutError } from '../db/errors.ts';

/**
 * Runs work with a signal that fires when the client hangs up, so that its query is cancelled, and
 * ends the wait at the handler's deadline.
 */
export async function whileWanted<T>(
  reply: FastifyReply,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const hangUp = (): void => {
    if (!reply.raw.writableFinished) controller.abort();
  };
  reply.raw.once('close', hangUp);
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      controller.abort();
      reject(new QueryTimeoutError());
    }, timeouts.handler);
  });
  try {
    return await Promise.race([work(controller.signal), deadline]);
  } finally {
    clearTimeout(timer);
    reply.raw.off('close', hangUp);
  }
}
