import { checkHistory, connectToPrimary, readDatabaseUrl } from '@clientele/directory';
import type pg from 'pg';

/** Connects to DATABASE_URL, or to the primary of several nodes. */
export const connectToDatabase = (): Promise<pg.Client> =>
  connectToPrimary(readDatabaseUrl(process.env), {
    application_name: 'clientele',
    // Not less: a server that is busy, or whose machine stalls, takes seconds to answer.
    connectionTimeoutMillis: 15_000,
  });

/** Connects to a migrated database, runs work and disconnects. */
export async function withDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connectToDatabase();
  try {
    await checkHistory(client);
    return await work(client);
  } finally {
    await client.end();
  }
}
