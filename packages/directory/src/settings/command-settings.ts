/** Settings of commands that do not serve. Others may be wrong or missing. */
import { readAuditConfig, type AuditConfig } from './audit-settings.ts';
import { ConfigError } from './config-error.ts';
import { readLanes, type Connections } from './database-settings.ts';
import { findDatabaseUrl } from './database-url.ts';
import { readHttpConfig, type HttpConfig } from './http-settings.ts';
import { readLedgerConfig, type LedgerConfig } from './ledger-settings.ts';
import { withoutServiceVariables } from './service-variables.ts';

type Environment = Record<string, string | undefined>;

/** Throws if what is read has a fault. */
function readOnly<T>(env: Environment, read: (env: Environment, faults: string[]) => T): T {
  const faults: string[] = [];
  const found = read(withoutServiceVariables(env), faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return found;
}

/** The connections of an instance with these settings, by kind of work. */
export const readConnections = (env: Environment): Connections => readOnly(env, readLanes);

/** Where an instance with these settings listens. */
export const readHttpSettings = (env: Environment): HttpConfig => readOnly(env, readHttpConfig);

/** Undefined where reads are not audited. */
export const readAuditSettings = (env: Environment): AuditConfig | undefined =>
  readOnly(env, readAuditConfig);

/** Undefined where there is none. */
export const readSecretPath = (env: Environment): string | undefined =>
  env['CLIENTELE_SECRET_FILE'] || undefined;

/** Undefined where no ledger of erasures is kept. */
export const readLedgerSettings = (env: Environment): LedgerConfig | undefined =>
  readOnly(env, readLedgerConfig);

/** The one setting that every command needs. */
export function readDatabaseUrl(env: Environment): string {
  const { url, fault } = findDatabaseUrl(env);
  if (fault !== undefined) throw new ConfigError([fault]);
  return url;
}
