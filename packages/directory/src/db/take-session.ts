/**
 * Makes sure that a connection has our settings, in a session that is ours alone. A pooler may drop the settings of
 * the startup packet, or let others use the session between two statements.
 */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { codeOf } from './error-code.ts';
import { DatabaseUnfitError } from './errors.ts';
import { firstTransaction } from './prepared-statements.ts';
import { serverSettings, sessionSettings } from './session-settings.ts';

export interface SessionSettings extends Record<string, string> {
  role: string;
  default_transaction_read_only: string;
  /** In milliseconds. */
  statement_timeout: string;
}

interface Session {
  pid: number;
  /** Who has taken it: empty in a new session, and after `discard all`. */
  owner: string;
  /** Whether the settings are in force. */
  set: boolean;
}

/** Without limits of time, which PostgreSQL writes in units of its own, and which change no result. */
const compared = [
  ...Object.keys(sessionSettings).filter((name) => !name.endsWith('_timeout')),
  ...['search_path', 'role', 'default_transaction_read_only'],
];

const session = `
  pg_backend_pid() as pid, coalesce(current_setting('clientele.session', true), '') as owner,
  current_setting('statement_timeout')::interval = make_interval(secs => $1::float8 / 1000) and (
    select bool_and(current_setting(s.name) = s.value) from unnest($2::text[], $3::text[]) as s(name, value)
  ) as set`;

/**
 * Run it on every new connection, before anything else. Returns whether the settings had to be repeated, because a
 * pooler has dropped them. Throws DatabaseUnfitError if the session is not ours.
 */
export async function takeSession(
  client: pg.ClientBase,
  settings: SessionSettings,
): Promise<{ pooled: boolean }> {
  const owner = randomUUID();
  const all = serverSettings(settings);
  const expected = [settings.statement_timeout, compared, compared.map((name) => all[name])];
  const look = async (andThen = ''): Promise<Session> =>
    (await client.query<Session>(`select ${session} ${andThen}`, expected)).rows[0]!;

  const found = await firstTransaction(client, async () => {
    // The columns are computed in this order.
    const taken = await look(`, set_config('clientele.session', '${owner}', false)`);
    if (taken.owner !== '') throw new DatabaseUnfitError(sharedSessions);
    if (!taken.set) {
      await client.query(
        'select set_config(name, value, false) from unnest($1::text[], $2::text[]) as s(name, value)',
        [Object.keys(all), Object.values(all)],
      );
    }
    return taken;
  });
  if (found.set) return { pooled: false };
  const now = await look();
  const isOurs = now.pid === found.pid && now.owner === owner && now.set;
  if (!isOurs) throw new DatabaseUnfitError(sharedSessions);
  return { pooled: true };
}

const sharedSessions =
  'DATABASE_URL leads to a pooler whose clients share sessions, as with PgBouncer in transaction or statement mode. ' +
  'Use pool_mode = session with server_reset_query = DISCARD ALL, or connect to PostgreSQL directly.';

/** PgBouncer's words are those of its configuration. */
const refusedSettings = (error: Error): string =>
  `A pooler refuses the settings of the connection (${error.message}). ` +
  'With PgBouncer, use pool_mode = session and add options to ignore_startup_parameters, or connect to PostgreSQL directly.';

/** Whether an error says that a pooler is set up in a way that cannot work: what a person has to do. */
export function poolerFault(error: unknown): DatabaseUnfitError | undefined {
  if (error instanceof DatabaseUnfitError) return error;
  const options = { cause: error };
  switch (codeOf(error)) {
    // A statement that the connection has prepared is not there, or one that it has not prepared is.
    case '26000':
    case '42P05':
      return new DatabaseUnfitError(sharedSessions, options);
    case '08P01': {
      const { message } = error as Error;
      if (/startup parameter/.test(message)) {
        return new DatabaseUnfitError(refusedSettings(error as Error), options);
      }
      // In statement mode, PgBouncer refuses transactions.
      return /statement pooling/.test(message)
        ? new DatabaseUnfitError(sharedSessions, options)
        : undefined;
    }
    default:
      return undefined;
  }
}
