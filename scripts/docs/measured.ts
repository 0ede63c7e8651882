/** Figures in the pages are those that `pnpm bench` has recorded in bench/results. */
import { benchmarksPage } from '../../bench/report.ts';
import { files, read } from './pages.ts';

interface Times {
  p50: number;
}

interface Row {
  letter: string;
  value: number;
  bar: string;
  holds: boolean | null;
  raw?: unknown;
}

interface Results {
  customers: number;
  rows: Row[];
}

const recorded = (): Results[] =>
  files('bench/results/*.json')
    .map((file) => JSON.parse(read(file)) as Results)
    .toSorted((a, b) => a.customers - b.customers);

const rowOf = (results: Results, letter: string): Row | undefined =>
  results.rows.find((row) => row.letter === letter);

/** Whether a page may write this number so: rounded to as many digits as it has there. */
function isWritten(written: string, value: number): boolean {
  const plain = written.replaceAll(',', '');
  const digits = plain.replace('.', '').replace(/^0+/, '');
  const significant = plain.includes('.') ? digits.length : digits.replace(/0+$/, '').length;
  return Number(plain) === Number(value.toPrecision(Math.max(1, significant)));
}

export async function checkBenchmarks(text: string): Promise<string[]> {
  if ((await benchmarksPage(text)) === text) return [];
  return ['docs/benchmarks.md differs from bench/results, or from the text in bench/report.ts'];
}

/** Its targets that are missed at ten million customers, or at the size that a row names. */
export function checkMissed(text: string): string[] {
  const ofSize = new Map(recorded().map((results) => [results.customers, results]));
  const rows = [...text.matchAll(/^\| ([a-z](?:, [a-z])*): ([^|]+)\|([^|]+)\|([^|]+)\|/gm)];
  const faults = rows.flatMap(([, letters = '', measure = '', targets = '', values = '']) => {
    const results = ofSize.get(measure.includes('at 1 million') ? 1_000_000 : 10_000_000)!;
    return letters.split(', ').flatMap((letter, at) => {
      const row = rowOf(results, letter);
      const [target, value] = [targets, values].map((cell) => cell.split(', ')[at]?.trim() ?? '');
      if (row?.holds !== false) return [`docs/scaling.md, ${letter}: this target is not missed`];
      return [
        ...(row.bar.endsWith(` ${target}`) ? [] : [`docs/scaling.md, ${letter}: not ${target}`]),
        ...(isWritten(value!, row.value) ? [] : [`docs/scaling.md, ${letter}: not ${value}`]),
      ];
    });
  });
  const named = new Set(rows.flatMap(([, letters = '']) => letters.split(', ')));
  const missing = ofSize
    .get(10_000_000)!
    .rows.filter(({ letter, holds }) => holds === false && !named.has(letter))
    .map(({ letter }) => `docs/scaling.md: ${letter} is missed, too`);
  return [...faults, ...missing];
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** What the rows of the table of medians show, by how they start. */
function medians({ customers, rows }: Results): Record<string, number[]> {
  const raw = <Raw>(letter: string): Raw | undefined =>
    rows.find((row) => row.letter === letter)?.raw as Raw | undefined;
  const page1 = raw<{ http: Times[] }>('b')!.http;
  const warm = raw<{ milliseconds: Record<string, Times[]> }>('c')!.milliseconds;
  const broad = raw<{ gmail: { ours: number[]; bare: number[] } }>('e')!.gmail;
  const rare = raw<{ runs: { ours: number[]; bare: number[] }[] }>('d')?.runs;
  const p50 = (times: Times[]): number => median(times.map((each) => each.p50));
  const middle = Object.keys(warm).find((name) => /^gmail \d{2,}$/.test(name))!;
  return {
    'page 1': [p50(page1)],
    'the last page': [p50(warm[`page ${customers / 25}`]!)],
    '`gmail`: first': ['gmail 1', middle, 'gmail last'].map((name) => p50(warm[name]!)),
    '`gmail`, first count': [median(broad.ours), median(broad.bare)],
    'a rare name': rare
      ? [median(rare.flatMap(({ ours }) => ours)), median(rare.flatMap(({ bare }) => bare))]
      : [],
  };
}

/** One column for each size. PostgreSQL's own times are in brackets in the first cell. */
export function checkMedians(text: string): string[] {
  const sizes = recorded().map(medians);
  return Object.keys(sizes[0]!).flatMap((start) => {
    const line = text.split('\n').find((each) => each.startsWith(`| ${start}`));
    if (line === undefined) return [`docs/scaling.md: there is no row ${start}`];
    const [first = '', ...cells] = line.split('|').slice(1, -1);
    const numbers = (cell: string): string[] => cell.match(/\d[\d,]*(\.\d+)?(?!\d)/g) ?? [];
    const alone = /\(PostgreSQL alone: (.+)\)/.exec(first)?.[1]?.split(', ') ?? [];
    return sizes.flatMap((size, at) => {
      const written = [...numbers(cells[at]!.replaceAll(', ', ' ')), ...alone.slice(at, at + 1)];
      const known = size[start]!;
      const isRight =
        written.length === known.length && written.every((each, i) => isWritten(each, known[i]!));
      return isRight
        ? []
        : [`docs/scaling.md, ${start}: not ${written.join(' ')}, but ${known.join(' ')}`];
    });
  });
}

/** The speed of a first import, wherever a page says it. */
export function checkImportSpeed(
  pages = ['docs/scaling.md', 'docs/import.md'].map(read),
): string[] {
  const results = recorded().find(({ customers }) => customers === 10_000_000)!;
  const { rounds } = rowOf(results, 't')!.raw as { rounds: { first: number; checked: number }[] };
  const known = {
    'first imports?.{0,12}': median(rounds.map(({ first }) => first)),
    '`--check` reads': median(rounds.map(({ checked }) => checked)),
  };
  return pages.flatMap((text) =>
    Object.entries(known).flatMap(([words, value]) =>
      Array.from(
        text.matchAll(new RegExp(`${words}[^.]{0,40}?(?<![\\d,])(\\d[\\d,]*)\\s+rows/s`, 'gis')),
        ([, written]) => written!,
      )
        .filter((written) => !isWritten(written, value))
        .map((written) => `${written} rows/s: bench/results says ${Math.round(value)}`),
    ),
  );
}
