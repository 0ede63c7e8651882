/** A real database and the real app for the tests of every package. Not published. */
export { customerId } from './testing/customer-id.ts';
export {
  installedPostgres,
  startFreshCluster,
  type FreshCluster,
} from './testing/fresh-cluster.ts';
export { withEarlierSearchText } from './testing/earlier-search-text.ts';
export { createLoginRole, type LoginRole } from './testing/login-role.ts';
export { patient } from './testing/patient.ts';
export { hasPostgresLog, readPostgresLog, statementsOfService } from './testing/postgres-log.ts';
export { readableSql } from './testing/readable-sql.ts';
export { setUpDatabaseAndFolder } from './testing/set-up-database-and-folder.ts';
export { temporaryFolder, type TemporaryFolder } from './testing/temporary-folder.ts';
export { createTestDatabase, type TestDatabase } from './testing/test-database.ts';
export { startTestService, type TestService } from './testing/test-service.ts';
export { Random } from './testing/random.ts';
export {
  names,
  sampleSearches,
  sorts,
  randomCustomer,
  randomInstant,
  randomFilters,
  queriesAtRest,
  sortedAtRest,
  insertStatement,
  insertRandomCustomers,
} from './testing/random-customers.ts';
export {
  type Replica,
  type ReplicatedPostgres,
  startReplicatedPostgres,
  createDirectory,
  startReplica,
  caughtUp,
  copyRunning,
  toConninfo,
} from './testing/replica.ts';
export { scan } from './testing/scan.ts';
export { openProxy, openBalancer } from './testing/tcp-proxy.ts';
