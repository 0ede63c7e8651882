/** Programs that checks need beyond `scripts/bootstrap`, from the packages of Debian. */
import { execFileSync } from 'node:child_process';
import { accessSync, constants, readSync } from 'node:fs';
import { join } from 'node:path';

/** Where programs of Debian are, also those for administrators and for Podman. */
export const path = `${process.env['PATH']}:/usr/sbin:/sbin`;
const folders = [...path.split(':'), '/usr/lib/podman', '/usr/libexec/podman'];

/** The packages of programs that are named differently. */
const packages: Record<string, string> = {
  kubectl: 'kubernetes-client',
  nft: 'nftables',
  promtool: 'prometheus',
  'systemd-analyze': 'systemd',
  varnishd: 'varnish',
};

export const has = (program: string): boolean =>
  folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** Whether packages may be installed: where CI is set, or if the person at the terminal says so. */
export function agreed(
  names: readonly string[],
  at: { ci: string | undefined; isTerminal: boolean; ask: (question: string) => string },
): boolean {
  if (at.ci) return true;
  if (!at.isTerminal) return false;
  const question = `This check installs packages of Debian, as root: ${names.join(' ')}. Go on? [y/N] `;
  return /^y(es)?\s*$/i.test(at.ask(question));
}

function ask(question: string): string {
  process.stdout.write(question);
  const answer = Buffer.alloc(16);
  return answer.toString('utf8', 0, readSync(process.stdin.fd, answer));
}

/** Installs the packages of missing programs, if that is agreed. Their services start neither now nor at the next boot. */
export function install(...programs: string[]): void {
  const missing = programs.filter((program) => !has(program));
  if (missing.length === 0) return;
  const names = [...new Set(missing.map((program) => packages[program] ?? program))];
  if (process.getuid?.() !== 0 || !has('apt-get')) {
    throw new Error(`install these first, or run as root on Debian: ${names.join(' ')}`);
  }
  if (!agreed(names, { ci: process.env['CI'], isTerminal: process.stdin.isTTY, ask })) {
    throw new Error(
      `nothing was installed. Install these yourself, or set CI=true: apt-get install ${names.join(' ')}`,
    );
  }
  process.stdout.write(`installing ${names.join(' ')}\n`);
  const commands = `
    policy=/usr/sbin/policy-rc.d
    if [ ! -e $policy ]; then
      trap 'rm -f $policy' EXIT
      printf '#!/bin/sh\\nexit 101\\n' >$policy
      chmod 755 $policy
    fi
    apt-get update -qq
    apt-get install -qq -y --no-install-recommends "$@" >&2
    if command -v systemctl >/dev/null; then
      for name in "$@"; do systemctl --quiet disable "$name" 2>/dev/null || true; done
    fi`;
  execFileSync('bash', ['-euc', commands, 'install', ...names], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
