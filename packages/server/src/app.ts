/** Builds the service. Connects to nothing, listens to nothing, reads no environment. */
import type { FastifyInstance } from 'fastify';
import type { DestinationStream } from 'pino';
import type { OidcConfig } from './settings/access-settings.ts';
import { Audit } from './privacy/audit.ts';
import { keepSuppressed, type Nodes, readSecretFile, version } from '@clientele/directory';
import type { Config } from './settings/config.ts';
import { Customers } from './customers/customers.ts';
import { addCustomerRoutes, addSuggestionsRoute } from './customers/routes.ts';
import type { LedgerKeeper } from './privacy/ledger-keeper.ts';
import { Admission } from './http/admission.ts';
import { boundConnections } from './http/connections.ts';
import { createServer } from './http/create-server.ts';
import { allowOrigins } from './http/cross-origin.ts';
import { handleErrors } from './http/error-handler.ts';
import { warnOfUntrustedProxies } from './http/forwarded.ts';
import { IdentityGuard } from './access/identity-guard.ts';
import { logRequests } from './http/logging.ts';
import { RateLimit } from './http/rate-limit.ts';
import { RecordsLimit } from './access/records-limit.ts';
import { checkRequests } from './http/request-checks.ts';
import { requireAccess } from './access/route-access.ts';
import { addResponseHeaders } from './http/response-headers.ts';
import { DailyRecords } from './access/keys/daily-records.ts';
import { KeyRing } from './access/keys/key-ring.ts';
import { KeyUse } from './access/keys/key-use.ts';
import { addConsole } from './operations/console.ts';
import { addDocs } from './operations/docs.ts';
import { addHealth, readinessCheck, type Readiness } from './operations/health.ts';
import { addMetrics } from './operations/metrics.ts';
import { identifyBy } from './access/identify.ts';
import { addSessionRoutes } from './access/sessions/routes.ts';
import { Sessions } from './access/sessions/sessions.ts';

/** Of one key: lookups that find nobody. Without a limit of reads, there is none of these either. */
const notFoundPerMinute = 120;

/** The memory of the process without page maps, in megabytes. */
const processMb = 188;

export interface AppOptions {
  config: Omit<Config, 'database' | 'http'>;
  nodes: Nodes;
  readiness: Readiness;
  /** Undefined where no ledger of erasures is kept. */
  keeper?: LedgerKeeper | undefined;
  /** Gets the metrics, and health as well. Without it, the service has both. */
  admin?: FastifyInstance | undefined;
  /** The built console, served at `/`; a file URL that ends in a slash. */
  consoleFolder?: URL | undefined;
  /** Where log lines go; standard output by default. */
  logStream?: DestinationStream;
}

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { config, nodes, readiness, keeper, admin, consoleFolder } = options;
  const { publicOrigin, oidc, timeouts } = config;
  const origins = { own: publicOrigin, others: config.console.origins };
  const app = createServer(config, options.logStream);
  nodes.login.report = (line) => app.log.warn(line);
  // First of the hooks: it also traces the requests that others refuse.
  const tracing =
    config.tracing &&
    new (await import('./tracing/tracing.ts')).Tracing(config.tracing, timeouts, app);
  const admission = new Admission(config.concurrency, timeouts.admission);
  const mapBytes = (config.memoryMb - processMb) * 1_000_000;
  const customers = new Customers(nodes, mapBytes, config.audit !== undefined);
  const rate = new RateLimit(config.rate);
  const notFound = new RateLimit({ 'not-found': config.rate.reads === 0 ? 0 : notFoundPerMinute });
  const keyUse = new KeyUse(nodes.authority.writes);
  const keys = config.auth === 'none' ? null : new KeyRing(nodes.authority.lookups, keyUse);
  const records = new RecordsLimit(new DailyRecords(nodes.authority.writes));
  const rules = oidc && { issuer: oidc.issuer, ...oidc.roles };
  const sessions = keys && new Sessions(nodes.authority, keys, rules);
  const guard = new IdentityGuard(admission);
  const identify = keys && sessions && identifyBy(keys, sessions, origins, guard);

  requireAccess(app, identify);
  addResponseHeaders(app, () => readiness.draining);
  logRequests(app);
  warnOfUntrustedProxies(app);
  const isMismatched = () => customers.mismatched;
  const expectComplete = () => keeper?.expectComplete();
  const checkReadiness = readinessCheck({ nodes, readiness, isMismatched, expectComplete });
  const audit =
    config.audit && (await Audit.open(config.audit, nodes, app.log, () => admission.underway));
  const memoryBytes = config.memoryMb * 1_000_000;
  const at = admin ?? app;
  const swept = { erased: 0 };
  addMetrics(app, {
    ...{ at, nodes, admission, customers, checkReadiness, memoryBytes, tracing, audit, swept },
  });
  allowOrigins(app, origins.others);
  boundConnections(app, timeouts);
  checkRequests(app);
  handleErrors(app);

  addHealth(admin ? [app, admin] : [app], checkReadiness);
  addDocs(app, version);
  const people =
    oidc && sessions ? await addPeople(app, options, oidc, sessions, guard) : undefined;
  const sortFields = () => customers.sortFields();
  const { links } = config.console;
  addSessionRoutes(app, { sessions, origins, guard, sortFields, links, ...people });
  if (consoleFolder) {
    const provider = oidc && new URL(oidc.issuer).host;
    await addConsole(app, consoleFolder, { currency: config.console.currency, provider });
  }
  const longest = timeouts.handler;
  const routes = { customers, admission, rate, notFound, records, longest, keeper, audit };
  addCustomerRoutes(app, routes);
  addSuggestionsRoute(app, routes);

  const { secretFile } = config;
  const secret =
    config.audit?.secret ?? (secretFile ? await readSecretFile(secretFile) : undefined);
  const closing = new AbortController();
  app.addHook('onListen', async () => {
    void customers.upkeep(config.warmUp, closing.signal);
    void audit?.upkeep(closing.signal);
    const { signal } = closing;
    if (secret) {
      const primary = nodes.authority.upkeep;
      void keepSuppressed({ primary, secret, log: app.log, tally: swept, signal });
    }
    void keeper?.upkeep(app.log, closing.signal);
  });
  app.addHook('onClose', async () => {
    closing.abort();
    keyUse.close();
    await audit?.close();
  });
  return app;
}

/** Loaded only where people sign in with a provider. */
async function addPeople(
  app: FastifyInstance,
  { config, nodes, consoleFolder }: AppOptions,
  oidc: OidcConfig,
  sessions: Sessions,
  guard: IdentityGuard,
) {
  const { Provider } = await import('./access/people/provider.ts');
  const { addPeopleRoutes } = await import('./access/people/routes.ts');
  const provider = new Provider(oidc);
  const elsewhere = consoleFolder ? undefined : config.console.origins[0];
  const home = elsewhere ?? oidc.publicOrigin;
  addPeopleRoutes(app, { oidc, provider, sessions, authority: nodes.authority, guard, home });
  return { signOutUrl: (idToken?: string) => provider.endUrl(idToken) };
}
