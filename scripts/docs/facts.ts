/** Lists in the pages are the lists in the code: settings, errors, rules, checks, examples. */
import { basename } from 'node:path';
import { problems } from '@clientele/contract';
import { compare, firstGroups } from './compare.ts';
import { codeSpans, files, read, section, withoutFences } from './pages.ts';

/** The index lists every decision. Each is one page, and says when it was compared with the code. */
export function checkDecisions(): string[] {
  const index = 'docs/decisions/README.md';
  const pages = files('docs/decisions/*.md').filter((page) => page !== index);
  const listed = withoutFences(read(index)).matchAll(/\]\(([\w-]+\.md)\)/g);
  return [
    ...compare(
      index,
      Array.from(listed, ([, page]) => page!),
      pages.map((page) => basename(page)),
    ),
    ...pages.flatMap((page) => [...checkLength(page, 52), ...checkReview(page, read(page))]),
  ];
}

/** The last line of a decision names the last migration that there was at its review. */
export function checkReview(page: string, text: string): string[] {
  const version = Number(/\n\nReviewed at schema version (\d+)\.\n$/.exec(text)?.[1]);
  const last = Math.max(
    ...firstGroups(files('packages/directory/migrations/*').join('\n'), /(\d{6})_/g).map(Number),
  );
  if (version >= 1 && version <= last) return [];
  return [`${page}: the last line has to be: Reviewed at schema version N. (at most ${last})`];
}

export function checkLength(page: string, most: number): string[] {
  const lines = read(page).trimEnd().split('\n').length;
  return lines <= most ? [] : [`${page}: ${lines} lines, at most ${most} are allowed`];
}

export function checkSettings(): string[] {
  const source = files('packages/directory/src/settings/*.ts', 'packages/server/src/settings/*.ts')
    .map(read)
    .join('\n');
  const known = new Set(firstGroups(source, /'((?:HOST|PORT|[A-Z]+_[A-Z_]+))'/g));
  const rows = firstGroups(section('docs/operations.md', 'Settings'), /^\| `([A-Z_]+)`/gm);
  return compare('docs/operations.md, Settings', rows, [...known]);
}

export function checkErrors(): string[] {
  const rows = section('docs/api.md', 'Errors').matchAll(/^\| `([\w-]+)` \| (\d+) \| ([^|]+) \|/gm);
  return compare(
    'docs/api.md, Errors',
    Array.from(rows, ([, code, status, title]) => `${code} ${status} ${title}`),
    Object.entries(problems).map(([code, { status, title }]) => `${code} ${status} ${title}`),
  );
}

/** The rules by which an import rejects records. */
export function checkRejectRules(): string[] {
  const [, list = ''] = read('packages/import/src/faults.ts').split('export const rules = {');
  const known = firstGroups(list.split('} as const')[0]!, /^ {2}'?([\w-]+)'?: /gm);
  const rows = firstGroups(
    section('docs/import.md', 'Why records are rejected'),
    /^\| (`[^|]+`) \|/gm,
  );
  return compare('docs/import.md, rules', rows.flatMap(codeSpans), known);
}

/** The checks of the doctor, whose table names several in one row where they belong together. */
export function checkDoctor(): string[] {
  const sources = files('packages/directory/src/doctor/*.ts').map(read).join('\n');
  const known = firstGroups(sources, /: Check = \{\s+name: '([^']+)'/g);
  const cells = firstGroups(section('docs/operations.md', 'The doctor'), /^\| ([a-z][^|]+) \|/gm);
  return compare(
    'docs/operations.md, The doctor',
    cells.flatMap((cell) => cell.split(', ')),
    known,
  );
}

interface SearchCases {
  customers: { uuid: string; full_name: string }[];
  cases: { search: string; expect: string[] }[];
}

/** The search examples are among the cases that the server's tests send over HTTP. */
export function checkSearchExamples(): string[] {
  const { customers, cases } = JSON.parse(
    read('packages/contract/fixtures/search-cases.json'),
  ) as SearchCases;
  const rows = section('docs/api.md', 'Search').matchAll(/^\| `(.+?)` \|([^|]*)\|([^|]*)\|/gm);
  return Array.from(rows, ([, search, finds = '', misses = '']) => {
    const found = cases.find((each) => each.search === search)?.expect;
    if (!found) return [`docs/api.md: ${search} is not among the search cases`];
    const checkName = (name: string, expected: boolean): string[] => {
      const customer = customers.find(({ full_name }) => full_name === name);
      if (!customer) return [`docs/api.md: no customer of the search cases is called ${name}`];
      if (found.includes(customer.uuid) === expected) return [];
      return [`docs/api.md: ${search} ${expected ? 'does not find' : 'finds'} ${name}`];
    };
    return [
      ...names(finds).flatMap((name) => checkName(name, true)),
      ...names(misses).flatMap((name) => checkName(name, false)),
    ];
  }).flat();
}

/** The names in a cell of a table, without remarks in parentheses. */
const names = (cell: string): string[] =>
  cell
    .replaceAll(/\([^)]*\)/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
