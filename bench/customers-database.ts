/** A private PostgreSQL with as many customers as asked for, the same ones on every run. */
import { migrate, readMigrations } from '@clientele/server';
import { findPostgres, startPrivatePostgres } from '@clientele/server/private-postgres';
import pg from 'pg';
import { copyCustomers } from '../packages/cli/src/generator/copy-customers.ts';

export interface CustomersDatabase {
  /** The owner's URL. */
  url: string;
  version: string;
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  stop(): Promise<void>;
}

/** Debian's PostgreSQL 15 where there is one, else whatever is found first. */
export async function startWithCustomers(
  rows: number,
  say: (line: string) => void,
): Promise<CustomersDatabase> {
  const found = await findPostgres();
  const postgres = found.find(({ major }) => major === 15) ?? found[0];
  if (!postgres) throw new Error('No PostgreSQL on this machine: apt-get install postgresql-15');
  say(`PostgreSQL ${postgres.version} (${postgres.source})`);
  const cluster = await startPrivatePostgres({
    postgres,
    settings: {
      shared_buffers: '1GB',
      maintenance_work_mem: '512MB',
      max_wal_size: '8GB',
      // Nothing is written while measuring; a worker waking up would only add noise.
      autovacuum: false,
    },
  });
  const client = new pg.Client({ connectionString: cluster.url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await migrate(client, await readMigrations());
    say(`${rows} customers`);
    await fill(client, rows);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return {
    url: cluster.url,
    version: `${postgres.version} (${postgres.source})`,
    async query<Row extends object>(text: string, values: unknown[] = []) {
      return (await client.query<Row>(text, values)).rows;
    },
    async stop() {
      await client.end();
      await cluster.stop();
    },
  };
}

/** The search index is built once at the end, in a fraction of the time of keeping it up row by row. */
async function fill(client: pg.Client, rows: number): Promise<void> {
  const index = await client.query<{ sql: string }>(
    `select pg_get_indexdef('public.customers_search'::regclass) as sql`,
  );
  await client.query('drop index public.customers_search');
  await copyCustomers(client, 1, rows);
  await client.query(index.rows[0]!.sql);
  await client.query('vacuum (freeze, analyze) public.customers');
}
