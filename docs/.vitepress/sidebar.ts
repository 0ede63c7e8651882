/** The sidebar: pages by what a reader is after. Pages that do not exist are left out, new ones are added. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DefaultTheme } from 'vitepress';

type Entry = DefaultTheme.SidebarItem;

const docs = join(import.meta.dirname, '..');
const read = (page: string): string => readFileSync(join(docs, `${page}.md`), 'utf8');
const exists = (page: string): boolean => existsSync(join(docs, `${page}.md`));

/** Folders whose README is a list of their pages. */
export const folders = ['decisions'];

/** A page under its heading, or under a name that says more next to others. */
function entry(page: string, text?: string): Entry {
  const [, heading = page] = /^# (.+)$/m.exec(read(page)) ?? [];
  return { text: text ?? heading.replaceAll('`', ''), link: `/${page}` };
}

/** A folder: its README, and under it the pages in the order in which the README lists them. */
function folder(name: string, text: string): Entry {
  const listed = read(`${name}/README`).matchAll(/^- \[([^\]]+)\]\(([\w-]+)\.md\)/gm);
  const items = Array.from(listed, ([, title = '', page]) => ({
    text: title.replaceAll('`', ''),
    link: `/${name}/${page}`,
  }));
  return { text, link: `/${name}/`, collapsed: true, items };
}

const pagesIn = (path: string): string[] =>
  readdirSync(join(docs, path))
    .filter((file) => file.endsWith('.md') && !/^(README|index)\.md$/.test(file))
    .map((file) => join(path, basename(file, '.md')))
    .toSorted();

/** First those that are named, then the others. */
const inOrder = (names: string[], path: string): string[] => [
  ...new Set([...names.map((name) => join(path, name)).filter(exists), ...pagesIn(path)]),
];

const howTo = [
  'npx',
  'container',
  'kubernetes',
  'systemd',
  'upgrade',
  'restore',
  'monitor',
  'trace',
  'erase',
];
const explanation = [
  'scaling',
  'reliability',
  'data-model',
  'privacy',
  'benchmarks',
  'versioning',
  'releasing',
];
const elsewhere = new Set([
  ...explanation,
  'import',
  'sync',
  'nodes',
  'access',
  'console',
  'console.de',
  'client',
]);

const reference = inOrder(['api', 'cli', 'operations', 'metrics', 'runbooks'], '.').filter(
  (page) => !elsewhere.has(page),
);

export const sidebar: Entry[] = [
  {
    text: 'Tutorials',
    items: inOrder(['five-minutes', 'your-own-file'], 'tutorials').map((page) => entry(page)),
  },
  {
    text: 'How-to guides',
    items: [
      ...inOrder(howTo, 'how-to').map((page) => entry(page)),
      entry('import'),
      entry('sync'),
      entry('nodes', 'Scale out to several nodes'),
      entry('access', 'Single sign-on and roles'),
      entry('console', 'Use the console'),
      entry('console.de', 'Die Konsole benutzen'),
      entry('client', 'Use the client'),
    ],
  },
  {
    text: 'Reference',
    items: reference.map((page) =>
      entry(page, page === 'operations' ? 'Settings and operations' : undefined),
    ),
  },
  {
    text: 'Explanation',
    items: [...explanation.map((page) => entry(page)), folder('decisions', 'Decisions')],
  },
];
