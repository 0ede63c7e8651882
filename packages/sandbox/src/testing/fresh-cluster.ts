/** A separate cluster for tests of cluster-wide objects, such as roles that must not exist yet. */
import { findPostgres } from '../private-postgres/find-postgres.ts';
import { startPrivatePostgres } from '../private-postgres/private-postgres.ts';
import { databaseUrl } from '../connection.ts';
import pg from 'pg';
import { inject } from 'vitest';

/** The version under test if it is installed here, else any other. `undefined` if there is none. */
export const installedPostgres = async () =>
  (await findPostgres({ major: inject('major') }))[0] ?? (await findPostgres())[0];

export interface FreshCluster extends AsyncDisposable {
  /** The superuser's URL of a database. */
  url(database: string): string;
  query<Row extends object>(text: string): Promise<Row[]>;
}

export async function startFreshCluster(): Promise<FreshCluster> {
  const postgres = await installedPostgres();
  if (!postgres) throw new Error('Found no PostgreSQL on this machine');
  const cluster = await startPrivatePostgres({ postgres });
  const client = new pg.Client({ connectionString: cluster.url });
  client.on('error', () => undefined);
  await client.connect();
  return {
    url: (database) => databaseUrl(cluster.url, database),
    async query<Row extends object>(text: string) {
      return (await client.query<Row>(text)).rows;
    },
    async [Symbol.asyncDispose]() {
      await client.end();
      await cluster.stop();
    },
  };
}
