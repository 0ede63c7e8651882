import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { WireCustomer } from '@clientele/contract';
import { exportCustomers, parseListQuery } from '@clientele/server';
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
import { keepHeapSmall } from '../small-heap.ts';
import { stopSignal } from '../stop-signal.ts';
import { whileRead } from '../while-read.ts';

interface ExportOptions {
  search?: string;
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

async function exportCommandLine(options: ExportOptions): Promise<void> {
  keepHeapSmall();
  const { format, raw = false, output, quiet = false, json = false } = options;
  const search = readSearch(options.search ?? '');
  const until = stopSignal('SIGINT', 'SIGTERM');
  const started = performance.now();
  // A bar among the data, or among JSON that a program reads, would be in the way.
  const silent = quiet || (output === undefined && (json || process.stdout.isTTY));
  const written = { customers: 0, bytes: 0 };
  const exportAll = () =>
    withDatabase(async (client) => {
      const { total, batches } = await exportCustomers(client, { search, count: !silent });
      const progress = startProgress({
        label: 'Exporting',
        total,
        unit: 'rows',
        quiet: silent,
        stream: process.stderr,
      });
      try {
        await write(lines(batches, format, raw, written, progress), output, until);
      } finally {
        progress.stop();
      }
    });
  try {
    if (!(await whileRead(process.stdout, exportAll))) return;
  } catch (error) {
    throw until.aborted ? new CommandError('Stopped before the end.') : error;
  }
  const seconds = Number(((performance.now() - started) / 1000).toFixed(1));
  if (json) {
    const stream = output === undefined ? process.stderr : process.stdout;
    stream.write(`${JSON.stringify({ ...written, format, seconds })}\n`);
  } else if (!quiet) {
    const count = written.customers.toLocaleString('en');
    process.stderr.write(`Exported ${count} customers in ${seconds} s.\n`);
  }
}

/** What the service would refuse is refused here, in its words. */
function readSearch(text: string): string {
  const { query, errors } = parseListQuery(`?search=${encodeURIComponent(text)}`);
  if (errors[0]) throw new CommandError(`--${errors[0].detail}`);
  return query.search;
}

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
  const send = (text: string): Buffer => {
    const chunk = Buffer.from(text);
    counts.bytes += chunk.length;
    return chunk;
  };
  if (format === 'csv') yield send(csvHeader);
  for await (const customers of batches) {
    yield send(customers.map(line).join(''));
    counts.customers += customers.length;
    progress.update(counts.customers);
  }
}

const fileFaults: Record<string, string> = {
  ENOENT: 'its folder does not exist.',
  EACCES: 'this user may not write there.',
  EROFS: 'its file system is read-only.',
  ENOSPC: 'the disk is full.',
};

/** A file appears under its name when it is whole; nobody else may read it. */
async function write(
  chunks: AsyncGenerator<Buffer>,
  output: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (output === undefined) return pipeline(chunks, process.stdout, { end: false, signal });
  const there = await stat(output).catch(() => undefined);
  if (there && !there.isFile()) {
    throw new CommandError('--output must be a plain file. To write elsewhere, redirect: > FILE');
  }
  const partial = `${output}.partial`;
  try {
    await pipeline(chunks, createWriteStream(partial, { mode: 0o600, flush: true }), { signal });
    await rename(partial, output);
  } catch (error) {
    await rm(partial, { force: true });
    const reason = fileFaults[(error as NodeJS.ErrnoException).code ?? ''];
    throw reason === undefined ? error : new CommandError(`${output} cannot be written: ${reason}`);
  }
}

export function exportCommand(): Command {
  return new Command('export')
    .description(
      'write customers, all or those of a search, as one instant of the database saw them',
    )
    .option('--search <text>', 'only those that this search finds, as the API would')
    .addOption(new Option('--format <format>', 'how').choices(formats).default('csv'))
    .option('--raw', 'CSV for machines: leave what a spreadsheet would run as a formula')
    .option('--output <file>', 'where to; readable by you only (default: standard output)')
    .option('--quiet', 'say nothing but errors')
    .option('--json', 'the summary as one line of JSON')
    .addHelpText(
      'after',
      `
Newest first, as in the list. The summary is on standard error; with --json and --output, on standard
output. Without --raw, a text that begins with = + - @ | or a tab gets an apostrophe in front.`,
    )
    .action(exportCommandLine);
}
