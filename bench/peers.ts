/**
 * `pnpm bench:peers [--customers 1000000] [--times 20]`: the same lists by PostGraphile, on the same PostgreSQL. Each
 * search is new to the services when it is first requested. Prints a table.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { freePort, withClient } from '@clientele/sandbox';
import { startWithCustomers } from './customers-database.ts';
import { list, searchPath, totalOf } from './list-requests.ts';
import { startService } from './service.ts';
import { summarise } from './statistics.ts';

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '1000000' },
    times: { type: 'string', default: '20' },
  },
});
const customers = Number(values.customers);
const times = Number(values.times);
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);
const run = promisify(execFile);

/** What both are asked for, 25 customers each. */
interface Question {
  name: string;
  page: number;
  search?: string;
}

const lastPage = Math.floor(customers / 25);
const questions: Question[] = [
  { name: 'page 1', page: 1 },
  { name: `page ${lastPage.toLocaleString('en')}`, page: lastPage },
  { name: 'search for a frequent name', page: 1, search: 'maria' },
  { name: 'its page 100', page: 100, search: 'maria' },
  { name: 'search for a rare name', page: 1, search: 'maria schmidt' },
];

interface Peer {
  name: string;
  /** The total, after the rows were read. */
  ask(question: Question): Promise<number>;
  stop(): Promise<void>;
}

const folder = '/var/tmp/clientele-peers';
const packages = ['postgraphile@4.9.2', 'postgraphile-plugin-connection-filter@2.3.0'];

async function startPostGraphile(url: string): Promise<Peer> {
  await mkdir(folder, { recursive: true });
  await run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', ...packages]);
  const port = await freePort();
  const plugin = join(folder, 'node_modules/postgraphile-plugin-connection-filter');
  const program = join(folder, 'node_modules/postgraphile/cli.js');
  const options = ['--schema', 'public', '--disable-query-log', '--append-plugins', plugin];
  const child = spawn(process.execPath, [program, ...options, '--port', String(port)], {
    env: { ...process.env, DATABASE_URL: url, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const query = async (text: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: text }),
      signal: AbortSignal.timeout(300_000),
    });
  const isReady = () =>
    query('{ __typename }').then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error('PostGraphile did not start');
    await sleep(200);
  }
  return {
    name: 'PostGraphile',
    async ask({ page, search }) {
      const like = JSON.stringify({ includesInsensitive: search }).replaceAll(/"(\w+)":/g, '$1: ');
      const names = ['fullName', 'emailAddress', 'phoneNumber', 'companyName'];
      const filter = search
        ? `filter: { or: [${names.map((name) => `{ ${name}: ${like} }`).join()}] },`
        : '';
      const response = await query(`{
        allCustomers(${filter} orderBy: CREATED_AT_DESC, first: 25, offset: ${25 * (page - 1)}) {
          totalCount
          nodes { uuid fullName emailAddress phoneNumber companyName isVerified totalOrders lifetimeValueCents lastOrderAt createdAt }
        }
      }`);
      const text = await response.text();
      const { data } = JSON.parse(text) as { data?: { allCustomers: { totalCount: number } } };
      if (!response.ok || !data) throw new Error(`PostGraphile: ${text.slice(0, 500)}`);
      return data.allCustomers.totalCount;
    },
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

async function startClientele(url: string): Promise<Peer> {
  const service = await startService(url, { CLIENTELE_WARM_UP: 'off' });
  return {
    name: 'Clientele',
    async ask({ page, search }) {
      const path = search ? searchPath(search, page) : `${list}?page=${page}`;
      return totalOf((await service.getWithRetries(path)).body);
    },
    stop: () => service.stop(),
  };
}

async function time(peer: Peer, question: Question) {
  const all: number[] = [];
  let total = 0;
  for (let i = 0; i <= times; i += 1) {
    const start = performance.now();
    total = await peer.ask(question);
    all.push(performance.now() - start);
  }
  return { total, first: all[0]!, ...summarise(all.slice(1)) };
}

const database = await startWithCustomers(customers, say, { durable: true });
try {
  // PostGraphile orders by a column that our lists do not need an index of. Each reads tables of its own.
  await withClient(database.url, async (owner) => {
    // A table without columns, which marks the data as complete, has no GraphQL type.
    await owner.query('drop table public.bench_complete');
    await owner.query('create index peers_created on public.customers (created_at desc)');
    await owner.query('analyze public.customers');
  });
  const peers = [await startClientele(database.url), await startPostGraphile(database.url)];
  const lines = [
    `| ${customers.toLocaleString('en')} customers, ms | ${peers.map(({ name }) => `${name}: first | p50 | p95`).join(' | ')} |`,
  ];
  lines.push(`| --- |${' ---: |'.repeat(3 * peers.length)}`);
  try {
    for (const question of questions) {
      const cells: string[] = [];
      for (const peer of peers) {
        const { first, p50, p95, total } = await time(peer, question);
        say(`${peer.name}, ${question.name}: ${total} found`);
        cells.push(...[first, p50, p95].map((ms) => ms.toFixed(ms < 10 ? 1 : 0)));
      }
      lines.push(`| ${question.name} | ${cells.join(' | ')} |`);
    }
  } finally {
    for (const peer of peers) await peer.stop();
  }
  process.stdout.write(`${lines.join('\n')}\n`);
} finally {
  await database.stop();
}
