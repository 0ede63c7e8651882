/**
 * Opens every page of the built documentation site in a browser, `pnpm docs:site:check`: axe finds nothing in
 * either theme, links lead to headings that exist, nothing overflows on a phone, the search works, and no
 * request goes to another host. Of pages that are alike, axe examines some; with `--all`, every one.
 * `--only decisions/` checks the pages whose path starts so, and `--screenshots FOLDER` saves some pages as
 * images.
 */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import AxeBuilder from '@axe-core/playwright';
import { chromium, type BrowserContext, type Page } from '@playwright/test';
import { serveFolder } from './docs/serve-folder.ts';

const site = join(import.meta.dirname, '../docs/.vitepress/dist');
const wide = { width: 1280, height: 900 };
const narrow = { width: 390, height: 844 };
const themes = ['light', 'dark'] as const;
type Theme = (typeof themes)[number];

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    all: { type: 'boolean' },
    screenshots: { type: 'string' },
  },
});

const faults = new Set<string>();
const started = performance.now();
await using server = await serveFolder(site);
const pages = server.pages.filter((path) => path.startsWith(options.only));
/** As the browser tests do: the headless shell takes half the time. */
const shell = '/usr/bin/chromium-headless-shell';
const installed = existsSync(shell) ? shell : '/usr/bin/chromium';
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? installed,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
});
try {
  const context = await browser.newContext({
    baseURL: server.url,
    viewport: wide,
    reducedMotion: 'reduce',
  });
  await watchRequests(context);
  const tabs = [await openTab(context), await openTab(context)];
  await checkSearch(tabs[0]!);
  await checkPages(tabs);
  if (options.screenshots) await saveScreenshots(tabs[0]!, options.screenshots);
} finally {
  await browser.close();
}
say(`checked ${pages.length} pages in ${((performance.now() - started) / 1000).toFixed(0)} s`);
process.exitCode = faults.size === 0 ? 0 : 1;

async function openTab(context: BrowserContext): Promise<Page> {
  const tab = await context.newPage();
  tab.on('pageerror', (error) => report(`${tab.url()}: ${error.message}`));
  return tab;
}

/** Requests to other hosts fail, here and in the check. */
async function watchRequests(context: BrowserContext): Promise<void> {
  await context.route(
    (url) => url.origin !== server.url,
    async (route) => {
      report(`a page requested ${route.request().url()}`);
      await route.abort();
    },
  );
  context.on('response', (response) => {
    if (response.status() >= 400) report(`${response.url()} returned ${response.status()}`);
  });
}

/** Not with axe: the roles in the search box are VitePress's, and a theme cannot change them. */
async function checkSearch(page: Page): Promise<void> {
  await page.goto('/');
  const field = page.getByRole('searchbox');
  // Keys are lost until the scripts of the page have started.
  for (let i = 0; i < 20 && !(await field.isVisible()); i++) {
    await page.keyboard.press('Control+k');
    await field.waitFor({ timeout: 1_000 }).catch(() => undefined);
  }
  await field.fill('page maps');
  const result = page.locator('.VPLocalSearchBox a.result[href*="/decisions/page-maps"]').first();
  await result.click();
  await page.waitForURL(/\/decisions\/page-maps\.html/);
}

async function checkPages(tabs: Page[]): Promise<void> {
  const anchors = new Set<string>();
  const links: { from: string; to: string }[] = [];
  const queue = pages.values();
  const checkNext = async (tab: Page): Promise<void> => {
    for (const path of queue) {
      await tab.goto(`/${path}`);
      const found = await tab
        .locator('[id], a[href]')
        .evaluateAll((all) =>
          all.map(({ id, href }) => ({ id: String(id), to: href && String(href) })),
        );
      for (const { id, to } of found) {
        anchors.add(`/${path}#${id}`);
        if (to) links.push({ from: path, to });
      }
      // The navigation is the same on every page.
      const scope = path === 'api.html' ? 'body' : '.VPContent';
      if (options.all || !isAlike(path)) {
        for (const theme of themes) await checkAxe(tab, theme, path, scope);
      }
      await checkWidth(tab, path);
    }
  };
  await Promise.all(tabs.map(checkNext));
  for (const { from, to } of links) checkLink(from, new URL(to), anchors);
}

/** Pages with the same elements as others. */
function isAlike(path: string): boolean {
  return path.startsWith('decisions/') && !/(index|page-maps)\.html$/.test(path);
}

function checkLink(from: string, { origin, pathname, hash }: URL, anchors: Set<string>): void {
  if (origin !== server.url) return;
  const file = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
  if (!server.pages.includes(file.slice(1))) {
    report(`${from}: the link ${pathname} leads nowhere`);
  } else if (
    hash !== '' &&
    pages.includes(file.slice(1)) &&
    !anchors.has(file + decodeURIComponent(hash))
  ) {
    report(`${from}: the link ${pathname}${hash} names a heading that does not exist`);
  }
}

/** The dark theme, which comes second, differs only in its colours. */
async function checkAxe(page: Page, theme: Theme, where: string, scope: string): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.locator(theme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor();
  const axe = new AxeBuilder({ page, ...(theme === 'dark' && { axeSource: ';' }) })
    .include(scope)
    .options({ resultTypes: ['violations'] })
    .setLegacyMode();
  if (theme === 'dark') axe.withRules('color-contrast');
  else axe.withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']);
  const { violations } = await axe.analyze();
  for (const { id, nodes } of violations) {
    report(`${where}, ${theme}: ${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  }
}

async function checkWidth(page: Page, path: string): Promise<void> {
  await page.setViewportSize(narrow);
  const excess = await page
    .locator('html')
    .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  if (excess > 0) report(`${path} is ${excess} pixels too wide for a phone`);
  await page.setViewportSize(wide);
}

async function saveScreenshots(page: Page, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const path of ['', 'tutorials/five-minutes.html', 'api.html', 'decisions/']) {
    await page.goto(`/${path}`);
    const name = path.replaceAll(/\W+/g, '-') || 'home';
    for (const [size, viewport] of Object.entries({ wide, narrow })) {
      await page.setViewportSize(viewport);
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`) });
      }
    }
    await page.setViewportSize(wide);
  }
}

function report(fault: string): void {
  if (faults.has(fault)) return;
  faults.add(fault);
  say(`FAULT ${fault}`);
}

function say(line: string): void {
  process.stdout.write(`site: ${line}\n`);
}
