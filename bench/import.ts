/**
 * Compares the speed of `clientele import` with a plain COPY, see ./import-speed.ts.
 *
 *   pnpm bench:import [--customers 1000000] [--rounds 1]
 *
 * Prints the results as Markdown to standard output, and progress to standard error.
 */
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { measureImportSpeed } from './import-speed.ts';

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '1' },
  },
});
const customers = Number(values.customers);
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const load = loadavg().map((average) => average.toFixed(1));
const { postgres, csvMb, rounds } = await measureImportSpeed(customers, Number(values.rounds), say);
print(`Node ${process.version}, PostgreSQL ${postgres},`);
print(`${customers} customers in ${csvMb.toFixed(0)} MB of CSV, ${availableParallelism()} cores,`);
print(`load average before the run ${load.join(' ')}.\n`);
print(
  '| | COPY, rows/s | first import, rows/s | ratio | index kept, rows/s | ratio | --check, rows/s | ratio | peak memory |',
);
print('| --- | --- | --- | --- | --- | --- | --- | --- | --- |');
for (const [i, { bare, first, kept, checked, peakMb }] of rounds.entries()) {
  const compared = [first, kept, checked].map(
    (ours) => `${ours.toFixed(0)} | ${(ours / bare).toFixed(2)}`,
  );
  print(`| ${i + 1} | ${bare.toFixed(0)} | ${compared.join(' | ')} | ${peakMb.toFixed(0)} MB |`);
}
