/**
 * `pnpm dev`: everything in one command. A private PostgreSQL, customers, a key, and the server, which
 * starts again when a file is saved. What is kept between runs is in `.dev/`; Ctrl-C stops everything.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProgress } from '@clientele/cli/progress';
import { stopSignal } from '@clientele/cli/stop-signal';
import { firstFreePort, isPortFree, openPrivateDirectory } from '@clientele/sandbox';
import { MigrationError } from '@clientele/server';

const home = resolve('.dev');
const executable = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));
const say = (words: string): void => void process.stderr.write(`${words}\n`);
const customers = 10_000;

const until = stopSignal('SIGINT', 'SIGTERM', 'SIGHUP');
try {
  await run();
} catch (error) {
  if (!until.aborted) {
    say((error as Error).message);
    if (error instanceof MigrationError) say('To begin anew with another database: rm -r .dev');
    process.exitCode = 1;
  }
}

async function run(): Promise<void> {
  const port = await choosePort();
  const progress = startProgress({
    label: 'Making customers',
    total: customers,
    unit: 'rows',
    quiet: false,
    stream: process.stderr,
  });
  const directory = await openPrivateDirectory({
    folder: home,
    customers,
    onProgress: (made) => progress.update(made),
    until,
  });
  progress.stop();
  // A reload does not wait for requests; stopping does.
  const options = ['--watch', '--watch-preserve-output', '--watch-kill-signal=SIGKILL'];
  const server = spawn(process.execPath, [...options, executable, 'serve'], {
    env: {
      NODE_COMPILE_CACHE: join(home, 'compiled'),
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
Clientele answers at ${url} and explains itself at ${url}/docs. Try:

  curl "${url}/v3/customers?search=muller" -H "Authorization: Bearer $(cat '${join(home, 'key')}')"

It starts again when you save a file. Ctrl-C stops everything.

`);
    if (!until.aborted) await Promise.race([once(until, 'abort'), exited]);
  } finally {
    server.kill('SIGTERM');
    await exited;
    await directory.stop();
  }
}

/** The watcher would not tell a failure to listen from one to compile, so the port is tried first. */
async function choosePort(): Promise<number> {
  const wanted = process.env['PORT'];
  if (wanted === undefined) return firstFreePort(8080);
  const port = Number(wanted);
  if (!(await isPortFree(port)))
    throw new Error(`Port ${wanted} is taken. Choose another with PORT.`);
  return port;
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
