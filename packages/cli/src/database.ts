import { connectToPrimary, readDatabaseUrl } from '@clientele/server';
import type pg from 'pg';

/** Connects to DATABASE_URL, or to the primary of several nodes, runs work and disconnects. */
export async function withDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connectToPrimary(readDatabaseUrl(process.env), {
    application_name: 'clientele',
    connectionTimeoutMillis: 5_000,
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
