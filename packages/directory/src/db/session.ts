/** What every database session of the server has in common. */
import pg from 'pg';
import type { Timeouts } from '../settings/timeouts.ts';
import type { LaneOptions } from './lane-options.ts';
import { keepAlives, serverSettings } from './session-settings.ts';
import { takeSession } from './take-session.ts';

/** A primary's timeline: every promotion starts a new one. Fails on a standby. */
export const timeline = `('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int`;

/** Every query of the server runs as this role, whatever user the URL names. */
export const readerRole = 'clientele_reader';
/** Except those for callers who may not see contact details. */
export const maskedReaderRole = 'clientele_masked_reader';

const int8: number = pg.types.builtins.INT8;

/** int8 as a number: the table's checks keep every count and amount in the safe range. */
export function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return oid === int8
    ? Number
    : (pg.types.getTypeParser(oid, format) as (value: string) => unknown);
}

/**
 * Adds settings to the startup packet, with those that every session has: no round trip, and in force before the first
 * query.
 */
export function withSettings(url: string, settings: Record<string, string>): string {
  const target = new URL(url);
  const ours = Object.entries(serverSettings(settings)).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(/[\\ ]/g, String.raw`\$&`)}`,
  );
  const theirs = target.searchParams.get('options') ?? '';
  target.searchParams.set('options', [theirs, ...ours].join(' ').trim());
  return target.href;
}

/** Statements that may run longer, in milliseconds, must not outlive their connection. */
const longStatement = 60_000;

/**
 * Makes PostgreSQL end a statement whose connection was closed. Not one of the settings below: some systems cannot
 * look for that, and would refuse the connection.
 */
const endWithConnection = (client: pg.ClientBase): Promise<unknown> =>
  client.query(`set client_connection_check_interval = '2s'`).catch(() => undefined);

/** The first queries of a connection, which must not wait for longer than connecting may. */
export async function inTimeToConnect<T>(
  client: pg.ClientBase,
  { connect }: Pick<Timeouts, 'connect'>,
  work: () => Promise<T>,
): Promise<T> {
  const late = setTimeout(destroy, connect, client);
  try {
    return await work();
  } finally {
    clearTimeout(late);
  }
}

/** The connections of a lane. None is opened yet. */
export function openPool(options: LaneOptions): pg.Pool {
  const isLong = options.statementTimeout > longStatement;
  const settings = {
    role: options.role ?? readerRole,
    default_transaction_read_only: 'on',
    statement_timeout: String(options.statementTimeout),
    jit: 'off',
    ...(isLong && keepAlives),
    ...options.settings,
  };
  return new pg.Pool({
    connectionString: withSettings(options.url, settings),
    application_name: `clientele ${options.slotsOf ? 'masked ' : ''}${options.name}`,
    max: options.connections,
    connectionTimeoutMillis: options.timeouts.connect,
    idleTimeoutMillis: options.keepOpen ? 0 : 60_000,
    keepAlive: true,
    types: { getTypeParser },
    // The pool waits for the promise, although its type does not say so.
    onConnect: (client): unknown =>
      inTimeToConnect(client, options.timeouts, async () => {
        await takeSession(client, settings);
        if (isLong) await endWithConnection(client);
      }),
  });
}

/** Closes the socket at once: whatever waits for the connection fails. */
export function destroy(client: pg.ClientBase): void {
  (
    client as unknown as { connection: { stream: { destroy(): void } } }
  ).connection.stream.destroy();
}
