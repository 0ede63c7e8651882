import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import type { Row } from './measures.ts';

const folder = new URL('results/', import.meta.url);
const page = new URL('../docs/benchmarks.md', import.meta.url);

interface Results {
  customers: number;
  postgres: string;
  node: string;
  machine: string;
  measured: string;
  rows: Row[];
}

const verdict = ({ holds }: Row): string =>
  holds === null ? '–' : holds ? 'holds' : 'does not hold';

export function printTable(rows: Row[]): void {
  for (const row of rows) {
    const { letter, measure, value, bar } = row;
    process.stdout.write(
      `${letter}  ${measure.padEnd(66)} ${String(value).padStart(9)}  ${bar.padEnd(6)} ${verdict(row)}\n`,
    );
  }
}

export async function writeResults(
  customers: number,
  postgres: string,
  rows: Row[],
): Promise<void> {
  const results: Results = {
    customers,
    postgres,
    node: process.version,
    machine: `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    measured: new Date().toISOString().slice(0, 10),
    rows,
  };
  await mkdir(folder, { recursive: true });
  await writeFile(new URL(`${customers}.json`, folder), `${JSON.stringify(results, null, 2)}\n`);
}

/** What was recorded at that size; nothing where nothing was. */
export async function readRows(customers: number): Promise<Row[]> {
  const file = new URL(`${customers}.json`, folder);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? [] : (JSON.parse(text) as Results).rows;
}

export async function refreshDocs(): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^\d+\.json$/.test(name));
  const all = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(new URL(name, folder), 'utf8')) as Results),
  );
  const sections = all
    .toSorted((a, b) => b.customers - a.customers)
    .map(({ customers, postgres, node, machine, measured, rows }) =>
      [
        `## ${customers.toLocaleString('en')} customers`,
        '',
        `PostgreSQL ${postgres}, Node ${node}, ${machine}, ${measured}. \`pnpm bench --customers ${customers}\``,
        '',
        '| | Measure | Value | Bar | |',
        '|---|---|---:|---|---|',
        ...rows.map(
          (row) =>
            `| ${row.letter} | ${row.measure} | ${row.value} | ${row.bar} | ${verdict(row)} |`,
        ),
      ].join('\n'),
    );
  const text = [
    '# Benchmarks',
    '',
    'Made by `pnpm bench --customers N`; this page is written by it. Each value is a ratio (or a',
    'difference) of medians measured side by side in one run, because machines are shared and noisy. The',
    'raw figures, round by round, are in `bench/results/`.',
    '',
    sections.join('\n\n'),
    '',
  ].join('\n');
  await writeFile(page, text);
}
