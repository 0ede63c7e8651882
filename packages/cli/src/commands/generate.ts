import { pipeline } from 'node:stream/promises';
import { Command, Option } from 'commander';
import { formats, type Format } from '@clientele/contract/customer-file';
import { keyCount } from '@clientele/sandbox';
import { startProgress, type ProgressOptions } from '../progress.ts';
import { runUntilPipeCloses } from '../run-until-pipe-closes.ts';
import { secondsSince } from '../summary.ts';
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
  stderr: NonNullable<ProgressOptions['stream']>;
}

/** Writes customers `0` to `customers - 1` of a seed. The reader may close the pipe early. */
export async function generate(options: GenerateOptions, streams: Streams): Promise<void> {
  const { customers, seed, format, quiet = false, json = false } = options;
  const { stdout, stderr } = streams;
  const started = performance.now();
  // Imported here because its vocabulary takes time to load, and other commands do not need it.
  const { customersCsv, customersNdjson } = await import('@clientele/sandbox/generator');
  const progress = startProgress({
    label: 'Generating',
    total: customers,
    unit: 'rows',
    quiet: quiet || json || stdout.isTTY === true,
    stream: stderr,
  });
  const make = { csv: customersCsv, ndjson: customersNdjson }[format];
  const rows = make(seed, 0, customers, (made) => progress.update(made));
  try {
    if (!(await runUntilPipeCloses(stdout, () => pipeline(rows, stdout, { end: false })))) return;
  } finally {
    progress.stop();
  }
  const seconds = secondsSince(started);
  if (json) stderr.write(`${JSON.stringify({ customers, seed, format, seconds })}\n`);
  else if (!quiet)
    stderr.write(`Generated ${customers} customers from seed ${seed} in ${seconds} s.\n`);
}

export function generateCommand(): Command {
  return new Command('generate')
    .description('generate fictional customers; the same seed always gives the same customers')
    .requiredOption('--customers <n>', 'number of customers', wholeNumber(0, keyCount))
    .option('--seed <s>', 'seed of the generator', wholeNumber(0, keyCount - 1), 1)
    .addOption(new Option('--format <format>', 'output format').choices(formats).default('csv'))
    .option('--quiet', 'print only errors')
    .option('--json', 'print the summary as one line of JSON on standard error')
    .action((options: GenerateOptions) => generate(options, process));
}
