/** The documentation in the package: pages that messages refer to, with links that lead somewhere in the package. */
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { cliPage } from './cli-page.ts';

const workspace = join(import.meta.dirname, '../../..');

/** Outside of fenced blocks. */
const link = /```[\s\S]*?^```$|!?\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/gm;

/** The text of each page by its path in the package. */
export function shippedDocs(): Map<string, string> {
  const paths = globSync(['docs/*.md', 'docs/how-to/*.md', 'docs/tutorials/*.md'], {
    cwd: workspace,
  });
  const pages = new Map(paths.map((path) => [path, readFileSync(join(workspace, path), 'utf8')]));
  pages.set('docs/cli.md', cliPage());
  return new Map([...pages].map(([path, text]) => [path, withoutOthers(path, text, pages)]));
}

/** Links to pages that are not shipped become the path in the repository, and pictures become their description. */
function withoutOthers(page: string, text: string, pages: ReadonlyMap<string, string>): string {
  return text.replaceAll(link, (all, label?: string, href?: string) => {
    if (label === undefined || href === undefined || /^([a-z]+:|#)/.test(href)) return all;
    if (all.startsWith('!')) return `(Picture: ${label})`;
    const target = posix.join(posix.dirname(page), href.replace(/#.*/, ''));
    return pages.has(target) ? all : `${label} (\`${target}\` in the repository)`;
  });
}
