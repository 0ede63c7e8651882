/** From configuration to a listening server, and from a signal to a clean end. */
import { lookup } from 'node:dns/promises';
import { Server as NetServer } from 'node:net';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { buildApp } from './app.ts';
import { ConfigError, timeouts, type Config } from './config.ts';
import { checkDatabase } from './db/check-database.ts';
import { openDatabase, type Database } from './db/database.ts';
import { DatabaseUnavailableError } from './db/errors.ts';
import { readMigrations } from './db/migrations.ts';
import type { Readiness } from './operations/health.ts';

export interface ServeOptions {
  /** Serve until then, drain and resolve. */
  until: AbortSignal;
  /** The built console, to be served at `/`. */
  consoleFolder?: URL | undefined;
  onListening?: (url: string) => void;
}

/**
 * Serves until the signal, then drains and resolves. Rejects with DatabaseUnfitError when the database
 * is one that waiting does not mend; a database that is merely down is waited for.
 */
export async function serve(config: Config, options: ServeOptions): Promise<void> {
  const { until, consoleFolder, onListening } = options;
  const readiness: Readiness = { checked: false, draining: false };
  const database = openDatabase(config.database);
  const app = await buildApp({ config, database, readiness, consoleFolder });
  try {
    const prepare = () => prepareDatabase(config.database.url, database, app.log);
    // Before listening, so that a database that cannot serve is told at once.
    readiness.checked = await prepare();
    if (config.auth === 'none') {
      app.log.warn(
        'AUTHENTICATION IS OFF (CLIENTELE_AUTH=none): whoever reaches this port reads every customer',
      );
    }
    const host = await oneAddress(config.http.host);
    const url = await app.listen({ host, port: config.http.port });
    onListening?.(url);
    if (!readiness.checked) {
      app.log.warn('the database does not answer; waiting for it');
      while (!readiness.checked && !until.aborted) {
        await sleep(500, undefined, { signal: until }).catch(() => undefined);
        readiness.checked = await prepare();
      }
      if (readiness.checked) app.log.info('the database answers; ready');
    }
    await aborted(until);
    await drain(app, readiness);
  } finally {
    app.server.closeAllConnections();
    await app.close();
    await database.close();
  }
}

/** Given `localhost`, Fastify would start a second server for its second address, unknown to us. */
async function oneAddress(host: string): Promise<string> {
  const found = await lookup(host).catch(() => undefined);
  if (!found) throw new ConfigError(['HOST must be a name or an address of this machine']);
  return found.address;
}

/** False when the database does not answer; throws when waiting does not mend it. */
async function prepareDatabase(
  url: string,
  database: Database,
  log: FastifyBaseLogger,
): Promise<boolean> {
  try {
    for (const warning of await checkDatabase(url, await readMigrations())) log.warn(warning);
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) return false;
    throw error;
  }
  await database.warmUp();
  return true;
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * In two steps, so that no request is lost. First only /readyz says no, and balancers turn away; then
 * the door is shut, and each open connection ends with its next answer (`Connection: close`) or, idle,
 * after a second. http.Server.close() would cut idle ones at once, and with them requests on the wire.
 */
async function drain(app: FastifyInstance, readiness: Readiness): Promise<void> {
  const { server } = app;
  readiness.draining = true;
  app.log.info('stopping: not ready any more');
  await sleep(timeouts.turnAway);
  await nobodyAtTheDoor(server);
  const closed = new Promise<void>((resolve) =>
    NetServer.prototype.close.call(server, () => resolve()),
  );
  app.log.info('stopping: no new connections, finishing what has arrived');
  const deadline = new AbortController();
  const over = sleep(timeouts.drain, undefined, { signal: deadline.signal }).catch(() => undefined);
  const cutter = setInterval(() => server.closeIdleConnections(), 1_000);
  await Promise.race([closed, over]);
  clearInterval(cutter);
  deadline.abort();
}

/**
 * Closing resets connections that the kernel has taken and we have not: it hands them over one by one,
 * one in a turn of the event loop. So this waits for a turn that brought none.
 */
async function nobodyAtTheDoor(server: NetServer): Promise<void> {
  let arrived = true;
  const longest = performance.now() + timeouts.lastLook;
  const arrive = (): void => {
    arrived = true;
  };
  server.on('connection', arrive);
  while (arrived && performance.now() < longest) {
    arrived = false;
    await turn();
    await turn();
  }
  server.off('connection', arrive);
}
