/**
 * Compares this checkout with another one that is ready to run, such as a worktree of an earlier commit.
 *
 *   pnpm bench:against OTHER_CHECKOUT [--customers 200000] [--rounds 5] [--imports-only]
 *
 * Each imports the same file into databases of its own with its own program, and then serves them. The two
 * take turns of a second, because a shared machine is now and then slower for some: every ratio says how fast this
 * checkout is next to the other in the same turn; 2 is twice as fast.
 * It fails if the median of one is below 0.97, or that of imports below 0.9. CPU times of imports include PostgreSQL's.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import {
  databaseUrl,
  freePort,
  preferPostgres,
  startPrivatePostgres,
  waitUntilReady,
  withClient,
} from '@clientele/sandbox';
import { customersCsv } from '@clientele/sandbox/generator';
import { HttpClient } from './http-client.ts';
import { findLoad } from './http-load.ts';
import { searchPath } from './list-requests.ts';
import { cpuSecondsOf, cpuSecondsOfEnded } from './service.ts';
import { median, summarise } from './statistics.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    customers: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '5' },
    'imports-only': { type: 'boolean', default: false },
  },
});
if (positionals.length !== 1) throw new Error('name the other checkout');
const customers = Number(values.customers);
const rounds = Number(values.rounds);
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);
const run = promisify(execFile);

const checkouts = {
  ours: fileURLToPath(new URL('..', import.meta.url)),
  theirs: resolve(positionals[0]!),
};
type Side = keyof typeof checkouts;
const sides: Side[] = ['ours', 'theirs'];

const program = (side: Side): string[] => [
  '--max-semi-space-size=8',
  join(checkouts[side], 'packages/cli/src/main.ts'),
];

const environment = (url: string): NodeJS.ProcessEnv => ({
  ...process.env,
  DATABASE_URL: url,
  LOG_LEVEL: 'warn',
  CLIENTELE_RATE_READS: '0',
  CLIENTELE_RATE_SEARCHES: '0',
});

const command = (side: Side, url: string, ...args: string[]) =>
  run(process.execPath, [...program(side), ...args], { env: environment(url) });

const usedByEnded = async (): Promise<number> =>
  (await cpuSecondsOfEnded(process.pid)) + (await cpuSecondsOfEnded(cluster.pid));

/** Makes the side's database again with its own migrations, and measures an import. */
async function importInto(
  clusterUrl: string,
  side: Side,
  file: string,
): Promise<Record<string, Figure>> {
  await withClient(clusterUrl, async (admin) => {
    await admin.query(`drop database if exists ${side}`);
    await admin.query(`create database ${side}`);
  });
  const url = databaseUrl(clusterUrl, side);
  // Newer programs prepare sorting and masking in small directories, which older ones do not know.
  const { stdout: help } = await command(side, url, 'migrate', '--help');
  await command(side, url, 'migrate', ...(help.includes('--no-prepare') ? ['--no-prepare'] : []));
  const before = await usedByEnded();
  const start = performance.now();
  await command(side, url, 'import', file);
  const seconds = (performance.now() - start) / 1_000;
  return withClient(url, async (owner) => {
    // This session has not ended yet, and those of the import have.
    const used = (await usedByEnded()) - before;
    await owner.query('vacuum analyze customers');
    return {
      [imports]: { value: customers / seconds, better: 'more' },
      [importsCpu]: { value: used, better: 'less' },
    };
  });
}

/** Unlike startService(), it uses only settings and commands that older programs have too. */
async function serve(clusterUrl: string, side: Side) {
  const url = databaseUrl(clusterUrl, side);
  const { stdout } = await command(side, url, 'keys', 'create', '--name', 'bench');
  const key = /\S{40,}/.exec(stdout)![0];
  const port = await freePort();
  const spool = join(folder, `spool-${side}`);
  const child = spawn(process.execPath, [...program(side), 'serve'], {
    env: { ...environment(url), CLIENTELE_AUDIT_SPOOL: spool, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const origin = `http://127.0.0.1:${port}`;
  await waitUntilReady(origin, { isRunning: () => child.exitCode === null, timeoutMs: 30_000 });
  const headers = { authorization: `Bearer ${key}` };
  const client = new HttpClient(port, headers);
  return {
    origin,
    headers,
    cpuSeconds: () => cpuSecondsOf(child.pid!),
    milliseconds: async (path: string): Promise<number> => {
      const start = performance.now();
      const { status } = await client.get(path);
      if (status !== 200) throw new Error(`${side}: ${path} returned ${status}`);
      return performance.now() - start;
    },
    async stop() {
      client.close();
      child.kill('SIGTERM');
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

const ratios: Record<string, number[]> = {};
const imports = 'import, rows/s';
const importsCpu = 'import, CPU time in s';

interface Figure {
  value: number;
  better: 'more' | 'less';
}

/** Measures both sides, in the other order each time. */
async function compare(
  round: number,
  measure: (side: Side) => Promise<Record<string, Figure>>,
): Promise<void> {
  const found = {} as Record<Side, Record<string, Figure>>;
  for (const side of round % 2 ? sides : sides.toReversed()) found[side] = await measure(side);
  for (const [name, { value: ours, better }] of Object.entries(found.ours)) {
    const theirs = found.theirs[name]!.value;
    (ratios[name] ??= []).push(better === 'more' ? ours / theirs : theirs / ours);
    say(`${name}, round ${round}: ${ours.toFixed(3)} against ${theirs.toFixed(3)}`);
  }
}

type Serving = Awaited<ReturnType<typeof serve>>;
const { load } = await findLoad();
const page = '/v3/customers?page=1&perPage=25';
/** Of a second each. */
const turns = 6;
const searches = ['maria', 'muller', 'gmbh', '.com', 'anna'].map((text) => searchPath(text));
const pages = Array.from({ length: 1_000 }, (_, i) => `/v3/customers?page=${i + 1}&perPage=25`);

async function compareServices(round: number, services: Record<Side, Serving>): Promise<void> {
  // Now and then, so that requests find cached responses outdated, as they do while others write.
  const commit = (side: Side) =>
    withClient(databaseUrl(cluster.url, side), (client) =>
      client.query('select pg_current_xact_id()'),
    );
  await compare(round, async (side) => {
    const all: number[] = [];
    for (let i = 0; i < 500; i += 1) {
      if (i % 5 === 0) await commit(side);
      all.push(await services[side].milliseconds(page));
    }
    return { 'page 1, p50 in ms': { value: summarise(all).p50, better: 'less' } };
  });
  const customer = await someCustomer(services.ours);
  const subjects = { 'page 1': [page], '1,000 pages': pages, 'a lookup': [customer], searches };
  for (const [name, paths] of Object.entries(subjects)) {
    for (const side of sides) {
      for (const path of paths) await services[side].milliseconds(path);
    }
    for (let turn = 1; turn <= turns; turn += 1) {
      await compare(turn, (side) => loadFor(1, services[side], name, paths));
    }
  }
}

async function loadFor(seconds: number, service: Serving, name: string, paths: string[]) {
  const { origin, headers, cpuSeconds } = service;
  const before = await cpuSeconds();
  const seen = await load({ origin, headers, paths, connections: 8, seconds });
  if (seen.failed > 0) throw new Error(`${origin}: ${seen.failed} requests failed`);
  const cpuMs = (1_000 * ((await cpuSeconds()) - before)) / (seen.perSecond * seconds);
  return {
    [`${name}, requests/s`]: { value: seen.perSecond, better: 'more' },
    [`${name}, CPU time of a request in ms`]: { value: cpuMs, better: 'less' },
  } as const;
}

/** Both sides have the same customers. */
async function someCustomer({ origin, headers }: Serving): Promise<string> {
  const response = await fetch(origin + page, { headers });
  const { data } = (await response.json()) as { data: { uuid: string }[] };
  return `/v3/customers/${data[0]!.uuid}`;
}

const folder = await mkdtemp('/var/tmp/clientele-bench-against-');
const cluster = await startPrivatePostgres({
  postgres: await preferPostgres(15),
  settings: { shared_buffers: '1GB', max_wal_size: '8GB', autovacuum: false },
});
try {
  const file = join(folder, 'customers.csv');
  await pipeline(customersCsv(1, 0, customers), createWriteStream(file));
  for (let round = 1; round <= rounds; round += 1) {
    await compare(round, (side) => importInto(cluster.url, side, file));
  }
  for (let round = 1; round <= rounds && !values['imports-only']; round += 1) {
    // Again each time: two processes of the same program may differ for as long as they run.
    const ours = await serve(cluster.url, 'ours');
    const theirs = await serve(cluster.url, 'theirs');
    try {
      await compareServices(round, { ours, theirs });
    } finally {
      await ours.stop();
      await theirs.stop();
    }
  }
  process.stdout.write('| Speed next to the other checkout | median | lowest | highest | |\n');
  process.stdout.write('| --- | ---: | ---: | ---: | --- |\n');
  for (const [name, all] of Object.entries(ratios)) {
    const { min, max } = summarise(all);
    const cells = [median(all), min, max].map((ratio) => ratio.toFixed(2));
    const isSlower = median(all) < (name === imports || name === importsCpu ? 0.9 : 0.97);
    if (isSlower) process.exitCode = 1;
    process.stdout.write(`| ${name} | ${cells.join(' | ')} | ${isSlower ? 'slower' : ''} |\n`);
  }
} finally {
  await cluster.stop();
  await rm(folder, { recursive: true });
}
