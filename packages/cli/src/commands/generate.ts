import { pipeline } from 'node:stream/promises';
import { Command, Option } from 'commander';
import { keyCount } from '../generator/random.ts';
import { wholeNumber } from '../whole-number.ts';

const formats = ['csv', 'ndjson'] as const;

export interface GenerateOptions {
  customers: number;
  seed: number;
  format: (typeof formats)[number];
}

export interface Streams {
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream;
}

/** Writes customers `0` to `customers - 1` of a seed. A reader that has enough may hang up. */
export async function generate(options: GenerateOptions, streams: Streams): Promise<void> {
  const { customers, seed, format } = options;
  const started = performance.now();
  // Not at the top: its vocabulary takes a moment to load, and no other command needs it.
  const { customersCsv, customersNdjson } = await import('../generator/formats.ts');
  const rows = { csv: customersCsv, ndjson: customersNdjson }[format](seed, 0, customers);
  try {
    await pipeline(rows, streams.stdout, { end: false });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return;
    throw error;
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  streams.stderr.write(`Made ${customers} customers of seed ${seed} in ${seconds} s.\n`);
}

export function generateCommand(): Command {
  return new Command('generate')
    .description('write made-up customers to standard output; the same seed, the same customers')
    .requiredOption('--customers <n>', 'how many', wholeNumber(keyCount))
    .option('--seed <s>', 'which ones', wholeNumber(keyCount - 1), 1)
    .addOption(new Option('--format <format>', 'how').choices(formats).default('csv'))
    .action((options: GenerateOptions) => generate(options, process));
}
