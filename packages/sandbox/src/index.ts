/** A private PostgreSQL, and a directory on it. The generated customers have an entry of their own. */
export { firstFreePort, freePort, isPortFree } from './free-port.ts';
export { keyCount } from './generator/random.ts';
export {
  NoPostgresError,
  openPrivateDirectory,
  type PrivateDirectory,
  type PrivateDirectoryOptions,
} from './private-directory.ts';
export { findPostgres, type Postgres } from './private-postgres/find-postgres.ts';
export type { StopMode } from './private-postgres/postgres-keeper.ts';
export {
  startPrivatePostgres,
  type PrivatePostgres,
  type PrivatePostgresOptions,
} from './private-postgres/private-postgres.ts';
