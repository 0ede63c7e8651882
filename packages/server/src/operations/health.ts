/** `/livez`: the process runs; never touches the database. `/readyz`: it can serve requests. */
import type { FastifyInstance } from 'fastify';
import type { Database } from '../db/database.ts';
import { NoSlotError } from '../db/errors.ts';
import { ReplicaFreshness } from '../db/replica-freshness.ts';
import { ProblemError } from '../http/problems.ts';

/** The state of this process; `start` keeps it up to date. */
export interface Readiness {
  /** The database has been checked and can be used. */
  checked: boolean;
  draining: boolean;
}

export interface HealthOptions {
  database: Database;
  readiness: Readiness;
  /** Whether the connections have just been found to reach different databases. */
  isMismatched: () => boolean;
}

export function addHealth(app: FastifyInstance, options: HealthOptions): void {
  const { database, readiness, isMismatched } = options;
  const freshness = new ReplicaFreshness(database.lookups);
  app.get('/livez', async () => ({ status: 'alive' }));

  app.get('/readyz', async () => {
    if (readiness.draining) throw new ProblemError('shutting-down');
    if (!readiness.checked) throw new ProblemError('database-unavailable');
    if (isMismatched()) throw new ProblemError('database-mismatch');
    const stale = await freshness.isStale().catch((error: unknown) => {
      // Busy still counts as ready: taking this instance out would only make the others busier.
      if (error instanceof NoSlotError) return false;
      throw error;
    });
    if (stale) throw new ProblemError('replica-stale');
    return { status: 'ready' };
  });
}
