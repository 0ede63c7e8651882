/**
 * `pnpm screenshots` saves the pictures that pages of the docs show to docs/screenshots, and pictures of every mode to
 * a temporary folder, to be looked at. Both have the customers of `clientele demo`.
 */
import { mkdtempSync } from 'node:fs';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContextOptions, type Page } from '@playwright/test';
import { expect, openList, searchField, settled, signInAs, test } from './test.ts';

const wide = { width: 1280, height: 800 };
const slider = (page: Page) => page.locator('.timeline [role=slider]');

/** A list without its timeline is not complete. There is no room for it in a low window. */
async function openWhole(page: Page, path = '/'): Promise<void> {
  await page.goto(path);
  await expect(page.locator('[data-row]').first()).toBeVisible();
  await expect(slider(page)).toBeAttached();
}

const states: Record<string, (page: Page) => Promise<unknown>> = {
  list: (page) => openWhole(page),
  search: async (page) => {
    await openList(page);
    await searchField(page).fill('muller');
    await expect(page).toHaveURL('/?search=muller');
    await settled(page);
    await expect(slider(page)).toBeVisible();
  },
  timeline: async (page) => {
    const filters = 'verified=true&hasOrders=true&joinedFrom=2021-01-01&joinedTo=2025-01-01';
    await openWhole(page, `/?${filters}&page=20`);
    const { width, height } = (await slider(page).boundingBox())!;
    await slider(page).hover({ position: { x: width * 0.3, y: height / 2 } });
    await expect(page.locator('.timeline .note')).not.toContainText('about');
  },
};

const docs = new URL('../../../docs/screenshots', import.meta.url).pathname;

async function take(page: Page, name: string, folder = docs): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
}

// The site shows the picture that fits its theme.
for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`for the docs, ${colorScheme}`, () => {
    test.use({ colorScheme, viewport: wide });
    for (const [state, show] of Object.entries(states)) {
      test(state, async ({ signedIn: page }) => {
        await show(page);
        await take(page, `${state}-wide-${colorScheme}`);
      });
    }
  });
}

test.describe('for the docs', () => {
  test.use({ colorScheme: 'light', viewport: wide });

  test('sign-in with a provider', async ({ page, service }) => {
    const config = { apiUrl: '', currency: 'EUR', provider: 'login.example' };
    await page.route('**/config.json', (route) => route.fulfill({ json: config }));
    await page.goto(service.people.url);
    await expect(page.getByRole('button', { name: 'Sign in with login.example' })).toBeFocused();
    await take(page, 'sign-in-provider-wide-light');
  });

  test('session menu', async ({ page, service }) => {
    await page.goto(`${service.people.url}/?search=garcia`);
    await signInAs(page, 'ben');
    await settled(page);
    await expect(slider(page)).toBeVisible();
    await page.getByRole('button', { name: 'Ben Sample' }).click();
    await take(page, 'session-menu-wide-light');
  });
});

/** How some people see the console. Twice the font size is below. */
const modes: Record<string, BrowserContextOptions> = {
  'forced-colors-light': { forcedColors: 'active', colorScheme: 'light' },
  'forced-colors-dark': { forcedColors: 'active', colorScheme: 'dark' },
  dark: { colorScheme: 'dark' },
  print: {},
  'zoom-200': { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
  '320-px': { viewport: { width: 320, height: 640 } },
  touch: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  german: { locale: 'de-DE' },
  'german-touch': { viewport: { width: 390, height: 844 }, hasTouch: true, locale: 'de-DE' },
};

const shown: Record<string, (page: Page) => Promise<unknown>> = {
  list: (page) => openWhole(page, '/?search=muller&sort=-lifetime_value_cents'),
  cjk: (page) => openWhole(page, '/?search=%E7%94%B0%E4%B8%AD'),
  selection: async (page) => {
    await openWhole(page, '/?search=muller');
    for (const row of [1, 2]) await page.locator('tbody [data-column=select]').nth(row).click();
  },
  customer: async (page) => {
    await openWhole(page, '/?search=muller');
    await page.locator('[data-row]').nth(1).click();
    await expect(page.locator('.detail h2')).toBeVisible();
    await expect(page.locator('.relations')).not.toContainText('…');
  },
  palette: async (page) => {
    await openWhole(page, '/?search=muller');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('anna');
    await expect(page.getByRole('option').nth(3)).toBeVisible();
  },
  filters: async (page) => {
    await openWhole(page, '/?verified=true&joinedFrom=2024-01-01');
    await page.keyboard.press('Escape');
    await page.keyboard.press('f');
  },
  'did-you-mean': async (page) => {
    await page.goto('/?search=shmidt');
    await expect(page.locator('.suggestions')).toBeVisible();
  },
};

test.describe('modes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'clientele-modes-'));
  test.afterAll(() => process.stdout.write(`pictures of every mode: ${folder}\n`));

  for (const [mode, options] of Object.entries(modes)) {
    test(mode, async ({ browser, service }) => {
      const context = await browser.newContext({
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
        viewport: wide,
        baseURL: service.url,
        ...options,
      });
      await context.request.post('/session', { data: { key: service.key } });
      for (const [state, show] of Object.entries(shown)) {
        const page = await context.newPage();
        await show(page);
        if (mode === 'print') await page.emulateMedia({ media: 'print' });
        await take(page, `${mode}-${state}`, folder);
        await page.close();
      }
      await context.close();
    });
  }

  test('large fonts', async ({ service }) => {
    const profile = await mkdtemp(join(tmpdir(), 'clientele-fonts-'));
    await mkdir(join(profile, 'Default'));
    const preferences = { webkit: { webprefs: { default_font_size: 32 } } };
    await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify(preferences));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
      viewport: { width: 1440, height: 900 },
      locale: 'en-GB',
      baseURL: service.url,
    });
    await context.request.post('/session', { data: { key: service.key } });
    for (const [state, show] of Object.entries(shown)) {
      const page = await context.newPage();
      await show(page);
      await take(page, `large-fonts-${state}`, folder);
      await page.close();
    }
    await context.close();
    await rm(profile, { recursive: true });
  });
});
