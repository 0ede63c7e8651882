/** Headers that every response carries. */
import type { FastifyInstance } from 'fastify';

/** `isDraining` says whether connections are to be closed after their current response. */
export function addResponseHeaders(app: FastifyInstance, isDraining: () => boolean): void {
  // Hooks that do not wait call `done`: a promise would cost more than their work.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      // Personal data: no cache may keep it. The five minutes of freshness live in the client.
      'cache-control': 'private, no-store',
      vary: 'Authorization, Cookie',
    });
    done();
  });
  // On sending, so that requests already under way when the drain began close their connection too.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isDraining() && !app.server.listening) reply.header('connection', 'close');
    done();
  });
}
