/**
 * `pnpm dev`: starts a private PostgreSQL with generated customers and an access key, and the server, which
 * restarts when a file is saved. The data is kept in `.dev/` between runs. Ctrl-C stops everything.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProgress } from '@clientele/cli/progress';
import { stopSignal } from '@clientele/cli/stop-signal';
import { firstFreePort, isPortFree, openPrivateDirectory } from '@clientele/sandbox';
import { MigrationError } from '@clientele/directory';

const home = resolve('.dev');
const executable = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));
const log = (line: string): void => void process.stderr.write(`${line}\n`);
const customers = 10_000;

const until = stopSignal('SIGINT', 'SIGTERM', 'SIGHUP');
try {
  await run();
} catch (error) {
  if (!until.aborted) {
    log((error as Error).message);
    if (error instanceof MigrationError) log('To start over with an empty database: rm -r .dev');
    process.exitCode = 1;
  }
}

async function run(): Promise<void> {
  const port = await choosePort();
  const progress = startProgress({ label: 'Generating customers', total: customers, unit: 'rows' });
  const directory = await openPrivateDirectory({
    folder: home,
    customers,
    onProgress: (made) => progress.update(made),
    until,
  });
  progress.stop();
  // SIGKILL: a restart does not wait for open requests.
  const options = ['--watch', '--watch-preserve-output', '--watch-kill-signal=SIGKILL'];
  const server = spawn(process.execPath, [...options, executable, 'serve'], {
    env: {
      NODE_COMPILE_CACHE: join(home, 'compiled'),
      CLIENTELE_AUDIT_SPOOL: join(home, 'spool'),
      CLIENTELE_PUBLIC_ORIGIN: `http://127.0.0.1:${port}`,
      ...process.env,
      DATABASE_URL: directory.databaseUrl,
      PORT: String(port),
    },
    stdio: ['ignore', process.stderr, process.stderr],
  });
  const exited = once(server, 'exit');
  try {
    const url = `http://127.0.0.1:${port}`;
    while (!(await isReady(url))) await sleep(50, undefined, { signal: until });
    process.stdout.write(`
Serving at ${url}. The API is documented at ${url}/docs. Try:

  curl "${url}/v3/customers?search=muller" -H "Authorization: Bearer $(cat '${join(home, 'key')}')"

The server restarts when you save a file. Ctrl-C stops everything.

`);
    if (!until.aborted) await Promise.race([once(until, 'abort'), exited]);
  } finally {
    server.kill('SIGTERM');
    await exited;
    await directory.stop();
  }
}

/** Checks the port first: the watcher reports a failure to listen like any other crash, and waits. */
async function choosePort(): Promise<number> {
  const wanted = process.env['PORT'];
  if (wanted === undefined) return firstFreePort(8080);
  const port = Number(wanted);
  if (!(await isPortFree(port)))
    throw new Error(`Port ${wanted} is already in use. Choose another one with PORT.`);
  return port;
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
