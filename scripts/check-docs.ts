/**
 * Proves what the documentation says, `pnpm docs:check`: links, paths, scripts, settings, error codes,
 * search examples; then runs the commands of the pages that people start from.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { problems } from '@clientele/contract';
import { cliPage } from './cli-page.ts';
import { runDocumentedCommands } from './documented-commands.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const fence = /^```(\w*)\n([\s\S]*?)^```$/gm;
const faults: string[] = [];
const expect = (right: boolean, fault: string): void => void (right || faults.push(fault));

/** Files that git has or would take. */
const files = (pattern: string): string[] =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', pattern], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(root, path)));

const pages = files('*.md');

const manifests = files('*package.json').map((path) => {
  const { name, scripts = {} } = JSON.parse(read(path)) as { name: string; scripts?: object };
  return { folder: dirname(path), name, scripts: Object.keys(scripts) };
});

for (const page of pages) {
  checkLinks(page);
  checkPaths(page);
  checkScripts(page);
}
checkDecisions();
checkSettings();
checkMetrics();
checkErrors();
checkSearchExamples();
expect(read('docs/cli.md') === cliPage(), 'docs/cli.md is not what --help says: pnpm docs:cli');
say(`looked at ${pages.length} pages`);

if (!process.argv.includes('--no-run')) {
  faults.push(
    ...(await runDocumentedCommands(
      root,
      ['README.md', 'CONTRIBUTING.md', 'docs/operations.md'],
      say,
    )),
  );
}
for (const fault of faults) say(`FAULT ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;

function say(line: string): void {
  process.stdout.write(`docs: ${line}\n`);
}

function checkLinks(page: string): void {
  for (const [, target = ''] of prose(page).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    expect(existsSync(join(root, file)), `${page}: ${target} leads nowhere`);
    if (anchor !== undefined && existsSync(join(root, file))) {
      expect(anchors(file).has(anchor), `${page}: ${target} has no such heading`);
    }
  }
}

/** Headings as GitHub names them. */
function anchors(page: string): Set<string> {
  const headings = [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Where a page's paths and scripts are, if not in the root. */
function home(page: string): string {
  return basename(page).startsWith('client') ? 'packages/client' : dirname(page);
}

function checkPaths(page: string): void {
  const rooms = readdirSync(join(root, 'packages/server/src'));
  for (const code of codeSpans(page)) {
    const [first = ''] = code.split('/');
    if (!/^[\w./-]+$/.test(code) || !code.includes('/') || code.includes('00000N')) continue;
    const inServer = rooms.includes(first) && /\.\w+$/.test(code);
    if (!inServer && !['packages', 'scripts', 'docs', '.ci'].includes(first)) continue;
    const places = inServer ? ['packages/server/src'] : ['.', home(page)];
    const found = places.some((place) => existsSync(join(root, place, code)));
    expect(found, `${page}: there is no ${code}`);
  }
}

/** Every `pnpm X` is a script of the workspace, of the package named or around, or pnpm's own. */
function checkScripts(page: string): void {
  const own = new Set(['install', 'add', 'exec']);
  const commands = new Set(
    readdirSync(join(root, 'packages/cli/src/commands')).map((file) => file.replace(/\.ts$/, '')),
  );
  for (const code of [...codeSpans(page), ...fences(page)]) {
    for (const [, filter, name = ''] of code.matchAll(
      /\bpnpm (?:--filter (\S+) )?(?:run )?([a-z][\w:-]*)/g,
    )) {
      const around = manifests.filter((each) =>
        filter ? each.name === filter : ['.', home(page)].includes(each.folder),
      );
      const known = own.has(name) || around.some(({ scripts }) => scripts.includes(name));
      expect(known, `${page}: there is no script ${name}`);
    }
    for (const [, name = ''] of code.matchAll(/(?:^|pnpm )clientele ([a-z]+)/gm)) {
      expect(commands.has(name), `${page}: there is no command clientele ${name}`);
    }
  }
}

function checkDecisions(): void {
  const listed = prose('docs/decisions/README.md').matchAll(/\]\(([\w-]+\.md)\)/g);
  compare(
    'docs/decisions/README.md',
    Array.from(listed, ([, page]) => page!),
    files('docs/decisions/*.md')
      .map((path) => basename(path))
      .filter((page) => page !== 'README.md'),
  );
}

function checkSettings(): void {
  const source = read('packages/server/src/config.ts');
  const known = new Set(
    [...source.matchAll(/'((?:HOST|PORT|[A-Z]+_[A-Z_]+))'/g)].map(([, name]) => name),
  );
  const rows = [...section('docs/operations.md', 'Settings').matchAll(/^\| `([A-Z_]+)`/gm)];
  compare(
    'docs/operations.md, settings',
    rows.map(([, name]) => name!),
    [...known] as string[],
  );
}

function checkMetrics(): void {
  const known = read('packages/server/src/http/metrics.ts').matchAll(/name: '(clientele_\w+)'/g);
  const rows = section('docs/operations.md', 'Metrics').matchAll(/^\| `(clientele_\w+)`/gm);
  const names = (matches: Iterable<RegExpMatchArray>) => Array.from(matches, ([, name]) => name!);
  compare('docs/operations.md, metrics', names(rows), names(known));
}

function checkErrors(): void {
  const rows = section('docs/api.md', 'Errors').matchAll(/^\| `([\w-]+)` \| (\d+) \| ([^|]+) \|/gm);
  compare(
    'docs/api.md, errors',
    Array.from(rows, ([, code, status, title]) => `${code} ${status} ${title}`),
    Object.entries(problems).map(([code, { status, title }]) => `${code} ${status} ${title}`),
  );
}

/** The examples are cases that a test sends over HTTP; here their names are compared. */
function checkSearchExamples(): void {
  const { customers, cases } = JSON.parse(read('packages/contract/fixtures/search-cases.json')) as {
    customers: { uuid: string; full_name: string }[];
    cases: { search: string; expect: string[] }[];
  };
  const names = (cell: string): string[] =>
    cell
      .replaceAll(/\([^)]*\)/g, '')
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
  for (const [, search, finds = '', misses = ''] of section('docs/api.md', 'Search').matchAll(
    /^\| `(.+?)` \|([^|]*)\|([^|]*)\|/gm,
  )) {
    const found = cases.find((each) => each.search === search)?.expect;
    expect(found !== undefined, `docs/api.md: ${search} is not among the search cases`);
    for (const [cell, right] of [
      [finds, true],
      [misses, false],
    ] as const) {
      for (const name of names(cell)) {
        const customer = customers.find(({ full_name }) => full_name === name);
        expect(customer !== undefined, `docs/api.md: no customer of the cases is called ${name}`);
        const wrong = `docs/api.md: ${search} ${right ? 'does not find' : 'finds'} ${name}`;
        if (customer) expect((found ?? []).includes(customer.uuid) === right, wrong);
      }
    }
  }
}

function compare(where: string, documented: string[], known: string[]): void {
  for (const each of known) expect(documented.includes(each), `${where}: ${each} is missing`);
  for (const each of documented) expect(known.includes(each), `${where}: ${each} does not exist`);
}

/** What stands under a heading of the second level. */
function section(page: string, heading: string): string {
  const [, text] = read(page).split(`\n## ${heading}\n`);
  expect(text !== undefined, `${page}: there is no section ${heading}`);
  return text?.split('\n## ')[0] ?? '';
}

/** The page without its fenced blocks. */
function prose(page: string): string {
  return read(page).replaceAll(fence, '');
}

function fences(page: string): string[] {
  return [...read(page).matchAll(fence)].map(([, , text]) => text!);
}

function codeSpans(page: string): string[] {
  return [...prose(page).matchAll(/`([^`]+)`/g)].map(([, code]) => code!.replaceAll('\n', ' '));
}
