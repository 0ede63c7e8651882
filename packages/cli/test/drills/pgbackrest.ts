/** pgBackRest from the distribution: backups, the archive of the log, and recovery to a moment. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { giveTo, type Account } from '@clientele/sandbox/testing/cluster';
import type { Environment } from '../setup/executable.ts';
import { runProgram } from './libpq.ts';

const run = promisify(execFile);
const stanza = 'clientele';

export interface PgBackRest {
  /** Settings with which a cluster archives its log. */
  settings: Record<string, string>;
  /** Runs a command with the connection of the cluster that is backed up. */
  run(command: string, options: string[], env: Environment): Promise<string>;
}

/** The repository is a folder, as on a mounted volume. */
export async function setUpPgBackRest(
  folder: string,
  cluster: { dataDir: string; port: number; user: string },
  account: Account | undefined,
): Promise<PgBackRest> {
  await install();
  const home = join(folder, 'pgbackrest');
  const socket = join(folder, 'socket');
  for (const each of [home, socket]) await mkdir(each, { recursive: true });
  const config = join(home, 'pgbackrest.conf');
  await writeFile(
    config,
    `[global]
repo1-path=${home}/repository
repo1-retention-full=2
log-path=${home}/log
lock-path=${home}/lock
spool-path=${home}/spool
process-max=2
compress-type=lz4
start-fast=y
log-level-console=warn
log-level-file=off

[${stanza}]
pg1-path=${cluster.dataDir}
pg1-port=${cluster.port}
pg1-user=${cluster.user}
pg1-database=postgres
pg1-socket-path=${socket}
`,
  );
  if (account) for (const each of [home, socket]) await giveTo(account, each);
  const common = [`--config=${config}`, `--stanza=${stanza}`];
  return {
    settings: {
      archive_mode: 'on',
      archive_command: `pgbackrest ${common.join(' ')} archive-push %p`,
      unix_socket_directories: socket,
    },
    run: (command, options, env) =>
      runProgram('pgbackrest', [...common, ...options, command], {
        env,
        cwd: '/',
        ...(account && { uid: account.uid, gid: account.gid }),
      }),
  };
}

async function install(): Promise<void> {
  const isInstalled = () =>
    run('pgbackrest', ['version']).then(
      () => true,
      () => false,
    );
  if (await isInstalled()) return;
  if (process.getuid?.() !== 0) throw new Error('Install pgBackRest: apt-get install pgbackrest');
  // It has no service that could start.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], { env });
  await run('apt-get', ['install', '-qq', '-y', '--no-install-recommends', 'pgbackrest'], { env });
}
