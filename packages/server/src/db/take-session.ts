/**
 * Makes sure that a connection has our settings, in a session that is ours alone. A pooler may drop the settings of
 * the startup packet, or let others use the session between two statements.
 */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { DatabaseUnfitError } from './errors.ts';
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
 * Run it on every new connection. Returns whether the settings had to be repeated, because a pooler has dropped them.
 * Throws DatabaseUnfitError if the session is not ours.
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

  // The columns are computed in this order.
  const found = await look(`, set_config('clientele.session', '${owner}', false)`);
  if (found.owner !== '') throw new DatabaseUnfitError(sharedSessions);
  if (found.set) return { pooled: false };
  await client.query(
    'select set_config(name, value, false) from unnest($1::text[], $2::text[]) as s(name, value)',
    [Object.keys(all), Object.values(all)],
  );
  const now = await look();
  const isOurs = now.pid === found.pid && now.owner === owner && now.set;
  if (!isOurs) throw new DatabaseUnfitError(sharedSessions);
  return { pooled: true };
}

export const sharedSessions =
  'DATABASE_URL leads to a pooler whose clients share sessions, as with PgBouncer in transaction or statement mode. ' +
  'Use pool_mode = session with server_reset_query = DISCARD ALL, or connect to PostgreSQL directly.';

/** PgBouncer's words are those of its configuration. */
export const refusedSettings = (error: Error): string =>
  `A pooler refuses the settings of the connection (${error.message}). ` +
  'With PgBouncer, use pool_mode = session and add options to ignore_startup_parameters, or connect to PostgreSQL directly.';
