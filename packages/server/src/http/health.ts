import type { FastifyInstance } from 'fastify';
import type { Database } from '../db/database.ts';

/** What the process knows of itself; `start` keeps it up to date. */
export interface Readiness {
  /** The database has been checked and fits. */
  checked: boolean;
  draining: boolean;
}

/** `/livez`: the process runs; never touches the database. `/readyz`: it can answer. */
export function addHealth(app: FastifyInstance, database: Database, readiness: Readiness): void {
  app.get('/livez', async () => ({ status: 'alive' }));

  app.get('/readyz', async (_request, reply) => {
    const reason = await whyNotReady(database, readiness);
    if (reason === null) return { status: 'ready' };
    return reply.code(503).send({ status: 'not ready', reason });
  });
}

async function whyNotReady(database: Database, { checked, draining }: Readiness) {
  if (draining) return 'shutting down';
  if (!checked) return 'waiting for the database';
  try {
    await database.lookups.query({ name: 'ping', text: 'select 1 as pong' }, []);
    return null;
  } catch {
    return 'the database does not answer';
  }
}
