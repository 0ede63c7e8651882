import { checkHistory, connectToPrimary } from '@clientele/directory';
import type pg from 'pg';
import { ImportError, notMigrated } from './import-error.ts';

/** Connects and switches to the role clientele_writer, so that an import never has more rights than that. */
export async function connectAsWriter(databaseUrl: string): Promise<pg.Client> {
  const client = await connectToPrimary(databaseUrl, {
    application_name: 'clientele import',
    connectionTimeoutMillis: 15_000,
  });
  try {
    await client.query('set role clientele_writer');
    await checkHistory(client);
    // No hash or merge joins: a batch must be matched through the index, not by scanning the whole table.
    // The timeouts make the server end this session soon after the process was killed.
    await client.query(`
      set timezone = 'UTC';
      set datestyle = 'ISO';
      set work_mem = '64MB';
      set enable_hashjoin = off;
      set enable_mergejoin = off;
      set client_connection_check_interval = '5s';
      set idle_in_transaction_session_timeout = '60s'`);
  } catch (error) {
    await client.end();
    throw explainRoleError(error);
  }
  return client;
}

function explainRoleError(error: unknown): unknown {
  switch ((error as { code?: string }).code) {
    case '22023': // The role does not exist.
      return new ImportError(notMigrated);
    case '42501':
      return new ImportError(
        'The user in DATABASE_URL is not allowed to import. Ask the database owner to run: grant clientele_writer to that_user',
      );
    default:
      return error;
  }
}
