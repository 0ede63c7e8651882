/** The package that `pnpm build` made, in a registry on loopback, and an empty folder to use it in. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startRegistry } from '../../packages/cli/scripts/loopback-registry.ts';
import { npmEnvironment } from '../../packages/cli/scripts/npm-environment.ts';

export interface PublishedPackage extends AsyncDisposable {
  /** Empty. */
  folder: string;
  env: NodeJS.ProcessEnv;
}

export const builtPackage = (root: string): string => join(root, 'packages/cli/dist');

export async function publishPackage(root: string): Promise<PublishedPackage> {
  const registry = await startRegistry();
  const work = await mkdtemp(join(tmpdir(), 'clientele-tutorial-'));
  // PostgreSQL may run as another user.
  await chmod(work, 0o755);
  const folder = join(work, 'empty');
  await mkdir(folder);
  // The reader answers npm's question whether to install the package.
  const env = { ...(await npmEnvironment(registry, work)), npm_config_yes: 'true' };
  await promisify(execFile)('npm', ['publish', builtPackage(root)], { cwd: folder, env });
  return {
    folder,
    env,
    async [Symbol.asyncDispose]() {
      await registry[Symbol.asyncDispose]();
      await rm(work, { recursive: true, force: true });
    },
  };
}
