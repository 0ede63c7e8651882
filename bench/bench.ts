/**
 * `pnpm bench --customers N`: compares the service over HTTP with PostgreSQL alone, both in one run.
 * Prints a table, writes bench/results/N.json and updates docs/benchmarks.md.
 */
import { parseArgs } from 'node:util';
import { startWithCustomers } from './customers-database.ts';
import { compareWithSmaller } from './measures/growth.ts';
import { measureAll } from './measures/measure-all.ts';
import { printTable, readRows, readSmaller, refreshDocs, writeResults } from './report.ts';

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '100000' },
    /** Measures only these letters and keeps the recorded rows of the others. */
    only: { type: 'string' },
    /** How often d and e start a new service: fewer runs where each takes minutes. */
    runs: { type: 'string', default: '5' },
    /** The letters that decide the exit code, for CI: not every bar is meaningful at every size. */
    judge: { type: 'string' },
    /** Does not write the results or docs/benchmarks.md. */
    'dry-run': { type: 'boolean', default: false },
  },
});
const customers = Number(values.customers);
if (!Number.isInteger(customers) || customers < 1_000) {
  throw new Error('--customers must be a whole number of at least 1000');
}
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);

const database = await startWithCustomers(customers, say, { reuse: true, durable: true });
try {
  const measured = await measureAll({
    database,
    customers,
    say,
    only: values.only,
    runs: Number(values.runs),
  });
  const recorded = values.only === undefined ? [] : await readRows(customers);
  const current = [
    ...recorded.filter(({ letter }) => !measured.some((row) => row.letter === letter)),
    ...measured,
  ];
  const rows = [
    ...current.filter(({ letter }) => letter !== 'h'),
    ...compareWithSmaller(current, await readSmaller(customers)),
  ].toSorted((a, b) => a.letter.localeCompare(b.letter));
  printTable(rows);
  if (!values['dry-run']) {
    await writeResults(customers, database.version, rows);
    await refreshDocs();
  }
  const judged = rows.filter(({ letter }) => values.judge?.includes(letter) ?? true);
  if (judged.some(({ holds }) => holds === false)) process.exitCode = 1;
} finally {
  await database.stop();
}
