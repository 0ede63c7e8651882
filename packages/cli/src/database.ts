import { readDatabaseUrl } from '@clientele/server';
import pg from 'pg';

/** Connects to DATABASE_URL, runs work and disconnects. */
export async function withDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: readDatabaseUrl(process.env),
    application_name: 'clientele',
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
