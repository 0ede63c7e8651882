/** The check before serving: can this database be served from, and what should its operator know? */
import pg from 'pg';
import type { Timeouts } from '../settings/timeouts.ts';
import { DatabaseUnavailableError, DatabaseUnfitError, isConnectionError } from './errors.ts';
import { codeOf } from './error-code.ts';
import {
  checkSchema,
  createDatabase,
  inWords,
  localeFault,
  loggedValuesFault,
  notMigrated,
  tableFault,
} from './fitness.ts';
import { inTimeToConnect, readerRole, withSettings } from './session.ts';
import { poolerFault, takeSession } from './take-session.ts';
import type { Migration } from './migrations.ts';

type ConnectTimeouts = Pick<Timeouts, 'connect'>;

/**
 * Throws DatabaseUnavailableError when waiting may help, DatabaseUnfitError when a person has to act.
 * Returns warnings for the log.
 */
export async function checkDatabase(
  url: string,
  migrations: Migration[],
  timeouts: ConnectTimeouts,
): Promise<string[]> {
  const clients: pg.Client[] = [];
  try {
    const { client, pooled } = await connect(url, clients, timeouts);
    // Where sessions are shared, the second connection finds that of the first.
    await connect(url, clients, timeouts);
    const schema = await checkSchema(client, migrations);
    const fault = schema.fault ?? (await localeFault(client)) ?? (await tableFault(client));
    if (fault) throw new DatabaseUnfitError(inWords(fault));
    const warnings = schema.newer === undefined ? [] : [schema.newer];
    const logged = await loggedValuesFault(client);
    if (logged) warnings.push(`${logged.found} To stop that: ${logged.remedy}`);
    if (pooled) {
      // The next one must not find what these two have left.
      await Promise.all(clients.splice(0).map((each) => each.end()));
      await connect(url, clients, timeouts);
    }
    return warnings;
  } catch (error) {
    const fault = poolerFault(error);
    if (fault) throw fault;
    if (isConnectionError(error) || codeOf(error) === '57014') {
      throw new DatabaseUnavailableError('The database does not answer.', { cause: error });
    }
    throw new DatabaseUnfitError(reason(error), { cause: error });
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

const settings = {
  role: readerRole,
  default_transaction_read_only: 'on',
  statement_timeout: '5000',
};

async function connect(
  url: string,
  clients: pg.Client[],
  timeouts: ConnectTimeouts,
): Promise<{ client: pg.Client; pooled: boolean }> {
  const client = new pg.Client({
    connectionString: withSettings(url, settings),
    connectionTimeoutMillis: timeouts.connect,
    application_name: 'clientele check',
  });
  client.on('error', () => undefined);
  clients.push(client);
  await client.connect();
  return {
    client,
    ...(await inTimeToConnect(client, timeouts, () => takeSession(client, settings))),
  };
}

/** Why the database refused the connection, for the person who starts the server. */
function reason(error: unknown): string {
  switch (codeOf(error)) {
    case '28P01':
    case '28000':
      return 'The database refused the user or password of DATABASE_URL.';
    case '3D000':
      return `The database named in DATABASE_URL does not exist. As a superuser: ${createDatabase}; then run: clientele migrate`;
    case '22023': // the reader role does not exist
      return inWords(notMigrated);
    case '42501':
      return `The user of DATABASE_URL may not work as ${readerRole}. The owner can allow it: grant ${readerRole} to that_user`;
    default:
      return `The database cannot be used: ${codeOf(error) ?? (error as Error).name}`;
  }
}
