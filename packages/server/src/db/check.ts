/** The first talk with the database: can we serve from it, and what should its operator know? */
import pg from 'pg';
import { timeouts } from '../config.ts';
import {
  codeOf,
  DatabaseUnavailableError,
  DatabaseUnfitError,
  isConnectionError,
} from './errors.ts';
import { readerRole, withSettings } from './lane.ts';
import { checkFitness, type Migration } from './migrate.ts';

/**
 * Throws DatabaseUnavailableError when waiting may help and DatabaseUnfitError when only a person can.
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
    await checkFitness(client, migrations);
    return await logWarnings(client);
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

/** Why the database turned us away, in words for whoever starts the server. */
function reason(error: unknown): string {
  switch (codeOf(error)) {
    case '28P01':
    case '28000':
      return 'The database refused the user or password of DATABASE_URL.';
    case '3D000':
      return 'The database named in DATABASE_URL does not exist. Create it, then run: clientele migrate';
    case '22023': // the reader role does not exist
      return 'The database has no Clientele tables yet. Run: clientele migrate';
    case '42501':
      return `The user of DATABASE_URL may not work as ${readerRole}. The owner can allow it: grant ${readerRole} to that_user`;
    default:
      return `The database cannot be used: ${codeOf(error) ?? (error as Error).name}`;
  }
}

/** Settings under which PostgreSQL would write searches, which are personal data, into its own log. */
async function logWarnings(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ leaks: boolean }>(
    `select current_setting('log_parameter_max_length') <> '0'
       and (current_setting('log_min_duration_statement') <> '-1'
         or current_setting('log_min_duration_sample') <> '-1'
         or current_setting('log_statement') = 'all'
         or current_setting('log_duration') = 'on') as leaks`,
  );
  if (!rows[0]?.leaks) return [];
  return [
    'PostgreSQL logs statements with their values, so its log will hold what people search for. ' +
      'A superuser can stop that: alter system set log_parameter_max_length = 0; select pg_reload_conf()',
  ];
}
