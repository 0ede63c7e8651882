/** A private PostgreSQL with a given number of customers, the same ones in every run. */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, readMigrations } from '@clientele/directory';
import { preferPostgres, startPrivatePostgres, withClient } from '@clientele/sandbox';
import pg from 'pg';
import { customerAt, copyCustomers } from '@clientele/sandbox/generator';

export interface CustomersDatabase {
  /** The owner's connection URL. */
  url: string;
  version: string;
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Commits a transaction, so that the next response cannot come from a cache. */
  commit(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Uses PostgreSQL 15 if it is installed, else the first one found. The data is kept for later runs. With `reuse`, the
 * caller works on it and leaves it as it was; otherwise on a copy, which it may change.
 */
export async function startWithCustomers(
  rows: number,
  say: (line: string) => void,
  { reuse = false, durable = false } = {},
): Promise<CustomersDatabase> {
  const postgres = await preferPostgres(15);
  const kept = await keptFolder(rows, postgres.major);
  if (!reuse) {
    await (await startWithCustomers(rows, say, { reuse: true })).stop();
    say('copying them');
  } else {
    say(`PostgreSQL ${postgres.version} (${postgres.source})`);
  }
  const cluster = await startPrivatePostgres({
    postgres,
    ...(reuse ? { dataDir: kept } : { copyOf: kept }),
    settings: {
      shared_buffers: rows > 2_000_000 ? '6GB' : '1GB',
      maintenance_work_mem: rows > 2_000_000 ? '2GB' : '512MB',
      // The data can be generated again, so durability is not needed, unless its cost is measured.
      fsync: durable,
      full_page_writes: durable,
      synchronous_commit: durable,
      max_wal_size: '8GB',
      // A worker that starts during a measurement would add noise.
      autovacuum: false,
    },
  });
  const client = new pg.Client({ connectionString: cluster.url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    // Written last: without it, an earlier run was interrupted and may have left no indexes or triggers.
    const { rows: done } = await client.query(
      `select from pg_tables where tablename = 'bench_complete'`,
    );
    if (done.length === 0) {
      await client.query('drop table if exists public.customers cascade');
      await client.query('drop schema if exists clientele cascade');
    }
    await migrate(client, await readMigrations());
    if (done.length === 0) {
      say(`generating ${rows} customers`);
      await fill(cluster.url, client, rows);
      await client.query('create table public.bench_complete ()');
    } else {
      say(`reusing ${rows} customers`);
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

/** The name depends on the migrations and the generator, so that a change to either makes new data. */
async function keptFolder(rows: number, major: number): Promise<string> {
  const hash = createHash('sha256');
  for (const { checksum } of await readMigrations()) hash.update(checksum);
  for (const i of [0, 1, 12_345]) hash.update(JSON.stringify(customerAt(1, i)));
  const fingerprint = hash.digest('hex').slice(0, 12);
  // Outside the checkout, which PostgreSQL's account may not be able to enter.
  const parent = join(process.platform === 'linux' ? '/var/tmp' : tmpdir(), 'clientele-bench');
  await mkdir(parent, { recursive: true });
  return join(parent, `${rows}-${major}-${fingerprint}`);
}

/** Builds the indexes at the end, which is much faster than maintaining them for each row. */
async function fill(url: string, client: pg.Client, rows: number): Promise<void> {
  const { rows: indexes } = await client.query<{ sql: string }>(
    `select pg_get_indexdef(i) as sql
     from unnest('{public.customers_search,public.customers_by_place}'::regclass[]) as i`,
  );
  // As migrated: some fire always, some only where changes are replicated.
  const { rows: triggers } = await client.query<{ name: string; mode: string }>(
    `select quote_ident(tgname) as name,
       case tgenabled when 'A' then 'always' when 'R' then 'replica' else '' end as mode
     from pg_trigger where tgrelid = 'public.customers'::regclass and not tgisinternal`,
  );
  await client.query('drop index public.customers_search, public.customers_by_place');
  await client.query('alter table public.customers disable trigger user');
  const halves = [0, Math.floor(rows / 2), rows];
  await Promise.all(
    [0, 1].map(async (half) => {
      const from = halves[half]!;
      await withClient(url, (writer) => copyCustomers(writer, 1, halves[half + 1]! - from, from));
    }),
  );
  await Promise.all(indexes.map(({ sql }) => withClient(url, (builder) => builder.query(sql))));
  for (const { name, mode } of triggers) {
    await client.query(`alter table public.customers enable ${mode} trigger ${name}`);
  }
  await client.query('vacuum (freeze, analyze) public.customers');
}
