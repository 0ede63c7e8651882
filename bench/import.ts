/**
 * Compares the speed of `clientele import` with a plain COPY of the same file into the same table with
 * the same indexes and triggers. Each writes to a new database of one private cluster.
 *
 *   pnpm bench:import [--customers 1000000] [--rounds 1]
 *
 * Prints the results as Markdown to standard output, and progress to standard error.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { migrate, readMigrations } from '@clientele/server';
import { databaseUrl, preferPostgres, startPrivatePostgres, withClient } from '@clientele/sandbox';
import { copyCsv, customersCsv } from '@clientele/sandbox/generator';

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '1' },
  },
});
const customers = Number(values.customers);
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const postgres = await preferPostgres(15);
const folder = await mkdtemp('/var/tmp/clientele-bench-import-');
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

/** The seconds that `load` takes to write all customers to a new database. */
async function secondsToLoad(load: (url: string) => Promise<void>): Promise<number> {
  await withClient(cluster.url, async (admin) => {
    await admin.query('drop database if exists bench');
    await admin.query('create database bench');
  });
  const url = databaseUrl(cluster.url, 'bench');
  await withClient(url, async (owner) => migrate(owner, await readMigrations()));
  const started = performance.now();
  await load(url);
  const seconds = (performance.now() - started) / 1_000;
  const { rows } = await withClient(url, (client) =>
    client.query<{ count: number }>('select count(*)::int as count from customers'),
  );
  if (rows[0]!.count !== customers) {
    throw new Error(`expected ${customers} customers, found ${rows[0]!.count}`);
  }
  return seconds;
}

const plainCopy = (url: string): Promise<void> =>
  withClient(url, (client) => copyCsv(client, createReadStream(file, { highWaterMark: 262_144 })));

const peaks: number[] = [];
async function clienteleImport(url: string): Promise<void> {
  const main = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, 'import', file], {
    env: { ...process.env, DATABASE_URL: url },
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
  peaks.push(peak / 1_024);
}

try {
  const load = loadavg().map((average) => average.toFixed(1));
  const { size } = await stat(file);
  print(`Node ${process.version}, PostgreSQL ${postgres.version} (${postgres.source}),`);
  print(
    `${customers} customers in ${(size / 1e6).toFixed(0)} MB of CSV, ${availableParallelism()} cores,`,
  );
  print(`load average before the run ${load.join(' ')}.\n`);
  print('| | plain COPY, rows/s | clientele import, rows/s | ratio | peak memory of the import |');
  print('| --- | --- | --- | --- | --- |');
  const perSecond = (seconds: number): string => (customers / seconds).toFixed(0);
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    say(`round ${round}: plain COPY`);
    const bare = await secondsToLoad(plainCopy);
    say(`round ${round}: clientele import`);
    const ours = await secondsToLoad(clienteleImport);
    const ratio = (bare / ours).toFixed(2);
    print(
      `| ${round} | ${perSecond(bare)} | ${perSecond(ours)} | ${ratio} | ${peaks.at(-1)!.toFixed(0)} MB |`,
    );
  }
} finally {
  await cluster.stop();
  await rm(folder, { recursive: true });
}
