/** Podman: installed from Debian if it is missing, and set up so that it also runs inside a container. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { has, install, path } from '../debian.ts';
import { root, runWith } from '../release/run.ts';

export const hasPodman = (): boolean => has('podman');

/** A Podman that is there is assumed to be complete. */
export function installPodman(): void {
  if (!hasPodman()) install('podman', 'runc', 'catatonit', 'netavark', 'aardvark-dns', 'iptables');
}

/** Runs Podman and returns what it wrote. If it fails, the error contains its output. */
export const podman = (...args: string[]): Promise<string> => command('podman', ...args);

/** Runs a command with the settings of Podman. */
export async function command(name: string, ...args: string[]): Promise<string> {
  return (await runWith(podmanEnvironment(), root, name, ...args)).trim();
}

export const hasImage = (name: string): Promise<boolean> =>
  podman('image', 'exists', name).then(
    () => true,
    () => false,
  );

let environment: NodeJS.ProcessEnv | undefined;

/** Podman asks for a million open files, which a restricted machine refuses. */
export function podmanEnvironment(): NodeJS.ProcessEnv {
  environment ??= { ...process.env, PATH: path, ...restricted() };
  return environment;
}

function restricted(): NodeJS.ProcessEnv {
  const limit = execFileSync('bash', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim();
  if (limit === 'unlimited' || Number(limit) >= 1_048_576 || process.env['CONTAINERS_CONF']) {
    return {};
  }
  const folder = mkdtempSync(join(tmpdir(), 'clientele-podman-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'containers.conf');
  const ulimits = '["nofile=1024:1024", "nproc=4096:4096"]';
  // The other runtime of Debian, crun, needs version 2 of the kernel's control groups.
  writeFileSync(file, `[containers]\ndefault_ulimits = ${ulimits}\n[engine]\nruntime = "runc"\n`);
  return { CONTAINERS_CONF: file };
}
