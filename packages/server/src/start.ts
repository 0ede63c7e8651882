/** Starts the server, and stops it without losing a request. */
import { lookup } from 'node:dns/promises';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { buildApp } from './app.ts';
import {
  checkDatabase,
  ConfigError,
  DatabaseUnavailableError,
  DatabaseUnfitError,
  Nodes,
  readMigrations,
  type Timeouts,
} from '@clientele/directory';
import type { Config } from './settings/config.ts';
import { LedgerKeeper } from './privacy/ledger-keeper.ts';
import { createAdminServer } from './operations/admin.ts';
import type { Readiness } from './operations/health.ts';

export interface ServeOptions {
  /** Serves until the signal fires. */
  until: AbortSignal;
  /** The built console, served at `/`. */
  consoleFolder?: URL | undefined;
  onListening?: (url: string) => void;
}

/**
 * Serves until the signal fires, then drains and resolves. Waits for a database that is down; rejects
 * with DatabaseUnfitError when a person has to act.
 */
export async function serve(config: Config, options: ServeOptions): Promise<void> {
  const { until, consoleFolder, onListening } = options;
  // Otherwise V8 lets the heap grow to several times what is used, however little memory the service may take.
  setFlagsFromString('--heap-growing-percent=50');
  const readiness: Readiness = { checked: false, draining: false };
  const nodes = new Nodes(config);
  const { adminPort } = config.http;
  const admin = adminPort === undefined ? undefined : createAdminServer(config);
  const { ledger, database, timeouts } = config;
  const keeper = ledger && (await LedgerKeeper.open(ledger, nodes, database.maxLagSeconds));
  const app = await buildApp({ config, nodes, readiness, keeper, admin, consoleFolder });
  try {
    let started = false;
    const prepare = async () => {
      started ||= await prepareNodes(nodes, app.log, timeouts);
      return started && (!keeper || (await keeper.start()));
    };
    // Before listening, so that an unusable database is reported at once.
    readiness.checked = await prepare();
    if (config.auth === 'none') {
      app.log.warn(
        'AUTHENTICATION IS OFF (CLIENTELE_AUTH=none): anyone who can reach this port can read every customer',
      );
    }
    if (!config.audit) {
      app.log.warn(
        'THE READ AUDIT IS OFF (CLIENTELE_AUDIT=off): nobody will be able to say who saw which customers',
      );
    }
    const host = await oneAddress(config.http.host);
    const url = await app.listen({ host, port: config.http.port });
    const listenTextResolver = (address: string) => `Metrics and health at ${address}`;
    if (adminPort !== undefined) await admin?.listen({ host, port: adminPort, listenTextResolver });
    if (adminPort === undefined && isPublic(host, config)) {
      app.log.warn(
        'METRICS ARE PUBLIC: anyone who can reach this port can read /metrics. Set CLIENTELE_ADMIN_PORT to move them to a port of their own',
      );
    }
    onListening?.(url);
    if (!readiness.checked) {
      app.log.warn('the database does not respond; waiting for it');
      while (!readiness.checked && !until.aborted) {
        await sleep(500, undefined, { signal: until }).catch(() => undefined);
        readiness.checked = await prepare();
      }
      if (readiness.checked) app.log.info('the database responds; ready');
    }
    await aborted(until);
    await drain(app, readiness, timeouts);
  } finally {
    app.server.closeAllConnections();
    await app.close();
    admin?.server.closeAllConnections();
    await admin?.close();
    await nodes.close();
  }
}

/** Whether others can reach the port: from another machine, or through a proxy on this one. */
const isPublic = (host: string, { trustedProxies, publicOrigin }: Config): boolean =>
  !/^(127\.|::1$)/.test(host) ||
  trustedProxies.length > 0 ||
  publicOrigin?.startsWith('https:') === true;

/** Given `localhost`, Fastify would start a second server for the second address, which we could not drain. */
async function oneAddress(host: string): Promise<string> {
  const found = await lookup(host).catch(() => undefined);
  if (!found) throw new ConfigError(['HOST must be a name or an address of this machine']);
  return found.address;
}

/**
 * False when no node responds; throws when waiting does not help. Nodes that cannot be served from are
 * reported, and only stop the start if no other one can.
 */
async function prepareNodes(
  nodes: Nodes,
  log: FastifyBaseLogger,
  timeouts: Timeouts,
): Promise<boolean> {
  const migrations = await readMigrations();
  const checks = await Promise.allSettled(
    nodes.all.map(({ url }) => checkDatabase(url, migrations, timeouts)),
  );
  const unfit: unknown[] = [];
  let fit = 0;
  for (const [i, check] of checks.entries()) {
    const about = nodes.all.length > 1 ? `${nodes.all[i]!.name}: ` : '';
    if (check.status === 'fulfilled') {
      fit += 1;
      for (const warning of check.value) log.warn(about + warning);
    } else if (!(check.reason instanceof DatabaseUnavailableError)) {
      unfit.push(check.reason);
      if (about && check.reason instanceof DatabaseUnfitError)
        log.warn(about + check.reason.message);
    }
  }
  if (fit === 0 && unfit.length > 0) throw unfit[0];
  if (fit === 0) return false;
  await nodes.start();
  return true;
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * Two steps, so that no request is lost. First only /readyz fails, and load balancers stop sending requests.
 * Then the server stops listening: each open connection is closed after its next response
 * (`Connection: close`) or, if idle, within a second. http.Server.close() would close idle connections
 * at once, and lose the requests that are on the wire.
 */
async function drain(
  app: FastifyInstance,
  readiness: Readiness,
  timeouts: Timeouts,
): Promise<void> {
  const { server } = app;
  readiness.draining = true;
  app.log.info('stopping: no longer ready');
  await sleep(timeouts.turnAway);
  await acceptedAll(server, timeouts.lastLook);
  const closed = new Promise<void>((resolve) =>
    NetServer.prototype.close.call(server, () => resolve()),
  );
  app.log.info('stopping: no new connections, finishing open requests');
  const deadline = new AbortController();
  const over = sleep(timeouts.drain, undefined, { signal: deadline.signal }).catch(() => undefined);
  const cutter = setInterval(() => server.closeIdleConnections(), 1_000);
  await Promise.race([closed, over]);
  clearInterval(cutter);
  deadline.abort();
}

/**
 * Closing resets connections that the kernel has accepted and Node has not. The kernel hands over one
 * connection per turn of the event loop, so this waits for a turn without any.
 */
async function acceptedAll(server: NetServer, longestMs: number): Promise<void> {
  let arrived = true;
  const longest = performance.now() + longestMs;
  const arrive = (): void => {
    arrived = true;
  };
  server.on('connection', arrive);
  while (arrived && performance.now() < longest) {
    arrived = false;
    await nextTurn();
    await nextTurn();
  }
  server.off('connection', arrive);
}
