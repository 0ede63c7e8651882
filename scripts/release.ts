/**
 * Makes a release; publishes nothing. `pnpm release prepare 1.2.3` sets the version everywhere and closes
 * the changelog. `pnpm release build` builds the commit that is checked out, twice, and writes to `release/`
 * what is published. What comes before and after: docs/releasing.md.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findOrMakeBase } from './image/base.ts';
import { hasPodman } from './image/podman.ts';
import { prepareRelease } from './release/prepare.ts';
import { rehearsePublishing } from './release/publishing.ts';
import { buildTwice } from './release/reproducible.ts';
import { root, run } from './release/run.ts';

const say = (line: string): void => void process.stdout.write(`release: ${line}\n`);
const target = join(root, 'release');

async function build(): Promise<void> {
  const changes = await run(root, 'git', 'status', '--porcelain');
  if (changes !== '') throw new Error(`commit or remove these changes first:\n${changes}`);
  await warnIfUnprepared();
  const commit = (await run(root, 'git', 'rev-parse', 'HEAD')).trim();
  say(`building ${commit} twice, in folders of different names`);
  const artifacts = await buildTwice(commit);
  say('both builds are the same, byte by byte');

  await rm(target, { recursive: true, force: true });
  await mkdir(target);
  const sums: string[] = [];
  for (const [name, content] of artifacts) {
    await mkdir(dirname(join(target, name)), { recursive: true });
    await writeFile(join(target, name), content);
    sums.push(`${createHash('sha256').update(content).digest('hex')}  ${name}\n`);
    say(`${name}: ${content.length} bytes`);
  }
  await writeFile(join(target, 'SHA256SUMS'), sums.join(''));

  for (const name of artifacts.keys()) {
    if (!name.endsWith('.tgz')) continue;
    await rehearsePublishing(join(target, name));
    say(`${name}: a registry on loopback accepts it and returns the same bytes`);
  }
  await explainImage();
  say('release/ is complete; nothing was published');
}

async function explainImage(): Promise<void> {
  if (!hasPodman()) say('there is no image, because Podman is not installed; see: pnpm image');
  else if ((await findOrMakeBase()).isStandIn) {
    say('the image is for rehearsals: its base is a stand-in, because the real one was not pulled');
  }
}

async function warnIfUnprepared(): Promise<void> {
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
  const { version } = JSON.parse(
    await readFile(join(root, 'packages/cli/package.json'), 'utf8'),
  ) as { version: string };
  if (!changelog.includes(`\n## [${version}]`)) {
    say(`${version} is not in the changelog, so this is a rehearsal; see: pnpm release prepare`);
  }
}

const [command, version] = process.argv.slice(2);
if (command === 'prepare' && version !== undefined) {
  await prepareRelease(version);
  say(`the version is ${version}: review the changes, commit them, then run: pnpm release build`);
} else if (command === 'build') {
  await build();
} else {
  throw new Error('Usage: pnpm release prepare VERSION | pnpm release build');
}
