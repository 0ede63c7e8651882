import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { maxCustomers } from '../generator/customer.ts';
import { customersCsv, customersNdjson } from '../generator/formats.ts';

const formats = { csv: customersCsv, ndjson: customersNdjson };

export interface GenerateOptions {
  customers: number;
  seed: number;
  format: keyof typeof formats;
}

export interface Streams {
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream;
}

/** Writes customers `0` to `customers - 1` of a seed. A reader that has enough may hang up. */
export async function generate(options: GenerateOptions, streams: Streams): Promise<void> {
  const { customers, seed, format } = options;
  const started = performance.now();
  try {
    await pipeline(formats[format](seed, 0, customers), streams.stdout, { end: false });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return;
    throw error;
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  streams.stderr.write(`Made ${customers} customers of seed ${seed} in ${seconds} s.\n`);
}

function wholeNumber(max: number) {
  return (text: string): number => {
    const value = /^(0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Infinity;
    if (value > max) throw new InvalidArgumentError(`It must be a whole number from 0 to ${max}.`);
    return value;
  };
}

export function generateCommand(): Command {
  return new Command('generate')
    .description('write made-up customers to standard output; the same seed, the same customers')
    .requiredOption('--customers <n>', 'how many', wholeNumber(maxCustomers))
    .option('--seed <s>', 'which ones', wholeNumber(maxCustomers - 1), 1)
    .addOption(new Option('--format <format>', 'how').choices(Object.keys(formats)).default('csv'))
    .action((options: GenerateOptions) => generate(options, process));
}
