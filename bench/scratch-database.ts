/** A migrated, empty database of the same cluster, for measures that change a lot of rows. */
import { migrate, readMigrations } from '@clientele/directory';
import { databaseUrl, withClient } from '@clientele/sandbox';
import type pg from 'pg';

const name = 'bench_scratch';

export async function withScratchDatabase<T>(
  clusterUrl: string,
  work: (client: pg.Client, url: string) => Promise<T>,
): Promise<T> {
  // `force` in case an interrupted run has left connections behind.
  const drop = `drop database if exists ${name} with (force)`;
  return withClient(clusterUrl, async (admin) => {
    await admin.query(drop);
    await admin.query(`create database ${name}`);
    const url = databaseUrl(clusterUrl, name);
    try {
      return await withClient(url, async (client) => {
        await migrate(client, await readMigrations());
        await client.query('set jit = off');
        return work(client, url);
      });
    } finally {
      await admin.query(drop);
    }
  });
}
