import { pipeline } from 'node:stream/promises';
import { Command, Option } from 'commander';
import { formats, type Format } from '@clientele/contract/customer-file';
import { keyCount } from '@clientele/sandbox';
import { startProgress, type ProgressOptions } from '../progress.ts';
import { whileRead } from '../while-read.ts';
import { wholeNumber } from '../whole-number.ts';

export interface GenerateOptions {
  customers: number;
  seed: number;
  format: Format;
  quiet?: boolean;
  json?: boolean;
}

export interface Streams {
  stdout: NodeJS.WritableStream & { isTTY?: boolean };
  stderr: ProgressOptions['stream'];
}

/** Writes customers `0` to `customers - 1` of a seed. A reader that has enough may hang up. */
export async function generate(options: GenerateOptions, streams: Streams): Promise<void> {
  const { customers, seed, format, quiet = false, json = false } = options;
  const { stdout, stderr } = streams;
  const started = performance.now();
  // Not at the top: its vocabulary takes a moment to load, and no other command needs it.
  const { customersCsv, customersNdjson } = await import('@clientele/sandbox/generator');
  const progress = startProgress({
    label: 'Making',
    total: customers,
    unit: 'rows',
    quiet: quiet || json || stdout.isTTY === true,
    stream: stderr,
  });
  const make = { csv: customersCsv, ndjson: customersNdjson }[format];
  const rows = make(seed, 0, customers, (made) => progress.update(made));
  try {
    if (!(await whileRead(stdout, () => pipeline(rows, stdout, { end: false })))) return;
  } finally {
    progress.stop();
  }
  const seconds = Number(((performance.now() - started) / 1000).toFixed(1));
  if (json) stderr.write(`${JSON.stringify({ customers, seed, format, seconds })}\n`);
  else if (!quiet) stderr.write(`Made ${customers} customers of seed ${seed} in ${seconds} s.\n`);
}

export function generateCommand(): Command {
  return new Command('generate')
    .description('write made-up customers to standard output; the same seed, the same customers')
    .requiredOption('--customers <n>', 'how many', wholeNumber(keyCount))
    .option('--seed <s>', 'which ones', wholeNumber(keyCount - 1), 1)
    .addOption(new Option('--format <format>', 'how').choices(formats).default('csv'))
    .option('--quiet', 'say nothing but errors')
    .option('--json', 'the summary as one line of JSON, on standard error')
    .action((options: GenerateOptions) => generate(options, process));
}
