/** The check before serving: can this database be served from, and what should its operator know? */
import pg from 'pg';
import { timeouts } from '../config.ts';
import {
  codeOf,
  DatabaseUnavailableError,
  DatabaseUnfitError,
  isConnectionError,
} from './errors.ts';
import {
  checkSchema,
  inWords,
  localeFault,
  loggedValuesFault,
  notMigrated,
  partitionFault,
  rowSecurityFault,
} from './fitness.ts';
import { readerRole, withSettings } from './session.ts';
import type { Migration } from './migrations.ts';

/**
 * Throws DatabaseUnavailableError when waiting may help, DatabaseUnfitError when a person has to act.
 * Returns warnings for the log.
 */
export async function checkDatabase(url: string, migrations: Migration[]): Promise<string[]> {
  const client = new pg.Client({
    connectionString: withSettings(url, { role: readerRole, statement_timeout: '5000' }),
    connectionTimeoutMillis: timeouts.connect,
    application_name: 'clientele check',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const schema = await checkSchema(client, migrations);
    const fault =
      schema.fault ??
      (await localeFault(client)) ??
      (await partitionFault(client)) ??
      (await rowSecurityFault(client));
    if (fault) throw new DatabaseUnfitError(inWords(fault));
    const warnings = schema.newer === undefined ? [] : [schema.newer];
    const logged = await loggedValuesFault(client);
    if (logged) warnings.push(`${logged.found} To stop that: ${logged.remedy}`);
    return warnings;
  } catch (error) {
    if (error instanceof DatabaseUnfitError) throw error;
    if (isConnectionError(error) || codeOf(error) === '57014') {
      throw new DatabaseUnavailableError('The database does not answer.', { cause: error });
    }
    throw new DatabaseUnfitError(reason(error), { cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Why the database refused the connection, for the person who starts the server. */
function reason(error: unknown): string {
  switch (codeOf(error)) {
    case '28P01':
    case '28000':
      return 'The database refused the user or password of DATABASE_URL.';
    case '3D000':
      return 'The database named in DATABASE_URL does not exist. Create it, then run: clientele migrate';
    case '22023': // the reader role does not exist
      return inWords(notMigrated);
    case '42501':
      return `The user of DATABASE_URL may not work as ${readerRole}. The owner can allow it: grant ${readerRole} to that_user`;
    default:
      return `The database cannot be used: ${codeOf(error) ?? (error as Error).name}`;
  }
}
