/**
 * The speed of `clientele import` and of a plain COPY of the same file into the same table with the same
 * indexes and triggers. Each writes to a new database of one private cluster.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { migrate, readMigrations } from '@clientele/directory';
import { databaseUrl, preferPostgres, startPrivatePostgres, withClient } from '@clientele/sandbox';
import { copyCsv, customersCsv } from '@clientele/sandbox/generator';
import type pg from 'pg';

export interface ImportRound {
  /** Rows per second: COPY, a first import, and an import into a directory that has a customer already. */
  bare: number;
  first: number;
  kept: number;
  /** `import --check` of the same file on an empty directory. */
  checked: number;
  /** Peak memory of the import, in megabytes. */
  peakMb: number;
}

export interface ImportSpeed {
  postgres: string;
  csvMb: number;
  rounds: ImportRound[];
}

export async function measureImportSpeed(
  customers: number,
  rounds: number,
  say: (line: string) => void,
): Promise<ImportSpeed> {
  return withImportBench(customers, say, async ({ url, file, postgres }) => {
    const results: ImportRound[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      say(`round ${round}: plain COPY`);
      const bare = await rowsPerSecond(url, customers, (database) => plainCopy(database, file));
      let peakMb = 0;
      const ours = async (database: string): Promise<void> => {
        peakMb = Math.max(peakMb, await clienteleImport(database, file));
      };
      say(`round ${round}: first import`);
      const first = await rowsPerSecond(url, customers, ours);
      say(`round ${round}: import into a directory with a customer`);
      const kept = await rowsPerSecond(url, customers, ours, oneCustomer, customers + 1);
      say(`round ${round}: import --check`);
      const check = async (database: string): Promise<void> => {
        await clienteleImport(database, file, ['--check']);
      };
      const checked = await rowsPerSecond(url, customers, check, '', 0);
      results.push({ bare, first, kept, checked, peakMb });
    }
    return { postgres, csvMb: (await stat(file)).size / 1e6, rounds: results };
  });
}

interface ImportBench {
  /** Of the cluster. */
  url: string;
  /** CSV with the customers. */
  file: string;
  folder: string;
  postgres: string;
}

export async function withImportBench<T>(
  customers: number,
  say: (line: string) => void,
  work: (bench: ImportBench) => Promise<T>,
): Promise<T> {
  const postgres = await preferPostgres(15);
  const folder = await mkdtemp('/var/tmp/clientele-bench-import-');
  try {
    const file = join(folder, 'customers.csv');
    say(`generating ${customers} customers`);
    await pipeline(customersCsv(1, 0, customers), createWriteStream(file));
    const cluster = await startPrivatePostgres({
      postgres,
      settings: {
        // Typical production settings: durable, and with enough memory for the indexes.
        fsync: true,
        full_page_writes: true,
        synchronous_commit: true,
        shared_buffers: customers > 2_000_000 ? '6GB' : '1GB',
        max_wal_size: '8GB',
      },
    });
    try {
      const version = `${postgres.version} (${postgres.source})`;
      return await work({ url: cluster.url, file, folder, postgres: version });
    } finally {
      await cluster.stop();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A first import would drop the index; with a customer there, it is kept up to date. */
export const oneCustomer = `insert into customers (full_name, email_address) values ('Ann', 'a@b.example')`;

/** Loads all customers into a new database, or none of them for a check. */
export async function rowsPerSecond(
  clusterUrl: string,
  customers: number,
  load: (url: string) => Promise<void>,
  prepare: string | ((owner: pg.Client) => Promise<void>) = '',
  expected = customers,
): Promise<number> {
  await withClient(clusterUrl, async (admin) => {
    await admin.query('drop database if exists bench');
    await admin.query('create database bench');
  });
  const url = databaseUrl(clusterUrl, 'bench');
  await withClient(url, async (owner) => {
    await migrate(owner, await readMigrations());
    await (typeof prepare === 'string' ? owner.query(prepare) : prepare(owner));
  });
  const started = performance.now();
  await load(url);
  const seconds = (performance.now() - started) / 1_000;
  const { rows } = await withClient(url, (client) =>
    client.query<{ count: number; indexed: boolean }>(
      `select count(*)::int as count, to_regclass('public.customers_search') is not null as indexed
       from customers`,
    ),
  );
  if (rows[0]!.count !== expected || !rows[0]!.indexed) {
    throw new Error(`expected ${expected} customers and an index: ${JSON.stringify(rows[0])}`);
  }
  return customers / seconds;
}

const plainCopy = (url: string, file: string): Promise<void> =>
  withClient(url, (client) => copyCsv(client, createReadStream(file, { highWaterMark: 262_144 })));

/** Returns the peak memory in megabytes. */
export async function clienteleImport(
  url: string,
  file: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<number> {
  const main = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, 'import', file, ...args], {
    env: { ...process.env, ...env, DATABASE_URL: url },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let peak = 0;
  const watch = setInterval(() => {
    readFile(`/proc/${child.pid}/status`, 'utf8').then(
      (status) => (peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? peak)),
      () => undefined,
    );
  }, 200);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(watch);
  if (code !== 0) throw new Error(`the import exited with code ${code}`);
  return peak / 1_024;
}
