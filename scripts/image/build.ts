/**
 * Builds the image from what `pnpm build` made. The same commit on the same base gives the same layers, and the
 * same bytes as an OCI image; the format of Docker also contains a random name of the build.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, run } from '../release/run.ts';
import { type Base, findOrMakeBase } from './base.ts';
import { hasImage, installPodman, podman } from './podman.ts';

export interface Image {
  name: string;
  version: string;
  base: Base;
}

/** The name of the image that `pnpm image` built. */
export async function currentImage(): Promise<string> {
  const manifest = await readFile(join(root, 'packages/cli/package.json'), 'utf8');
  const name = `localhost/clientele:${(JSON.parse(manifest) as { version: string }).version}`;
  if (!(await hasImage(name))) throw new Error('run this first: pnpm image');
  return name;
}

/** `folder` is the checkout whose build goes into the image. */
export async function buildImage(folder = root): Promise<Image> {
  installPodman();
  const dist = join(folder, 'packages/cli/dist');
  if (!existsSync(join(dist, 'lib/main.js'))) throw new Error('run this first: pnpm build');
  const manifest = await readFile(join(dist, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const base = await findOrMakeBase();
  const name = `localhost/clientele:${version}`;
  const containerfile = join(folder, 'deploy/container/Containerfile');
  const replaced = (await hasImage(name)) ? await idOf(name) : undefined;
  await podman(
    'build',
    ...['--pull=never', '--layers=false', '--quiet', '--file', containerfile],
    // The health check is not part of the OCI format.
    ...['--format', 'docker'],
    ...['--timestamp', (await run(folder, 'git', 'log', '-1', '--format=%ct')).trim()],
    ...['--build-arg', `BASE=${base.name}`, '--build-arg', `VERSION=${version}`],
    ...['--build-arg', `REVISION=${(await run(folder, 'git', 'rev-parse', 'HEAD')).trim()}`],
    ...['--tag', name, dist],
  );
  // The previous build has lost its name. It stays only while a container uses it.
  if (replaced !== undefined && replaced !== (await idOf(name))) {
    await podman('rmi', replaced).catch(() => undefined);
  }
  return { name, version, base };
}

const idOf = (name: string): Promise<string> =>
  podman('image', 'inspect', '--format', '{{.Id}}', name);
