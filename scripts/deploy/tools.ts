/** Programs of Debian that the checks need. */
import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

const path = `${process.env['PATH']}:/usr/sbin:/sbin`;

export const has = (program: string): boolean =>
  path.split(':').some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** Installs the packages of missing programs, without starting a service. */
export function install(packageOf: Record<string, string>): void {
  const names = Object.keys(packageOf).filter((program) => !has(program));
  if (names.length === 0) return;
  const packages = names.map((program) => packageOf[program]!);
  if (process.getuid?.() !== 0 || !has('apt-get')) {
    throw new Error(`install these first, or run as root on Debian: ${packages.join(' ')}`);
  }
  process.stdout.write(`installing ${packages.join(' ')}\n`);
  const commands = `
    policy=/usr/sbin/policy-rc.d
    if [ ! -e $policy ]; then
      trap 'rm -f $policy' EXIT
      printf '#!/bin/sh\\nexit 101\\n' >$policy
      chmod 755 $policy
    fi
    apt-get update -qq
    apt-get install -qq -y --no-install-recommends "$@" >&2`;
  execFileSync('bash', ['-euc', commands, 'install', ...packages], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

export function report(line: string): void {
  process.stdout.write(`✓ ${line}\n`);
}
