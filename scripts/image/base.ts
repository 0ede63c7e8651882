/**
 * The base that the Containerfile names, if it is in Podman's storage. Otherwise a stand-in, made once: Debian
 * and the Node of this checkout, because no registry may be reachable. Releases use the named one.
 */
import { chmod, copyFile, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../release/run.ts';
import { install } from '../debian.ts';
import { command, hasImage, podman } from './podman.ts';

const containerfile = join(root, 'deploy/container/Containerfile');
const searchPath = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface Base {
  name: string;
  isStandIn: boolean;
}

export async function findOrMakeBase(): Promise<Base> {
  const named = await namedBase();
  if (await hasImage(named)) return { name: named, isStandIn: false };
  const standIn = `localhost/clientele-base:node-${process.versions.node}`;
  if (!(await hasImage(standIn))) {
    if (process.getuid?.() !== 0) throw new Error(`run this first: podman pull ${named}`);
    await makeStandIn(standIn);
  }
  return { name: standIn, isStandIn: true };
}

async function namedBase(): Promise<string> {
  const [, name] = /^ARG BASE=(\S+)$/m.exec(await readFile(containerfile, 'utf8')) ?? [];
  if (name === undefined) throw new Error(`${containerfile} names no base`);
  return name;
}

async function makeStandIn(name: string): Promise<void> {
  install('debootstrap');
  process.stdout.write(`image: making ${name} with debootstrap, which takes a minute\n`);
  const work = await mkdtemp(join(tmpdir(), 'clientele-base-'));
  try {
    const system = join(work, 'root');
    await command('debootstrap', '--variant=minbase', 'bookworm', system);
    await command('chroot', system, 'apt-get', 'clean');
    const node = join(system, 'usr/local/bin/node');
    await copyFile(await realpath(process.execPath), node);
    await chmod(node, 0o755);
    const archive = join(work, 'root.tar');
    await command('tar', '--numeric-owner', '-C', system, '-cf', archive, '.');
    await podman('import', '--quiet', '--change', `ENV ${searchPath}`, archive, name);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
