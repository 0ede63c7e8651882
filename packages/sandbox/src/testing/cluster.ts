/** A cluster of PostgreSQL nodes for the tests of faults. Not published. */
export { startCluster, until, type Cluster } from './cluster/cluster.ts';
export { FaultProxy } from './cluster/fault-proxy.ts';
export { startBalancer } from './cluster/haproxy.ts';
export { startKeeper } from './cluster/keeper.ts';
export type { PatroniNode } from './cluster/patroni-node.ts';
export { findPgBouncer, startPgBouncer, type Pooler } from './cluster/pgbouncer.ts';
export { findTools, type Tools } from './cluster/tools.ts';
export {
  giveTo,
  unprivilegedAccount,
  type Account,
} from '../private-postgres/unprivileged-account.ts';
