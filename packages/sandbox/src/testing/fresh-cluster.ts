/** A cluster of its own, for what is the whole cluster's matter: roles that do not exist yet. */
import { findPostgres } from '../private-postgres/find-postgres.ts';
import { startPrivatePostgres } from '../private-postgres/private-postgres.ts';
import pg from 'pg';
import { inject } from 'vitest';

/** Of the version under test, or any; undefined where the tests' PostgreSQL is another machine's. */
export const installedPostgres = async () =>
  (await findPostgres({ major: inject('major') }))[0] ?? (await findPostgres())[0];

export interface FreshCluster extends AsyncDisposable {
  /** A database's URL, as the superuser. */
  url(database: string): string;
  query<Row extends object>(text: string): Promise<Row[]>;
}

export async function startFreshCluster(): Promise<FreshCluster> {
  const postgres = await installedPostgres();
  if (!postgres) throw new Error('No PostgreSQL on this machine');
  const cluster = await startPrivatePostgres({ postgres });
  const client = new pg.Client({ connectionString: cluster.url });
  client.on('error', () => undefined);
  await client.connect();
  return {
    url: (database) => Object.assign(new URL(cluster.url), { pathname: `/${database}` }).href,
    async query<Row extends object>(text: string) {
      return (await client.query<Row>(text)).rows;
    },
    async [Symbol.asyncDispose]() {
      await client.end();
      await cluster.stop();
    },
  };
}
