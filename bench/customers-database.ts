/** A private PostgreSQL with as many customers as asked for, the same ones on every run. */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, readMigrations } from '@clientele/server';
import { findPostgres, startPrivatePostgres } from '@clientele/sandbox';
import pg from 'pg';
import { customerAt, copyCustomers } from '@clientele/sandbox/generator';

export interface CustomersDatabase {
  /** The owner's URL. */
  url: string;
  version: string;
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Commits something, so that no answer may be one that was given before. */
  commit(): Promise<void>;
  stop(): Promise<void>;
}

/** Debian's PostgreSQL 15 where there is one, else whatever is found first. */
export async function startWithCustomers(
  rows: number,
  say: (line: string) => void,
  { reuse = false } = {},
): Promise<CustomersDatabase> {
  const found = await findPostgres();
  const postgres = found.find(({ major }) => major === 15) ?? found[0];
  if (!postgres) throw new Error('No PostgreSQL on this machine: apt-get install postgresql-15');
  say(`PostgreSQL ${postgres.version} (${postgres.source})`);
  const dataDir = reuse ? await keptFolder(rows, postgres.major) : undefined;
  const cluster = await startPrivatePostgres({
    postgres,
    dataDir,
    settings: {
      shared_buffers: rows > 2_000_000 ? '6GB' : '1GB',
      maintenance_work_mem: rows > 2_000_000 ? '2GB' : '512MB',
      // The data set can be made again, so nothing is lost by not waiting for the disk.
      fsync: false,
      full_page_writes: false,
      synchronous_commit: false,
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
    // Written last, so that a data set that was cut off is made again.
    const { rows: done } = await client.query(
      `select from pg_tables where tablename = 'bench_complete'`,
    );
    if (done.length === 0) {
      say(`making ${rows} customers`);
      await client.query('truncate public.customers');
      await fill(cluster.url, client, rows);
      await client.query('create table public.bench_complete ()');
    } else {
      say(`${rows} customers, made before`);
    }
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
    async commit() {
      await client.query('select pg_current_xact_id()');
    },
    async stop() {
      await client.end();
      await cluster.stop();
    },
  };
}

/** Named after what makes the data set, so that a change of any of it makes another one. */
async function keptFolder(rows: number, major: number): Promise<string> {
  const hash = createHash('sha256');
  for (const { checksum } of await readMigrations()) hash.update(checksum);
  for (const i of [0, 1, 12_345]) hash.update(JSON.stringify(customerAt(1, i)));
  const fingerprint = hash.digest('hex').slice(0, 12);
  // Outside the checkout, which the account that PostgreSQL runs as may not be able to enter.
  const parent = join(process.platform === 'linux' ? '/var/tmp' : tmpdir(), 'clientele-bench');
  await mkdir(parent, { recursive: true });
  return join(parent, `${rows}-${major}-${fingerprint}`);
}

/** Indexes are built once at the end, in a fraction of the time of keeping them up row by row. */
async function fill(url: string, client: pg.Client, rows: number): Promise<void> {
  const { rows: indexes } = await client.query<{ sql: string }>(
    `select pg_get_indexdef(i) as sql
     from unnest('{public.customers_search,public.customers_by_place}'::regclass[]) as i`,
  );
  await client.query('drop index public.customers_search, public.customers_by_place');
  await client.query('alter table public.customers disable trigger user');
  const halves = [0, Math.floor(rows / 2), rows];
  await Promise.all(
    [0, 1].map(async (half) => {
      const writer = new pg.Client({ connectionString: url });
      await writer.connect();
      const from = halves[half]!;
      await copyCustomers(writer, 1, halves[half + 1]! - from, from);
      await writer.end();
    }),
  );
  for (const { sql } of indexes) await client.query(sql);
  for (const trigger of ['log_inserts', 'log_deletes', 'log_updates', 'log_truncate']) {
    await client.query(`alter table public.customers enable always trigger ${trigger}`);
  }
  await client.query('vacuum (freeze, analyze) public.customers');
}
