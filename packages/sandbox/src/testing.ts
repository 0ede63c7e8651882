/** A real database and the real app for the tests of every package. Not published. */
export { customerId } from './testing/customer-id.ts';
export {
  installedPostgres,
  startFreshCluster,
  type FreshCluster,
} from './testing/fresh-cluster.ts';
export { withEarlierSearchText } from './testing/earlier-search-text.ts';
export { createLoginRole, type LoginRole } from './testing/login-role.ts';
export { hasPostgresLog, readPostgresLog, statementsOfService } from './testing/postgres-log.ts';
export { readableSql } from './testing/readable-sql.ts';
export { temporaryFolder, type TemporaryFolder } from './testing/temporary-folder.ts';
export { createTestDatabase, type TestDatabase } from './testing/test-database.ts';
export { startTestService, type TestService } from './testing/test-service.ts';
