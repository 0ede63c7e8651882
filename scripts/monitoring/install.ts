/** Prometheus and Alertmanager, installed from the distribution if they are missing. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const packages = [
  { name: 'prometheus', programs: ['prometheus', 'promtool'] },
  { name: 'prometheus-alertmanager', programs: ['prometheus-alertmanager'] },
];

const isInstalled = (program: string): boolean =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

export async function installMonitoring(): Promise<void> {
  const missing = packages
    .filter(({ programs }) => !programs.every(isInstalled))
    .map(({ name }) => name);
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) {
    throw new Error(`not installed: ${missing.join(', ')}`);
  }
  // Their services must not start, nor at the next boot.
  const policy = '/usr/sbin/policy-rc.d';
  const isOurs = !existsSync(policy);
  if (isOurs) await writeFile(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await run('apt-get', ['update', '-qq'], { env });
    await run('apt-get', ['install', '-qq', '-y', '--no-install-recommends', ...missing], { env });
    spawnSync('systemctl', ['--quiet', 'disable', ...missing], { stdio: 'ignore' });
  } finally {
    if (isOurs) await rm(policy);
  }
}
