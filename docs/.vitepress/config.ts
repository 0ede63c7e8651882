/** The documentation site, `pnpm docs:site`: the Markdown of this folder, grouped by what a reader is after. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { anchorOf, emptyHeadingsAsCells, pairScreenshots, rewriteLinks } from './markdown.ts';
import { folders, sidebar } from './sidebar.ts';

const root = join(import.meta.dirname, '../..');
const consoleFiles = join(root, 'packages/console/public');

export default defineConfig({
  title: 'Clientele',
  description: 'A customer directory on PostgreSQL. Any page, any search, the exact total.',
  lang: 'en-GB',
  head: [['link', { rel: 'icon', href: '/mark.png' }]],
  cacheDir: join(root, 'node_modules/.vitepress'),
  rewrites: Object.fromEntries(folders.map((name) => [`${name}/README.md`, `${name}/index.md`])),
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: anchorOf },
    toc: { slugify: anchorOf },
    headers: { slugify: anchorOf },
    image: { lazyLoading: true },
    config(markdown) {
      rewriteLinks(markdown);
      pairScreenshots(markdown);
      emptyHeadingsAsCells(markdown);
    },
  },
  themeConfig: {
    logo: { src: '/mark.png', alt: '' },
    nav: [
      { text: 'Tutorials', link: '/tutorials/five-minutes', activeMatch: '^/tutorials/' },
      { text: 'How-to', link: '/how-to/npx', activeMatch: '^/how-to/' },
      { text: 'Reference', link: '/api', activeMatch: '^/(api|cli|client|operations)' },
      { text: 'Explanation', link: '/decisions/', activeMatch: '^/(decisions/|scaling)' },
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    externalLinkIcon: false,
    notFound: {
      title: 'Page not found',
      quote: 'There is no page at this address. The search may find what you are looking for.',
      linkText: 'To the start page',
      linkLabel: 'To the start page',
    },
  },
  buildEnd({ outDir }) {
    // The license of the fonts goes where the fonts go.
    for (const file of ['mark.png', 'fonts-license.txt']) {
      copyFileSync(join(consoleFiles, file), join(outDir, file));
    }
  },
});
