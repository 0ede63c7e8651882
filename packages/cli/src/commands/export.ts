import { createWriteStream } from 'node:fs';
import { lstat, rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { WireCustomer } from '@clientele/contract';
import {
  asRecorded,
  createPrivateFile,
  ExportAudit,
  exportCustomers,
  type ExportedBatch,
  type ListQuery,
  parseListQuery,
  readAuditSettings,
} from '@clientele/directory';
import { Command, Option } from 'commander';
import {
  csvHeader,
  csvLine,
  formats,
  spreadsheetCsvLine,
  type Format,
} from '@clientele/contract/customer-file';
import { withDatabase } from '../database.ts';
import { CommandError } from '../explain.ts';
import { startProgress, type Progress } from '../progress.ts';
import { removeAtExit } from '../remove-at-exit.ts';
import { runUntilPipeCloses } from '../run-until-pipe-closes.ts';
import { keepHeapSmall } from '../small-heap.ts';
import { stopSignal } from '../stop-signal.ts';
import { secondsSince } from '../summary.ts';

interface ExportOptions {
  search?: string;
  verified?: string;
  hasOrders?: string;
  joinedFrom?: string;
  joinedTo?: string;
  sort?: string;
  format: Format;
  raw?: boolean;
  output?: string;
  quiet?: boolean;
  json?: boolean;
}

interface Written {
  customers: number;
  bytes: number;
}

async function runExport(options: ExportOptions): Promise<void> {
  keepHeapSmall();
  const { format, raw = false, output, quiet = false, json = false } = options;
  const query = parseQuery(options);
  const until = stopSignal('SIGINT', 'SIGTERM', 'SIGHUP');
  const started = performance.now();
  // A progress bar must not mix with the data, or with JSON on the same stream.
  const silent = quiet || (output === undefined && (json || process.stdout.isTTY));
  const written = { customers: 0, bytes: 0 };
  const exportAll = () =>
    withDatabase(async (client) => {
      const { total, batches } = await exportCustomers(client, { ...query, count: !silent });
      const progress = startProgress({ label: 'Exporting', total, unit: 'rows', quiet: silent });
      try {
        await withAudit(query, (record) =>
          write(lines(recorded(batches, record), format, raw, written, progress), output, until),
        );
      } finally {
        progress.stop();
      }
    });
  try {
    if (!(await runUntilPipeCloses(process.stdout, exportAll))) return;
  } catch (error) {
    throw until.aborted
      ? new CommandError('The export was stopped before it was complete.')
      : error;
  }
  const seconds = secondsSince(started);
  if (json) {
    const stream = output === undefined ? process.stderr : process.stdout;
    stream.write(`${JSON.stringify({ ...written, format, seconds })}\n`);
  } else if (!quiet) {
    const count = written.customers.toLocaleString('en');
    process.stderr.write(`Exported ${count} customers in ${seconds} s.\n`);
  }
}

type RecordBatch = (shown: Buffer) => Promise<void>;

/** Records what is exported, on a connection of its own, unless CLIENTELE_AUDIT=off. */
async function withAudit(
  query: Wanted,
  work: (record: RecordBatch) => Promise<void>,
): Promise<void> {
  const settings = readAuditSettings(process.env);
  if (!settings) return work(() => Promise.resolve());
  await withDatabase(async (client) => {
    const { secretFile } = settings;
    const audit = await ExportAudit.start(client, { ...asRecorded(query), secretFile });
    await work((shown) => audit.record(shown));
  });
}

async function* recorded(
  batches: AsyncGenerator<ExportedBatch>,
  record: RecordBatch,
): AsyncGenerator<string[]> {
  for await (const { customers, shown } of batches) {
    await record(shown);
    yield customers;
  }
}

type Wanted = Pick<ListQuery, 'search' | 'filters' | 'sort'>;

const parameters = ['search', 'verified', 'hasOrders', 'joinedFrom', 'joinedTo', 'sort'] as const;

/** Applies the rules of the API. */
function parseQuery(options: ExportOptions): Wanted {
  const given = new URLSearchParams();
  for (const name of parameters) {
    const value = options[name];
    if (value !== undefined) given.set(name, value);
  }
  const { query, errors } = parseListQuery(`?${given}`);
  if (errors[0]) throw new CommandError(`--${asOptions(errors[0].detail)}`);
  const { search, filters, sort } = query;
  return { search, ...(filters && { filters }), ...(sort && { sort }) };
}

/** With the names of options in place of those of parameters. */
const asOptions = (detail: string): string =>
  detail.replaceAll(/hasOrders|joinedFrom|joinedTo/g, (name) =>
    name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`),
  );

async function* lines(
  batches: AsyncGenerator<string[]>,
  format: Format,
  raw: boolean,
  counts: Written,
  progress: Progress,
): AsyncGenerator<Buffer> {
  const csv = raw ? csvLine : spreadsheetCsvLine;
  const line = (customer: string): string =>
    format === 'csv' ? csv(JSON.parse(customer) as WireCustomer) : `${customer}\n`;
  const toChunk = (text: string): Buffer => {
    const chunk = Buffer.from(text);
    counts.bytes += chunk.length;
    return chunk;
  };
  if (format === 'csv') yield toChunk(csvHeader);
  for await (const customers of batches) {
    yield toChunk(customers.map(line).join(''));
    counts.customers += customers.length;
    progress.update(counts.customers);
  }
}

const writeErrors: Record<string, string> = {
  ENOENT: 'its folder does not exist.',
  EACCES: 'you do not have permission to write there.',
  EROFS: 'its file system is read-only.',
  ENOSPC: 'the disk is full.',
};

/** The file gets its name only when it is complete, and only its owner can read it. */
async function write(
  chunks: AsyncGenerator<Buffer>,
  output: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (output === undefined) return pipeline(chunks, process.stdout, { end: false, signal });
  const existing = await lstat(output).catch(() => undefined);
  if (existing && !existing.isFile()) {
    throw new CommandError(
      '--output must be a regular file, not a link or a device. To write elsewhere, redirect standard output.',
    );
  }
  let remove: (() => void) | undefined;
  try {
    const { file: fd, partial } = createPrivateFile(output);
    remove = removeAtExit(partial);
    await pipeline(chunks, createWriteStream(partial, { fd, flush: true }), { signal });
    await rename(partial, output);
  } catch (error) {
    remove?.();
    const reason = writeErrors[(error as NodeJS.ErrnoException).code ?? ''];
    throw reason === undefined ? error : new CommandError(`Cannot write ${output}: ${reason}`);
  }
}

const yesOrNo = (flags: string, description: string): Option =>
  new Option(flags, description).choices(['true', 'false']).preset('true');

export function exportCommand(): Command {
  return new Command('export')
    .description('export all customers, or those that match a search, from one database snapshot')
    .option('--search <text>', 'export only customers that match this search, as in the API')
    .addOption(
      yesOrNo(
        '--verified [answer]',
        'export only customers who are verified, or with false those who are not',
      ),
    )
    .addOption(
      yesOrNo(
        '--has-orders [answer]',
        'export only customers with orders, or with false those without',
      ),
    )
    .option('--joined-from <time>', 'export only customers created at this date or time, or later')
    .option('--joined-to <time>', 'export only customers created before this date or time')
    .option(
      '--sort <field>',
      'sort by this field as in the API, after - in descending order (default: -created_at)',
    )
    .addOption(new Option('--format <format>', 'output format').choices(formats).default('csv'))
    .option('--raw', 'CSV for programs: do not escape text that spreadsheets treat as a formula')
    .option('--output <file>', 'write to a file that only you can read (default: standard output)')
    .option('--quiet', 'print only errors')
    .option('--json', 'print the summary as one line of JSON')
    .addHelpText(
      'after',
      `
Each thousand customers are recorded in the audit before they are written (see clientele audit).
--sort works for every field, prepared or not. The summary is printed on standard error, or with --json
and --output on standard output. Without --raw, CSV is safe to open in a spreadsheet: text that one
could run as a formula gets an apostrophe, which import removes, and line breaks become spaces.`,
    )
    .action(runExport);
}
