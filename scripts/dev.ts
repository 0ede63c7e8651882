/**
 * `pnpm dev`: everything in one command. A private PostgreSQL, customers, a key, and the server, which
 * starts again when a file is saved. What is kept between runs is in `.dev/`; Ctrl-C stops everything.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { scopes } from '../packages/contract/src/index.ts';
import { withDatabase } from '../packages/cli/src/database.ts';
import { copyCustomers } from '../packages/cli/src/generator/copy-customers.ts';
import {
  insertKey,
  listKeys,
  makeAccessKey,
  migrate,
  MigrationError,
  readMigrations,
} from '../packages/server/src/index.ts';
import {
  findPostgres,
  startPrivatePostgres,
  type PrivatePostgres,
} from '../packages/server/src/private-postgres/private-postgres.ts';

type Client = Parameters<Parameters<typeof withDatabase>[0]>[0];

const home = resolve('.dev');
const keyFile = join(home, 'key');
const executable = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));
const say = (words: string): void => void process.stderr.write(`${words}\n`);

let cluster: PrivatePostgres | undefined;
let server: ChildProcess | undefined;

let stopping = false;

/** However far we have come. */
async function stop(code: number): Promise<never> {
  stopping = true;
  if (server && server.exitCode === null && server.signalCode === null) {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
  await cluster?.stop();
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void stop(0));
}

try {
  await start();
} catch (error) {
  if (!stopping) {
    say((error as Error).message);
    if (error instanceof MigrationError) say('To begin anew with another database: rm -r .dev');
    await stop(1);
  }
}

async function start(): Promise<void> {
  await mkdir(home, { recursive: true });
  const port = await choosePort();
  const dataDir = await dataFolder();
  cluster = await startPrivatePostgres({ postgres: await choosePostgres(dataDir), dataDir });
  process.env['DATABASE_URL'] = cluster.url;
  await withDatabase(async (client) => {
    await migrate(client, await readMigrations());
    await addCustomers(client);
    await addKey(client);
  });
  // A reload does not wait for requests; stopping does.
  const options = ['--watch', '--watch-preserve-output', '--watch-kill-signal=SIGKILL'];
  server = spawn(process.execPath, [...options, executable, 'serve'], {
    env: { NODE_COMPILE_CACHE: join(home, 'compiled'), ...process.env, PORT: String(port) },
    stdio: ['ignore', process.stderr, process.stderr],
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) await sleep(50);
  process.stdout.write(`
Clientele answers at ${url} and explains itself at ${url}/docs. Try:

  curl "${url}/v3/customers?search=muller" -H "Authorization: Bearer $(cat '${keyFile}')"

It starts again when you save a file. Ctrl-C stops everything.

`);
}

/** The version that made the data, else the first found. */
async function choosePostgres(dataDir: string) {
  const found = await findPostgres();
  const madeBy = await readFile(join(dataDir, 'PG_VERSION'), 'utf8').catch(() => undefined);
  const postgres = found.find(({ major }) => major === Number(madeBy)) ?? found[0];
  if (!postgres) throw new Error('There is no PostgreSQL on this machine. Run: scripts/bootstrap');
  return postgres;
}

/**
 * Started by root, PostgreSQL runs as another account. Where that one may not enter, the data lies
 * elsewhere and `.dev/postgres` is a link.
 */
async function dataFolder(): Promise<string> {
  const folder = join(home, 'postgres');
  if (!existsSync(folder) && process.getuid?.() === 0 && !(await isOpenToAll(home))) {
    await rm(folder, { force: true }); // A link that leads nowhere.
    await symlink(await mkdtemp('/var/tmp/clientele-dev-'), folder);
  }
  return realpath(folder).catch(() => folder);
}

async function isOpenToAll(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  if ((mode & 0o001) === 0) return false;
  return folder === '/' || isOpenToAll(dirname(folder));
}

async function addCustomers(client: Client): Promise<void> {
  const { rows } = await client.query<{ empty: boolean }>(
    'select not exists (select from customers) as empty',
  );
  if (!rows[0]?.empty) return;
  say('Making 10,000 customers.');
  await copyCustomers(client, 1, 10_000);
  await client.query('analyze customers');
}

/** Keeps the key of the last run, unless the database does not know it. */
async function addKey(client: Client): Promise<void> {
  const kept = await readFile(keyFile, 'utf8').catch(() => '');
  const known = await listKeys(client);
  if (known.some(({ id, revoked_at }) => kept.startsWith(`ck_${id}_`) && !revoked_at)) return;
  const key = makeAccessKey();
  await insertKey(client, key, 'pnpm dev', scopes);
  await rm(keyFile, { force: true });
  await writeFile(keyFile, `${key.key}\n`, { mode: 0o600 });
}

/** PORT, else 8080, else any: the watcher would not tell a failure to listen from one to compile. */
async function choosePort(): Promise<number> {
  const wanted = process.env['PORT'];
  const port = await tryPort(Number(wanted ?? 8080));
  if (port !== undefined) return port;
  if (wanted !== undefined) throw new Error(`Port ${wanted} is taken. Choose another with PORT.`);
  say('Port 8080 is taken; another one will do.');
  return (await tryPort(0))!;
}

async function tryPort(port: number): Promise<number | undefined> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return undefined;
  }
  const { port: free } = probe.address() as AddressInfo;
  probe.close();
  return free;
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
