import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Account } from './unprivileged-account.ts';

export type StopMode = 'smart' | 'fast' | 'immediate';

export interface SupervisorOptions {
  binDir: string;
  dataDir: string;
  logFile: string;
  /** Removed at the end. Contains `clientele.conf`, and `clientele.password` for a new cluster. */
  scratch: string;
  /** How to stop the server if this process ends without calling `stop`. */
  stopMode: StopMode;
  /** The arguments of initdb. Empty if the cluster exists. */
  initdb: string[];
  account: Account | undefined;
}

/**
 * Starts a shell that creates and runs the cluster, and resolves when the cluster accepts connections.
 * The shell reads from a pipe. A line on it, or its end, makes the shell stop the server and clean up;
 * the pipe ends however this process dies.
 */
export async function startSupervisor(
  options: SupervisorOptions,
): Promise<{ pid: number; stop(mode: StopMode): Promise<void> }> {
  const { binDir, dataDir, logFile, scratch, stopMode, initdb, account } = options;
  const supervisor = spawn(
    '/bin/sh',
    [
      ...['-c', cleanEnvironment, 'clean-environment'],
      ...[script, 'supervisor', binDir, dataDir, logFile, scratch, stopMode, ...initdb],
    ],
    {
      ...(account && { uid: account.uid, gid: account.gid }),
      cwd: '/',
      // A new session, so that Ctrl-C in the terminal does not reach the server.
      detached: true,
    },
  );
  const exited = once(supervisor, 'exit');
  const errorOutput = text(supervisor.stderr);
  // A write fails if the supervisor has ended, which `exited` reports.
  supervisor.stdin.on('error', () => {});
  const ready = await Promise.race([once(supervisor.stdout, 'data'), exited.then(() => undefined)]);
  if (!ready) throw new Error(await errorOutput);
  // A running server does not keep this process alive. Each of the four is an event loop handle.
  for (const handle of [supervisor, supervisor.stdin, supervisor.stdout, supervisor.stderr]) {
    (handle as unknown as { unref(): void }).unref();
  }
  return {
    pid: Number.parseInt(String(ready[0]), 10),
    async stop(mode) {
      supervisor.ref();
      supervisor.stdin.end(`${mode}\n`);
      const [code] = (await exited) as [number | null];
      if (code !== 0) throw new Error(`PostgreSQL did not stop cleanly. ${await errorOutput}`);
    },
  };
}

// Keeps the PATH, but not the caller's PG* variables, locale and time zone.
const cleanEnvironment = 'exec env -i PATH="$PATH" LC_ALL=C TZ=UTC /bin/sh -c "$@"';

// A shell can only `wait` for its own child, so it starts `postgres` directly instead of `pg_ctl`. Like
// `pg_ctl`, it reads from postmaster.pid whether the server is ready.
const script = `
bin=$1 data=$2 log=$3 scratch=$4 mode=$5 pid=
shift 5
finish() {
  status=$?
  trap '' HUP INT TERM
  case $mode in smart) signal=TERM ;; fast) signal=INT ;; *) signal=QUIT ;; esac
  if [ "$pid" ]; then
    kill -s "$signal" "$pid"
    kill -s CONT "$pid"
    wait "$pid"
  fi 2>/dev/null
  rm -rf "$scratch" || { sleep 1; rm -rf "$scratch"; } || status=1
  exit "$status"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM
trap : PIPE
is_ready() {
  [ "$(sed -n '1p;8p' "$data/postmaster.pid" 2>/dev/null | tr -d ' \\n')" = "\${pid}ready" ]
}
if [ $# -gt 0 ]; then
  "$bin/initdb" "$@" >"$scratch/initdb.log" 2>&1 || { cat "$scratch/initdb.log" >&2; exit 1; }
  echo "include 'clientele.conf'" >>"$data/postgresql.conf"
  mv "$scratch/clientele.password" "$data/"
elif "$bin/pg_ctl" status -D "$data" >/dev/null; then
  echo "Another server is running in $data." >&2
  exit 1
fi
mv "$scratch/clientele.conf" "$data/"
"$bin/postgres" -D "$data" </dev/null >>"$log" 2>&1 &
pid=$!
until is_ready; do
  kill -s 0 "$pid" 2>/dev/null || { pid=; tail -n 20 "$log" >&2; exit 1; }
  sleep 0.05
done
echo "$pid"
read -r requested && mode=$requested
exit 0
`;
