/** The documentation pages: which there are, and what is in them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');
export const exists = (path: string): boolean => existsSync(join(root, path));

/** Files that git tracks or would add, as paths from the root. `*` also matches slashes. */
export function files(...patterns: string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed.split('\n').filter((path) => path !== '' && exists(path));
}

const fence = /^```(\w*)\n([\s\S]*?)^```$/gm;

/** The text without its fenced blocks. */
export const withoutFences = (text: string): string => text.replaceAll(fence, '');

export const fencedBlocks = (text: string, wanted?: string): string[] =>
  [...text.matchAll(fence)]
    .filter(([, language]) => wanted === undefined || language === wanted)
    .map(([, , block]) => block!);

export const codeSpans = (text: string): string[] =>
  [...withoutFences(text).matchAll(/`([^`]+)`/g)].map(([, code]) => code!.replaceAll('\n', ' '));

/** The parts of a page, each from one heading of the second level to the next. */
export const sections = (page: string): string[] => read(page).split(/^(?=## )/m);

/** The text under a heading of the second level; empty when the page has no such heading. */
export function section(page: string, heading: string): string {
  const found = sections(page).find((text) => text.startsWith(`## ${heading}\n`));
  return found ?? '';
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchors(page: string): Set<string> {
  const headings = [...withoutFences(read(page)).matchAll(/^#+ (.+)$/gm)];
  return new Set(
    headings.map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** The folder that a page's relative paths and scripts belong to, besides the root. */
export function home(page: string): string {
  for (const name of ['client', 'console']) {
    if (basename(page).startsWith(name)) return `packages/${name}`;
  }
  return dirname(page);
}
