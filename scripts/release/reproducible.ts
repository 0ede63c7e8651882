/** Builds a commit twice from nothing but git and the package registry, and compares the results. */
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { buildImage } from '../image/build.ts';
import { hasPodman, podman } from '../image/podman.ts';
import { root, run } from './run.ts';

/** The files of a release by name. Throws if the builds differ. */
export async function buildTwice(commit: string): Promise<Map<string, Buffer>> {
  const work = await mkdtemp(join(tmpdir(), 'clientele-release-'));
  try {
    // A path of the build machine that gets into a file makes the two differ.
    const first = await buildIn(join(work, 'a'), commit);
    const second = await buildIn(join(work, 'another-folder'), commit);
    for (const [name, content] of first) {
      if (!second.get(name)?.equals(content)) throw new Error(`the two builds of ${name} differ`);
    }
    return first;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function buildIn(folder: string, commit: string): Promise<Map<string, Buffer>> {
  await run(root, 'git', 'clone', '--quiet', '--no-checkout', root, folder);
  await run(folder, 'git', 'checkout', '--quiet', '--detach', commit);
  await run(folder, 'pnpm', 'install', '--frozen-lockfile', '--prefer-offline');
  await run(folder, 'pnpm', 'build');
  const packed = join(folder, 'release');
  await mkdir(packed);
  const executable = join(folder, 'packages/cli/dist');
  await run(executable, 'npm', 'pack', '--pack-destination', packed);
  await run(join(folder, 'packages/client'), 'pnpm', 'pack', '--pack-destination', packed);
  const tarballs = (await readdir(packed)).toSorted();
  const files = new Map<string, Buffer>();
  for (const name of tarballs) files.set(name, await readFile(join(packed, name)));
  files.set('sbom.cdx.json', await readFile(join(executable, 'sbom.cdx.json')));
  files.set('openapi.json', Buffer.from(await openapi(folder)));
  if (hasPodman()) await addImage(files, folder);
  return files;
}

/** As an OCI layout. Its index contains the digest of everything else. */
async function addImage(files: Map<string, Buffer>, folder: string): Promise<void> {
  const { name, version } = await buildImage(folder);
  const layout = join(folder, 'release-image');
  await podman('push', '--quiet', name, `oci:${layout}:${version}`);
  const paths = (await readdir(layout, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(layout, join(entry.parentPath, entry.name)));
  for (const path of paths.toSorted()) {
    files.set(join('image', path), await readFile(join(layout, path)));
  }
}

/** The API of this release, with which the next one is compared. */
function openapi(folder: string): Promise<string> {
  const program = `
    import { openapiDocument } from '@clientele/contract/openapi';
    import { version } from '@clientele/directory';
    console.log(JSON.stringify(openapiDocument(version), null, 2));`;
  return run(folder, 'pnpm', 'exec', 'node', '--input-type=module', '--eval', program);
}
