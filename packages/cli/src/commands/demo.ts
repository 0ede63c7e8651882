import { repairFirstImport } from '@clientele/import';
import {
  firstFreePort,
  isPortFree,
  openPrivateDirectory,
  type PrivateDirectory,
  withClient,
} from '@clientele/sandbox';
import { Command } from 'commander';
import { builtConsole } from '../built-console.ts';
import { demoSecret } from '../demo-secret.ts';
import { CommandError } from '../explain.ts';
import { importFiles } from '../import-files.ts';
import { createLog } from '../log.ts';
import { startProgress } from '../progress.ts';
import { stopSignal } from '../stop-signal.ts';
import { wholeNumber } from '../whole-number.ts';
import { parseImportArguments } from './import.ts';

interface DemoOptions {
  customers: number;
  port?: number;
  keep?: string | true;
  quiet?: boolean;
  json?: boolean;
}

/** Ignores the environment, so that it works the same on every machine. */
async function demo(files: string[], options: DemoOptions): Promise<void> {
  const until = stopSignal('SIGINT', 'SIGTERM', 'SIGHUP');
  const folder = options.keep === true ? 'clientele-demo' : options.keep;
  const port = await choosePort(options.port);
  const log = createLog(options.quiet);
  log('Starting a private PostgreSQL.');
  let directory: PrivateDirectory;
  try {
    directory = await openDirectory(files, folder, options, until);
  } catch (error) {
    if (until.aborted) return;
    throw error;
  }
  try {
    // The other commands start faster without it.
    const { readConfig, serve } = await import('@clientele/server');
    const settings = readConfig({
      DATABASE_URL: directory.databaseUrl,
      PORT: String(port),
      // Not every browser keeps a Secure cookie of localhost.
      ...(port !== 0 && { CLIENTELE_PUBLIC_ORIGIN: `http://127.0.0.1:${port}` }),
      LOG_LEVEL: 'warn',
    });
    // The database is on the same machine, so there is no use for a spool.
    const config = {
      ...settings,
      audit: { spool: 'none', secret: await demoSecret(folder) } as const,
    };
    const consoleFolder = builtConsole();
    const console = consoleFolder !== undefined;
    const search = files.length === 0 ? 'muller' : undefined;
    const print = options.json ? toJson : toText;
    await serve(config, {
      until,
      consoleFolder,
      onListening: (url) =>
        process.stdout.write(print({ ...directory, url, console, folder, search })),
    });
  } finally {
    await directory.stop();
  }
}

async function openDirectory(
  files: string[],
  folder: string | undefined,
  { customers, quiet }: DemoOptions,
  until: AbortSignal,
): Promise<PrivateDirectory> {
  const progress = startProgress({
    label: 'Generating customers',
    total: customers,
    unit: 'rows',
    quiet,
  });
  const load = (databaseUrl: string) => importInto(databaseUrl, files, quiet, until);
  try {
    const directory = await openPrivateDirectory({
      folder,
      customers,
      load: files.length > 0 ? load : undefined,
      onProgress: (made) => progress.update(made),
      until,
    });
    // The import of an earlier demo may have been interrupted.
    await withClient(directory.databaseUrl, (client) =>
      repairFirstImport(client, createLog(quiet)),
    );
    return directory;
  } finally {
    progress.stop();
  }
}

/** Takes the arguments of `import`, options included. */
async function importInto(
  databaseUrl: string,
  args: string[],
  quiet: boolean | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { paths, options } = parseImportArguments([...args, ...(quiet ? ['--quiet'] : [])]);
  const { read, inserted, rejected } = await importFiles(databaseUrl, paths, options, signal);
  const log = createLog(quiet);
  log(`Read ${read} records: ${inserted} inserted, ${rejected} rejected.`);
}

async function choosePort(wanted: number | undefined): Promise<number> {
  if (wanted === undefined) return firstFreePort(8080);
  if (await isPortFree(wanted)) return wanted;
  throw new CommandError(`Port ${wanted} is already in use. Choose another one with --port.`);
}

interface Running extends PrivateDirectory {
  url: string;
  console: boolean;
  folder: string | undefined;
  /** A search that has matches in the generated customers. */
  search: string | undefined;
}

function toJson({ url, key, customers, databaseUrl, postgres, console }: Running): string {
  const { version } = postgres;
  const details = { url, key, customers, console, database_url: databaseUrl, postgresql: version };
  return `${JSON.stringify(details)}\n`;
}

function toText(running: Running): string {
  const { url, key, customers, databaseUrl, postgres, console, folder, search } = running;
  const count = customers.toLocaleString('en');
  const ending = folder
    ? `Press Ctrl-C to stop. The data is kept in ${folder}; start again with the same --keep to use it.`
    : 'Press Ctrl-C to stop and delete the data. To keep it, start with --keep.';
  return `
${count} customers on PostgreSQL ${postgres.version}, served at ${url}

  console   ${console ? `${url}/` : 'not built; run: pnpm build'}
  API       ${url}/docs
  key       ${key}

Try a request:

  curl "${url}/v3/customers${search ? `?search=${search}` : ''}" -H "Authorization: Bearer ${key}"

To use this database with other commands, run in another terminal:

  export DATABASE_URL=${databaseUrl}

${ending}
`;
}

export function demoCommand(): Command {
  return new Command('demo')
    .description('try Clientele: starts a private database with customers, the API and the console')
    .argument('[file...]', 'import these files instead of generating customers')
    .option(
      '--customers <n>',
      'number of customers to generate',
      wholeNumber(0, 100_000_000),
      10_000,
    )
    .option(
      '--port <port>',
      'port to listen on (default: 8080, or any free port)',
      wholeNumber(0, 65_535),
    )
    .option('--keep [folder]', 'keep the data for the next start, by default in ./clientele-demo')
    .option('--quiet', 'no progress messages')
    .option('--json', 'print the address, the key and other details as one line of JSON')
    .addHelpText(
      'after',
      `
Arguments after -- are passed to import: clientele demo customers.csv -- --id-column shop:Number
Uses an installed PostgreSQL 15 to 18, or the one from npm. It accepts only local connections.
Ctrl-C stops the demo with exit code 0.`,
    )
    .action(demo);
}
