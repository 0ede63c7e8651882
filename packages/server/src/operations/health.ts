/** `/livez`: the process runs; never touches the database. `/readyz`: it can serve requests. */
import type { FastifyInstance } from 'fastify';
import { type Nodes, NoSlotError, ReplicaFreshness } from '@clientele/directory';
import { ProblemError } from '../http/problems.ts';

/** The state of this process; `start` keeps it up to date. */
export interface Readiness {
  /** The database has been checked and can be used. */
  checked: boolean;
  draining: boolean;
}

export interface HealthOptions {
  nodes: Nodes;
  readiness: Readiness;
  /** Whether the connections have just been found to reach different databases. */
  isMismatched: () => boolean;
  /** Throws while the database lacks erasures. */
  expectComplete: () => void;
}

/** Rejects when requests cannot be served. */
export type CheckReadiness = () => Promise<void>;

export function readinessCheck({
  nodes,
  readiness,
  isMismatched,
  expectComplete,
}: HealthOptions): CheckReadiness {
  const [first] = nodes.all;
  const freshness = new ReplicaFreshness(first!.database.lookups);
  return async () => {
    if (readiness.draining) throw new ProblemError('shutting-down');
    if (!readiness.checked) throw new ProblemError('database-unavailable');
    expectComplete();
    if (isMismatched()) throw new ProblemError('database-mismatch');
    if (nodes.all.length > 1) {
      if (!nodes.ready) throw new ProblemError('database-unavailable');
      return;
    }
    const stale = await freshness.isStale().catch((error: unknown) => {
      // Busy still counts as ready: taking this instance out would only make the others busier.
      if (error instanceof NoSlotError) return false;
      throw error;
    });
    if (stale) throw new ProblemError('replica-stale');
  };
}

export function addHealth(servers: FastifyInstance[], checkReadiness: CheckReadiness): void {
  for (const server of servers) {
    server.get('/livez', async () => ({ status: 'alive' }));
    server.get('/readyz', async () => {
      await checkReadiness();
      return { status: 'ready' };
    });
  }
}
