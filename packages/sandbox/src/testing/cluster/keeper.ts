/** Processes that end with this one, however it ends, and the temporary folder they work in. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from '../../private-postgres/unprivileged-account.ts';

export interface Kept {
  pid: number;
  /** Resolves when it has ended. */
  ended: Promise<void>;
}

export interface Keeper extends AsyncDisposable {
  folder: string;
  /** Starts a process that has this folder in its arguments. Its output is written to `NAME.log`. */
  start(name: string, command: string, args: string[], account?: Account): Promise<Kept>;
}

/** The folder is removed, and its processes end, when this process disposes of the keeper or ends. */
export async function startKeeper(): Promise<Keeper> {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-cluster-'));
  await chmod(folder, 0o711); // PostgreSQL may run as another user.
  // A new session, so that Ctrl-C in the terminal does not reach the processes before they are stopped.
  const shell = spawn('/bin/sh', ['-c', script, 'keeper', folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  });
  shell.stdin.on('error', () => undefined);
  const ended = once(shell, 'exit');
  unref(shell);
  (shell.stdin as unknown as { unref(): void }).unref();
  return {
    folder,
    async start(name, command, args, account) {
      const log = await open(join(folder, `${name}.log`), 'a', 0o600);
      const child = spawn(command, args, {
        ...(account && { uid: account.uid, gid: account.gid }),
        cwd: '/',
        env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', TZ: 'UTC' },
        stdio: ['ignore', log.fd, log.fd],
        detached: true,
      });
      await once(child, 'spawn');
      await log.close();
      const pidFile = join(folder, `${name}.pid`);
      await writeFile(pidFile, String(child.pid));
      unref(child);
      const ended = once(child, 'exit').then(() => rm(pidFile, { force: true }));
      return { pid: child.pid!, ended };
    },
    async [Symbol.asyncDispose]() {
      shell.ref();
      shell.stdin.end();
      await ended;
    },
  };
}

/** A running process does not keep this one alive. */
const unref = (child: ChildProcess): void => child.unref();

// The pipe ends however the parent ends. A process id is used only while its command line names the folder.
const script = `
folder=$1
trap '' HUP INT TERM
read -r _
ours() { tr '\\0' ' ' <"/proc/$1/cmdline" 2>/dev/null | grep -qF "$folder"; }
for file in "$folder"/*.pid; do
  pid=$(cat "$file" 2>/dev/null) && ours "$pid" && kill -s KILL "$pid"
done
servers=
for file in "$folder"/*/data/postmaster.pid; do
  pid=$(head -n 1 "$file" 2>/dev/null) && ours "$pid" && kill -s QUIT "$pid" && kill -s CONT "$pid" &&
    servers="$servers $pid"
done
for pid in $servers; do
  tries=100
  while ours "$pid" && [ $tries -gt 0 ]; do sleep 0.1; tries=$((tries - 1)); done
done
rm -rf "$folder" || { sleep 1; rm -rf "$folder"; }
`;
