/** The service as a library. The executable decides when to start it. */
export { buildApp, type AppOptions } from './app.ts';
export { readConnections, readDatabaseUrl, readHttpSettings } from './command-settings.ts';
export { ConfigError, readConfig, timeouts, type Config } from './config.ts';
export { exportCustomers, type CustomerExport } from './customers/export.ts';
export { parseListQuery } from './customers/list-query.ts';
export { openDatabase, type Database } from './db/database.ts';
export { connectToPrimary } from './db/connect-to-primary.ts';
export { Nodes } from './db/nodes.ts';
export { DatabaseUnavailableError, DatabaseUnfitError, isConnectionError } from './db/errors.ts';
export { schemaProblem } from './db/fitness.ts';
export { migrate } from './db/migrate.ts';
export { checkHistory, MigrationError, readMigrations, type Migration } from './db/migrations.ts';
export { examineNodes, type NodeFinding } from './doctor/nodes.ts';
export { makeAccessKey, type NewAccessKey } from './keys/access-key.ts';
export { insertKey, listKeys, revokeKey, type AccessKeyRecord } from './keys/store.ts';
export { serve } from './serve.ts';
export type { ServeOptions } from './start.ts';
export { version } from './version.ts';
