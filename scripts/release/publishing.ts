/** What `npm publish` will do, on a registry on loopback. */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { startRegistry } from '../../packages/cli/scripts/loopback-registry.ts';
import { runWith } from './run.ts';

/** First `--dry-run`, which must send nothing, then in earnest. */
export async function rehearsePublishing(tarball: string): Promise<void> {
  await using registry = await startRegistry();
  const others = Object.entries(process.env).filter(([name]) => !/^p?npm_/i.test(name));
  const env = { ...Object.fromEntries(others), ...registry.env };
  const publish = (...options: string[]) =>
    runWith(env, dirname(tarball), 'npm', 'publish', tarball, '--tag', 'rehearsal', ...options);
  await publish('--dry-run');
  if (registry.tarballs.size > 0) throw new Error('npm publish --dry-run published');
  await publish();
  const [published] = registry.tarballs.values();
  if (!published?.equals(await readFile(tarball))) throw new Error(`${tarball} arrived changed`);
}
