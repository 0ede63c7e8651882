/**
 * Three versions of the program. There is no earlier release to take, so the program of this checkout, built as
 * it is published, stands for the older version. The next one is the same bundle with one more migration, which
 * needs a lock on the table and allows the older program; the one after it has a migration that does not allow it.
 * So the drill shows how processes, schema and balancer get along, not that two bodies of code do.
 */
import { execFile } from 'node:child_process';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startNode, type Environment, type Executable } from '../setup/executable.ts';

const cli = join(import.meta.dirname, '../..');

export interface Version {
  name: string;
  /** The last migration that it has. */
  migration: string;
  start(args: string[], env: Environment): Executable;
}

export interface Versions {
  older: Version;
  newer: Version;
  /** Its migration rules out both of the others. */
  incompatible: Version;
}

/** Builds the program and puts the versions into the folder. */
export async function makeVersions(folder: string): Promise<Versions> {
  await promisify(execFile)('pnpm', ['run', 'build'], { cwd: cli });
  const built = join(cli, 'dist');
  const migrations = (await readdir(join(built, 'migrations'))).toSorted();
  const last = migrations.at(-1)!;
  const { version } = JSON.parse(await readFile(join(built, 'package.json'), 'utf8')) as {
    version: string;
  };
  const number = (ahead: number): string => String(migrations.length + ahead).padStart(6, '0');
  const nickname = {
    name: `${number(1)}_nickname.sql`,
    sql: `-- oldest program: ${number(0)}\nalter table public.customers add column nickname text;\n`,
  };
  const noNickname = {
    name: `${number(2)}_no_nickname.sql`,
    sql: 'alter table public.customers drop column nickname;\n',
  };
  const make = async (name: string, ...added: { name: string; sql: string }[]) => {
    const home = join(folder, name);
    await cp(built, home, { recursive: true });
    for (const file of added) await writeFile(join(home, 'migrations', file.name), file.sql);
    const manifest = join(home, 'package.json');
    const text = await readFile(manifest, 'utf8');
    await writeFile(manifest, text.replace(`"${version}"`, `"${name}"`));
    return { name, migration: added.at(-1)?.name ?? last, start: starter(home) };
  };
  return {
    older: await make(version),
    newer: await make(`${version}-next`, nickname),
    incompatible: await make(`${version}-incompatible`, nickname, noNickname),
  };
}

const starter =
  (home: string) =>
  (args: string[], env: Environment): Executable =>
    startNode(['--max-semi-space-size=8', join(home, 'bin/clientele.cjs'), ...args], env);
