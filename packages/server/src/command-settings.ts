/** Settings of commands that do not serve. Others may be wrong or missing. */
import { ConfigError, readConfig, type Config } from './config.ts';
import { findDatabaseUrl } from './database-url.ts';

type Environment = Record<string, string | undefined>;

function readSome(env: Environment, ...names: string[]): Config {
  const some = Object.fromEntries(names.map((name) => [name, env[name]]));
  return readConfig({ DATABASE_URL: 'postgres://unused', ...some });
}

/** The connections of an instance with these settings, by kind of work. */
export const readConnections = (env: Environment): Config['database']['connections'] =>
  readSome(env, 'CLIENTELE_CONNECTIONS').database.connections;

/** Where an instance with these settings listens. */
export const readHttpSettings = (env: Environment): Config['http'] =>
  readSome(env, 'HOST', 'PORT', 'CLIENTELE_ADMIN_PORT').http;

/** Undefined where reads are not audited. */
export const readAuditSettings = (env: Environment): Config['audit'] =>
  readSome(env, 'CLIENTELE_AUDIT', 'CLIENTELE_SECRET_FILE').audit;

/** Undefined where there is none. */
export const readSecretPath = (env: Environment): string | undefined =>
  readSome(env, 'CLIENTELE_SECRET_FILE').audit?.secretFile;

/** Undefined where no ledger of erasures is kept. */
export const readLedgerSettings = (env: Environment): Config['ledger'] =>
  readSome(env, 'CLIENTELE_LEDGER_FILE', 'CLIENTELE_SECRET_FILE').ledger;

/** The one setting that every command needs. */
export function readDatabaseUrl(env: Environment): string {
  const { url, fault } = findDatabaseUrl(env);
  if (fault !== undefined) throw new ConfigError([fault]);
  return url;
}
