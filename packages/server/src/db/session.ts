/** What every database session of the server has in common. */
import pg from 'pg';
import { timeouts } from '../config.ts';
import type { LaneOptions } from './lane.ts';

/** A primary's timeline: every promotion starts a new one. Fails on a standby. */
export const timeline = `('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int`;

/** Every query of the server runs as this role, whatever user the URL names. */
export const readerRole = 'clientele_reader';

const int8: number = pg.types.builtins.INT8;

/** int8 as a number: the table's checks keep every count and amount in the safe range. */
export function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return oid === int8
    ? Number
    : (pg.types.getTypeParser(oid, format) as (value: string) => unknown);
}

/** Adds settings to the startup packet: no round trip, and in force before the first query. */
export function withSettings(url: string, settings: Record<string, string>): string {
  const target = new URL(url);
  const ours = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const theirs = target.searchParams.get('options') ?? '';
  target.searchParams.set('options', [theirs, ...ours].join(' ').trim());
  return target.href;
}

/** The connections of a lane. None is opened yet. */
export function openPool(options: LaneOptions): pg.Pool {
  return new pg.Pool({
    connectionString: withSettings(options.url, {
      role: readerRole,
      default_transaction_read_only: 'on',
      statement_timeout: String(options.statementTimeout),
      jit: 'off',
      // Places are compared exactly, so no setting of the operator may round them.
      extra_float_digits: '1',
      ...options.settings,
    }),
    application_name: `clientele ${options.name}`,
    max: options.connections,
    connectionTimeoutMillis: timeouts.connect,
    idleTimeoutMillis: options.keepOpen ? 0 : 60_000,
    keepAlive: true,
    types: { getTypeParser },
  });
}

/** Closes the socket at once: whatever waits for the connection fails. */
export function destroy(client: pg.ClientBase): void {
  (
    client as unknown as { connection: { stream: { destroy(): void } } }
  ).connection.stream.destroy();
}
