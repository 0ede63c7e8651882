/** Builds the service. Opens nothing, listens to nothing, reads no environment. */
import { randomUUID } from 'node:crypto';
import { openapiDocument } from '@clientele/contract/openapi';
import Fastify, { LogController, type FastifyInstance } from 'fastify';
import type { DestinationStream } from 'pino';
import { timeouts, type Config } from './config.ts';
import { CustomerList } from './customers/list.ts';
import { CustomerLookup } from './customers/lookup.ts';
import { addCustomerRoutes } from './customers/routes.ts';
import type { Database } from './db/database.ts';
import { Admission } from './http/admission.ts';
import { answerClientError, refuse } from './http/client-errors.ts';
import { addConsole } from './http/console.ts';
import { docsPage } from './http/docs-page.ts';
import { handleErrors } from './http/error-handler.ts';
import { addHealth, type Readiness } from './http/health.ts';
import { allowOrigins } from './http/cross-origin.ts';
import { checkRequests } from './http/limits.ts';
import { loggerOptions, logRequests } from './http/logging.ts';
import { addMetrics } from './http/metrics.ts';
import { ProblemError } from './http/problems.ts';
import { RateLimit } from './http/rate-limit.ts';
import { KeyRing } from './keys/key-ring.ts';
import { addSessionRoutes, identifyBy } from './sessions/routes.ts';
import { Sessions } from './sessions/sessions.ts';
import { version } from './version.ts';

/** What the process takes before it remembers a search, in megabytes. */
const processMb = 176;

export interface AppOptions {
  config: Omit<Config, 'database' | 'http'>;
  database: Database;
  readiness: Readiness;
  /** The built console, to be served at `/`; a file URL that ends in a slash. */
  consoleFolder?: URL | undefined;
  /** Where log lines go; standard output by default. */
  logStream?: DestinationStream;
}

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { config, database, readiness, consoleFolder, logStream } = options;
  const app = Fastify({
    logger: loggerOptions(config.logLevel, logStream),
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request costs more than the one line it would write: the line names its request.
    childLoggerFactory: (logger) => logger,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    trustProxy: config.trustedProxies.length > 0 && config.trustedProxies,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, app.log),
    rewriteUrl: (request) => withReadablePath(request.url!),
    // Fastify's parser is lenient, so customers/list-query reads the address itself; and the router's
    // own limit would answer in Fastify's words, so http/limits measures the address.
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER, querystringParser: () => ({}) },
    forceCloseConnections: false,
    return503OnClosing: false,
    keepAliveTimeout: timeouts.keepAlive,
    requestTimeout: timeouts.request,
    http: {
      headersTimeout: timeouts.headers,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 16_384,
      requireHostHeader: false,
    },
  });
  app.setSerializerCompiler(() => JSON.stringify);
  app.decorateRequest('caller', null);
  // Every header is looked at; without this, those past the thousandth would pass unseen.
  app.server.maxHeadersCount = 0;
  for (const event of ['checkContinue', 'checkExpectation'] as const) {
    app.server.on(event, (request, response) => app.server.emit('request', request, response));
  }
  app.server.on('connect', (_request, socket) =>
    refuse(socket, new ProblemError('method-not-allowed'), app.log),
  );

  // Hooks that wait for nothing call `done`: a promise for each would cost more than what they do.
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
  // On the way out, so that requests that were under way when the drain began tell it too.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (readiness.draining && !app.server.listening) reply.header('connection', 'close');
    done();
  });
  logRequests(app);
  const admission = new Admission();
  const list = new CustomerList(database, (config.memoryMb - processMb) * 1_000_000);
  addMetrics(app, { database, admission, held: () => list.held });
  const { origins } = config.console;
  allowOrigins(app, origins);
  checkRequests(app);
  handleErrors(app);

  addHealth(app, database, readiness);
  const document = openapiDocument(version);
  app.get('/openapi.json', async () => document);
  app.get('/docs', async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .send(docsPage(document)),
  );
  const closing = new AbortController();
  app.addHook('onListen', async () => void list.upkeep(config.warmUp, closing.signal));
  app.addHook('onClose', async () => closing.abort());
  const keys = config.auth === 'none' ? null : new KeyRing(database.lookups);
  const sessions = keys && new Sessions(database, keys);
  addSessionRoutes(app, { sessions, consoleOrigins: origins });
  if (consoleFolder) await addConsole(app, consoleFolder, config.console.currency);
  addCustomerRoutes(app, {
    list,
    lookup: new CustomerLookup(database.lookups),
    admission,
    identify: keys && sessions && identifyBy(keys, sessions, origins),
    rate: new RateLimit(config.rate),
  });
  return app;
}

/** An identifier whose percent-encoding is broken is one that nobody has, not a broken request. */
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
