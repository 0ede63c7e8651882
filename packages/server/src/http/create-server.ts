/** Fastify without routes. What it still does for us: docs/decisions/fastify.md. */
import { randomUUID } from 'node:crypto';
import Fastify, { LogController, type FastifyInstance } from 'fastify';
import type { DestinationStream } from 'pino';
import type { Config } from '../settings/config.ts';
import { answerClientError, refuse } from './client-errors.ts';
import { loggerOptions } from './logging.ts';
import { Refusals } from './refusals.ts';
import { ProblemError } from './problems.ts';
import { sharedHeaders } from './response-headers.ts';

export function createServer(
  config: Pick<Config, 'logLevel' | 'trustedProxies' | 'publicOrigin' | 'timeouts'>,
  logStream?: DestinationStream,
): FastifyInstance {
  const { logLevel, trustedProxies, publicOrigin, timeouts } = config;
  const app = Fastify({
    logger: loggerOptions(logLevel, logStream),
    logController: new LogController({ disableRequestLogging: true }),
    // A logger per request costs more than the one line it would write: the line names its request.
    childLoggerFactory: (logger) => logger,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 && trustedProxies,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, app),
    rewriteUrl: (request) => withReadablePath(request.url!),
    // Fastify's query parser is lenient, so http/query-string reads the query. The router's own limit
    // would answer with Fastify's error body, so http/request-checks measures the URL.
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER, querystringParser: () => ({}) },
    forceCloseConnections: false,
    return503OnClosing: false,
    keepAliveTimeout: timeouts.keepAlive,
    requestTimeout: timeouts.request,
    http: {
      headersTimeout: timeouts.headers,
      connectionsCheckingInterval: 500,
      maxHeaderSize: 16_384,
      requireHostHeader: false,
    },
  });
  app.decorateRequest('caller', null);
  app.decorate('refusals', new Refusals());
  app.decorate('sharedHeaders', sharedHeaders(publicOrigin));
  const { server } = app;
  // By default Node ignores headers past the thousandth, and they would go unchecked.
  server.maxHeadersCount = 0;
  for (const event of ['checkContinue', 'checkExpectation'] as const) {
    server.on(event, (request, response) => server.emit('request', request, response));
  }
  server.on('connect', (_request, socket) =>
    refuse(socket, new ProblemError('method-not-allowed'), app),
  );
  return app;
}

/** A path with broken percent-encoding holds an identifier that no customer has: 404, not 400. */
function withReadablePath(url: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (!path.includes('%')) return url;
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '-') + (end === -1 ? '' : url.slice(end));
  }
}
