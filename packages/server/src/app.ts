/** Builds the service. Opens nothing, listens to nothing, reads no environment. */
import type { FastifyInstance } from 'fastify';
import type { DestinationStream } from 'pino';
import type { Config } from './config.ts';
import { Customers } from './customers/customers.ts';
import { addCustomerRoutes } from './customers/routes.ts';
import type { Nodes } from './db/nodes.ts';
import { Admission } from './http/admission.ts';
import { boundConnections } from './http/connections.ts';
import { createServer } from './http/create-server.ts';
import { allowOrigins } from './http/cross-origin.ts';
import { handleErrors } from './http/error-handler.ts';
import { IdentityGuard } from './http/identity-guard.ts';
import { logRequests } from './http/logging.ts';
import { RateLimit } from './http/rate-limit.ts';
import { checkRequests } from './http/request-checks.ts';
import { addResponseHeaders } from './http/response-headers.ts';
import { KeyRing } from './keys/key-ring.ts';
import { addConsole } from './operations/console.ts';
import { addDocs } from './operations/docs.ts';
import { addHealth, readinessCheck, type Readiness } from './operations/health.ts';
import { addMetrics } from './operations/metrics.ts';
import { addSessionRoutes, identifyBy } from './sessions/routes.ts';
import { Sessions } from './sessions/sessions.ts';
import { version } from './version.ts';

/** The memory of the process without page maps, in megabytes. */
const processMb = 176;

export interface AppOptions {
  config: Omit<Config, 'database' | 'http'>;
  nodes: Nodes;
  readiness: Readiness;
  /** Gets the metrics, and health as well. Without it, the service has both. */
  admin?: FastifyInstance | undefined;
  /** The built console, served at `/`; a file URL that ends in a slash. */
  consoleFolder?: URL | undefined;
  /** Where log lines go; standard output by default. */
  logStream?: DestinationStream;
}

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { config, nodes, readiness, admin, consoleFolder } = options;
  const { origins, currency } = config.console;
  const app = createServer(config, options.logStream);
  // First of the hooks: it also traces the requests that others refuse.
  const tracing =
    config.tracing && new (await import('./tracing/tracing.ts')).Tracing(config.tracing, app);
  const admission = new Admission(config.concurrency);
  const customers = new Customers(nodes, (config.memoryMb - processMb) * 1_000_000);
  const rate = new RateLimit(config.rate);
  const keys = config.auth === 'none' ? null : new KeyRing(nodes.authority.lookups);
  const sessions = keys && new Sessions(nodes.authority, keys);
  const identify =
    keys && sessions && identifyBy(keys, sessions, origins, new IdentityGuard(admission));

  addResponseHeaders(app, () => readiness.draining);
  logRequests(app);
  const isMismatched = () => customers.mismatched;
  const checkReadiness = readinessCheck({ nodes, readiness, isMismatched });
  const memoryBytes = config.memoryMb * 1_000_000;
  const at = admin ?? app;
  addMetrics(app, { at, nodes, admission, customers, checkReadiness, memoryBytes, tracing });
  allowOrigins(app, origins);
  boundConnections(app);
  checkRequests(app);
  handleErrors(app);

  addHealth(admin ? [app, admin] : [app], checkReadiness);
  addDocs(app, version);
  addSessionRoutes(app, { sessions, consoleOrigins: origins });
  if (consoleFolder) await addConsole(app, consoleFolder, currency);
  addCustomerRoutes(app, { customers, admission, identify, rate });

  const closing = new AbortController();
  app.addHook('onListen', async () => void customers.upkeep(config.warmUp, closing.signal));
  app.addHook('onClose', async () => closing.abort());
  return app;
}
