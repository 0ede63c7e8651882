/** Adapts the pages, which are written for the repository, to the site: links, anchors, tables. */
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

/** As GitHub makes them, and as `pnpm docs:check` expects them. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/**
 * A link to a README leads to its folder. A link to a file that is not part of the site is replaced by the
 * path of the file, because pages do not know where the repository is hosted.
 */
export function rewriteLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const { relativePath = '' } = env as { relativePath?: string };
    for (const { children } of tokens) {
      for (const [index, token] of children?.entries() ?? []) {
        const href = token.attrGet('href');
        if (token.type !== 'link_open' || href === null || /^([a-z]+:|#|\/)/.test(href)) continue;
        const path = posix.join('docs', posix.dirname(relativePath), href.replace(/#.*/, ''));
        if (path.startsWith('docs/')) {
          token.attrSet('href', href.replace(/\bREADME\.md(?=#|$)/, ''));
          continue;
        }
        const end = children!.slice(index).find(({ type }) => type === 'link_close')!;
        token.type = end.type = 'html_inline';
        end.content = ` (<code>${markdown.utils.escapeHtml(path)}</code> in the repository)`;
      }
    }
  });
}

/** Screenshots of the light theme have one of the dark theme next to them; the theme shows one of both. */
export function pairScreenshots(markdown: MarkdownRenderer): void {
  const render = markdown.renderer.rules.image!;
  markdown.renderer.rules.image = (tokens, index, options, env, self) => {
    const token = tokens[index]!;
    const light = token.attrGet('src') ?? '';
    const dark = light.replace(/-light\.png$/, '-dark.png');
    const { relativePath } = env as { relativePath: string };
    const folder = join(import.meta.dirname, '..', posix.dirname(relativePath));
    if (dark === light || !existsSync(join(folder, dark)))
      return render(tokens, index, options, env, self);
    return Object.entries({ light, dark })
      .map(([theme, source]) => {
        token.attrSet('src', source);
        token.attrSet('class', `${theme}-only`);
        return render(tokens, index, options, env, self);
      })
      .join('');
  };
}

/** A heading of a table that has no text is no heading, least of all for a screen reader. */
export function emptyHeadingsAsCells(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('empty-headings', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      const isEmpty = token.type === 'th_open' && tokens[index + 1]?.content === '';
      if (isEmpty) token.tag = tokens[index + 2]!.tag = 'td';
    }
  });
}
