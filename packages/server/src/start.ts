/** From configuration to a listening server, and from a signal to a clean end. */
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { buildApp } from './app.ts';
import { timeouts, type Config } from './config.ts';
import { checkDatabase } from './db/check.ts';
import { openDatabase } from './db/database.ts';
import { DatabaseUnavailableError } from './db/errors.ts';
import { readMigrations } from './db/migrate.ts';
import type { Readiness } from './http/health.ts';

/**
 * Serves until SIGTERM or SIGINT, then drains and resolves. Rejects with DatabaseUnfitError when the
 * database is one that waiting does not mend; a database that is merely down is waited for.
 */
export async function serve(config: Config, consoleFolder?: URL): Promise<void> {
  const stopping = new AbortController();
  const stop = (): void => {
    if (stopping.signal.aborted) process.exit(1);
    stopping.abort();
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);

  const readiness: Readiness = { checked: false, draining: false };
  const database = openDatabase(config.database);
  const app = await buildApp({ config, database, readiness, consoleFolder });
  try {
    const { url } = config.database;
    // Before listening, so that a database that cannot serve is told at once.
    const first = await check(url, app).catch((error: unknown) => {
      if (error instanceof DatabaseUnavailableError) return false;
      throw error;
    });
    readiness.checked = first;
    if (config.auth === 'none') {
      app.log.warn(
        'AUTHENTICATION IS OFF (CLIENTELE_AUTH=none): whoever reaches this port reads every customer',
      );
    }
    await app.listen({ host: config.http.host, port: config.http.port });
    if (!first) {
      app.log.warn('the database does not answer; waiting for it');
      await waitForDatabase(url, app, readiness, stopping.signal);
    }
    await aborted(stopping.signal);
    await drain(app, readiness);
  } finally {
    process.off('SIGTERM', stop).off('SIGINT', stop);
    app.server.closeAllConnections();
    await app.close();
    await database.close();
  }
}

async function check(url: string, app: FastifyInstance): Promise<true> {
  for (const warning of await checkDatabase(url, await readMigrations())) app.log.warn(warning);
  return true;
}

async function waitForDatabase(
  url: string,
  app: FastifyInstance,
  readiness: Readiness,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && !readiness.checked) {
    await sleep(500, undefined, { signal }).catch(() => undefined);
    readiness.checked = await check(url, app).catch((error: unknown) => {
      if (error instanceof DatabaseUnavailableError) return false;
      throw error;
    });
  }
  if (readiness.checked) app.log.info('the database answers; ready');
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * Answers what has arrived and what still arrives on open connections, each with `Connection: close`,
 * and accepts no new ones. http.Server.close() would cut idle keep-alive connections at once, and with
 * them requests that are on the wire; so only the listening socket is closed, and idle connections are
 * cut a second later.
 */
async function drain(app: FastifyInstance, readiness: Readiness): Promise<void> {
  readiness.draining = true;
  app.log.info('stopping: no new connections, finishing what has arrived');
  const { server } = app;
  const closed = new Promise<void>((resolve) =>
    NetServer.prototype.close.call(server, () => resolve()),
  );
  const deadline = new AbortController();
  const over = sleep(timeouts.drain, undefined, { signal: deadline.signal }).catch(() => undefined);
  const cutter = setInterval(() => server.closeIdleConnections(), 1_000);
  await Promise.race([closed, over]);
  clearInterval(cutter);
  deadline.abort();
}
