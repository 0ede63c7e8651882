/**
 * `pnpm bench --customers N`: our answers over HTTP against the bare engine, side by side in one run.
 * Prints a table, writes bench/results/N.json and refreshes docs/benchmarks.md.
 */
import { parseArgs } from 'node:util';
import { startWithCustomers } from './customers-database.ts';
import { measureAll } from './measures.ts';
import { printTable, refreshDocs, writeResults } from './report.ts';

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '100000' },
    /** Only these letters, for a closer look; nothing is written then. */
    only: { type: 'string' },
  },
});
const customers = Number(values.customers);
if (!Number.isInteger(customers) || customers < 1_000) {
  throw new Error('--customers must be a whole number from 1000 on');
}
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);

const database = await startWithCustomers(customers, say, { reuse: true });
try {
  const rows = await measureAll({ database, customers, say, only: values.only });
  printTable(rows);
  if (values.only === undefined) {
    await writeResults(customers, database.version, rows);
    await refreshDocs();
  }
  if (rows.some(({ holds }) => holds === false)) process.exitCode = 1;
} finally {
  await database.stop();
}
