/**
 * `pnpm bench --customers N`: our answers over HTTP against the bare engine, side by side in one run.
 * Prints a table, writes bench/results/N.json and refreshes docs/benchmarks.md.
 */
import { parseArgs } from 'node:util';
import { startWithCustomers } from './customers-database.ts';
import { againstSmaller, measureAll } from './measures.ts';
import { printTable, readRows, refreshDocs, writeResults } from './report.ts';

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '100000' },
    /** Measures these letters again; the others' rows stay as they are. */
    only: { type: 'string' },
    /** Bars that mean something at this size, for CI; the exit code speaks for these alone. */
    judge: { type: 'string' },
    /** Leaves the recorded results and the page alone. */
    'dry-run': { type: 'boolean', default: false },
  },
});
const customers = Number(values.customers);
if (!Number.isInteger(customers) || customers < 1_000) {
  throw new Error('--customers must be a whole number from 1000 on');
}
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);

const database = await startWithCustomers(customers, say, { reuse: true });
try {
  const measured = await measureAll({ database, customers, say, only: values.only });
  const kept = values.only === undefined ? [] : await readRows(customers);
  const fresh = [
    ...kept.filter(({ letter }) => !measured.some((row) => row.letter === letter)),
    ...measured,
  ];
  const rows = [
    ...fresh.filter(({ letter }) => letter !== 'h'),
    ...againstSmaller(fresh, await readRows(customers / 10)),
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
