import type { FastifyInstance } from 'fastify';
import type { Database } from '../db/database.ts';
import { NoSlotError } from '../db/errors.ts';
import { ProblemError } from '../http/problems.ts';

/** The state of this process; `start` keeps it up to date. */
export interface Readiness {
  /** The database has been checked and can be used. */
  checked: boolean;
  draining: boolean;
}

const ping = { name: 'ping', text: 'select 1 as pong' };

/** `/livez`: the process runs; never touches the database. `/readyz`: it can serve requests. */
export function addHealth(app: FastifyInstance, database: Database, readiness: Readiness): void {
  app.get('/livez', async () => ({ status: 'alive' }));

  app.get('/readyz', async () => {
    if (readiness.draining) throw new ProblemError('shutting-down');
    if (!readiness.checked) throw new ProblemError('database-unavailable');
    await database.lookups.query(ping, []).catch((error: unknown) => {
      // Busy still counts as ready: taking this instance out would only make the others busier.
      if (!(error instanceof NoSlotError)) throw error;
    });
    return { status: 'ready' };
  });
}
