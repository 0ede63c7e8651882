import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Account } from './unprivileged-account.ts';

export type StopMode = 'smart' | 'fast' | 'immediate';

export interface KeeperOptions {
  binDir: string;
  dataDir: string;
  logFile: string;
  /** Removed at the end. Holds `clientele.conf`, and `clientele.password` for a new cluster. */
  scratch: string;
  /** How to stop when this process ends without a word. */
  stopMode: StopMode;
  /** Arguments of initdb; none when the cluster exists. */
  initdb: string[];
  account: Account | undefined;
}

/**
 * Starts a shell that makes and runs the cluster, and resolves once it accepts connections. The
 * shell waits on a pipe from this process: a word on it or its end, which no death of this process
 * can prevent, makes it stop the server and clean up.
 */
export async function startKeeper(
  options: KeeperOptions,
): Promise<{ pid: number; stop(mode: StopMode): Promise<void> }> {
  const { binDir, dataDir, logFile, scratch, stopMode, initdb, account } = options;
  const keeper = spawn(
    '/bin/sh',
    ['-c', script, 'keeper', binDir, dataDir, logFile, scratch, stopMode, ...initdb],
    {
      ...(account && { uid: account.uid, gid: account.gid }),
      cwd: '/',
      // A session of its own, which Ctrl-C in our terminal does not reach.
      detached: true,
      // None of our PG* variables, locale and time zone.
      env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
    },
  );
  const exited = once(keeper, 'exit');
  const complaint = text(keeper.stderr);
  keeper.stdin.on('error', () => {}); // The keeper is gone: `exited` tells.
  const ready = await Promise.race([once(keeper.stdout, 'data'), exited.then(() => undefined)]);
  if (!ready) throw new Error(await complaint);
  // The server does not keep this process alive; all four are handles of the event loop.
  for (const handle of [keeper, keeper.stdin, keeper.stdout, keeper.stderr]) {
    (handle as unknown as { unref(): void }).unref();
  }
  return {
    pid: Number.parseInt(String(ready[0]), 10),
    async stop(mode) {
      keeper.ref();
      keeper.stdin.end(`${mode}\n`);
      const [code] = (await exited) as [number | null];
      if (code !== 0) throw new Error(`PostgreSQL did not stop cleanly. ${await complaint}`);
    },
  };
}

// Only its own child can be waited for to the very end, so the shell starts `postgres` and not
// `pg_ctl`; it sees in the same line of the same file as `pg_ctl` when the server is ready.
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
read -r asked && mode=$asked
exit 0
`;
