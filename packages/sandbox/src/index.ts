/** A private PostgreSQL and a customer directory on it. `./generator` has the generated customers. */
export { createAccessKey } from './access-key.ts';
export { databaseUrl, withClient } from './connection.ts';
export { firstFreePort, freePort, isPortFree } from './free-port.ts';
export { keyCount } from './generator/random.ts';
export {
  NoPostgresError,
  openPrivateDirectory,
  type PrivateDirectory,
} from './private-directory.ts';
export { findPostgres, preferPostgres, type Postgres } from './private-postgres/find-postgres.ts';
export { startPrivatePostgres, type PrivatePostgres } from './private-postgres/private-postgres.ts';
export type { StopMode } from './private-postgres/supervisor.ts';
export { isReady, waitUntilReady } from './ready.ts';
