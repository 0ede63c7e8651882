/** Headers that every response carries. */
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** The same for every response, also for those that are written without Fastify. */
    sharedHeaders: Record<string, string>;
  }
}

export function sharedHeaders(publicOrigin: string | undefined): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    // Personal data: no cache may keep it. The five minutes of freshness live in the client.
    'cache-control': 'private, no-store',
    vary: 'Authorization, Cookie',
    // Pages of other origins cannot load it as an image, a script or a style.
    'cross-origin-resource-policy': 'same-origin',
    ...(publicOrigin?.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
  };
}

/** `isDraining` says whether connections are to be closed after their current response. */
export function addResponseHeaders(app: FastifyInstance, isDraining: () => boolean): void {
  const shared = app.sharedHeaders;
  // Hooks that do not wait call `done`: a promise would cost more than their work.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(shared);
    done();
  });
  // On sending, so that requests already under way when the drain began close their connection too.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isDraining() && !app.server.listening) reply.header('connection', 'close');
    done();
  });
}
