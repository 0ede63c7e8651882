/**
 * Settings that could change a result or a lock if an operator sets them for the database or for a login. Every session
 * of the server and of a command has these instead: docs/decisions/operators-settings.md.
 */
import type pg from 'pg';

export const sessionSettings: Record<string, string> = {
  // At other levels a statement has its snapshot before its locks, and the functions that keep the log do nothing.
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // Otherwise an index may leave customers out.
  gin_fuzzy_search_limit: '0',
  // An error instead of customers that are left out.
  row_security: 'off',
  lock_timeout: '0',
  idle_session_timeout: '0',
  // How values are read and written.
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  // Places are compared exactly, so they must not be rounded.
  extra_float_digits: '1',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
};

/** PostgreSQL notices after a quarter of a minute that a connection was lost without being closed. Only by TCP. */
export const keepAlives = {
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '2',
};

/** Statements of the server name the schema of everything that is not part of PostgreSQL. */
export const serverSettings = (settings: Record<string, string>): Record<string, string> => ({
  ...sessionSettings,
  search_path: 'pg_catalog',
  ...settings,
});

/** Without pg_catalog, which then comes first: nothing of the operator can stand in for what is part of PostgreSQL. */
const searchPath = `pg_catalog.set_config('search_path', coalesce((
    select pg_catalog.string_agg(pg_catalog.quote_ident(s), ', ')
    from pg_catalog.unnest(pg_catalog.current_schemas(false)) as s where s operator(pg_catalog.<>) 'pg_catalog'
  ), ''), false)`;

/** For a command, which may be connected through a pooler that accepts no settings in the startup packet. */
export async function applySessionSettings(client: pg.ClientBase): Promise<void> {
  const settings = Object.entries({ ...sessionSettings, ...keepAlives }).map(
    ([name, value]) => `set ${name} = '${value}'`,
  );
  await client.query([...settings, `select ${searchPath}`].join('; '));
}
