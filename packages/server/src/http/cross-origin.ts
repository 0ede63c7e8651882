import type { FastifyInstance } from 'fastify';

/**
 * CORS headers for a console on another origin of the same site, which sends its session cookie. Without
 * configured origins, no such header is ever sent.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    reply.header('vary', 'Authorization, Cookie, Origin');
    if (origin === undefined || !origins.includes(origin)) return undefined;
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'X-Request-Id, Retry-After, Clientele-Data-As-Of',
    });
    if (request.method !== 'OPTIONS') return undefined;
    return reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'GET, POST, DELETE',
        'access-control-allow-headers': 'content-type, clientele-purpose, prefer',
        'access-control-max-age': '600',
      })
      .send();
  });
}
