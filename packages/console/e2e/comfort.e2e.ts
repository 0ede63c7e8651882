/** Small things that a day of work is made of. */
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { expect, openList, panel, rows, searchField, settled, test } from './test.ts';

const list = '/?search=peculiar+sons';
const jürgen = '00000000-0000-4000-8000-000000000006';
const tina = '00000000-0000-4000-8000-000000000009';
const options = (page: Page) => page.getByRole('dialog').getByRole('option');

test('a slash before a search is swallowed', async ({ signedIn: page }) => {
  await openList(page);
  await expect(searchField(page)).toBeFocused();
  await page.keyboard.type('/garcia');
  await expect(searchField(page)).toHaveValue('garcia');
  await expect(page).toHaveURL('/?search=garcia');
});

test('a pin keeps search, filters and order, and is found before recent customers', async ({
  signedIn: page,
}) => {
  const pinned = '/?search=peculiar&verified=true&sort=-lifetime_value_cents';
  await openList(page, `${list}&customer=${jürgen}`);
  await expect(page.getByRole('heading', { level: 2 })).toBeFocused();
  await openList(page, pinned);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('pin');
  await page.keyboard.press('Enter');
  await openList(page);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('pecul');
  await expect(options(page).first()).toHaveText('peculiar · Verified · Highest value first');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(pinned);
});

test('a list with filters only can be pinned', async ({ signedIn: page }) => {
  await openList(page, '/?hasOrders=false');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('pin');
  await expect(options(page).first()).toHaveText('Pin “No orders”');
});

test('one key hint is shown for one action', async ({ signedIn: page }) => {
  await openList(page, list);
  for (const row of [0, 1]) await rows(page).nth(row).getByRole('checkbox').click();
  const hints = page.locator('kbd', { hasText: /^e$/ });
  await expect(hints).toHaveCount(1);
  await rows(page).nth(2).click();
  await expect(page.getByRole('heading', { level: 2 })).toBeFocused();
  await expect(hints).toHaveCount(1);
  await expect(panel(page).locator('kbd', { hasText: /^e$/ })).toBeVisible();
});

test('paper shows the customer without the list and controls, or all of the list', async ({
  signedIn: page,
}) => {
  await page.setViewportSize({ width: 1280, height: 500 });
  await page.emulateMedia({ media: 'print' });
  await page.goto(`${list}&customer=${jürgen}`);
  await expect(panel(page).getByText('+49 (0)170 555-0188')).toBeVisible();
  await expect(page.locator('.customers')).toBeHidden();
  await expect(page.getByRole('button').filter({ visible: true })).toHaveCount(0);
  await expect(page.locator('kbd').filter({ visible: true })).toHaveCount(0);
  const isCut = await panel(page).evaluate((pane) => getComputedStyle(pane).overflow !== 'visible');
  expect(isCut).toBe(false);
  await page.goto('/');
  await expect(rows(page)).toHaveCount(25);
  await expect(rows(page).last().getByRole('link')).toBeVisible();
  expect(await page.locator('.scroll').evaluate((e) => getComputedStyle(e).overflow)).toBe(
    'visible',
  );
  await expect(page.locator('.customers [data-column=select]').first()).toBeHidden();
});

test('letters are as large as the browser’s font size says', async ({ service }) => {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-fonts-'));
  await mkdir(join(folder, 'Default'));
  const preferences = { webkit: { webprefs: { default_font_size: 32 } } };
  await writeFile(join(folder, 'Default', 'Preferences'), JSON.stringify(preferences));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
  });
  await context.request.post(`${service.url}/session`, { data: { key: service.key } });
  const page = await context.newPage();
  await openList(page, service.url);
  const size = await rows(page)
    .first()
    .evaluate((row) => getComputedStyle(row).fontSize);
  expect(size).toBe('30px');
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBeLessThanOrEqual(0);
  await context.close();
  await rm(folder, { recursive: true });
});

test('three customers are compared, and a selection that cannot be says why', async ({
  signedIn: page,
}) => {
  await openList(page, '/?search=twice');
  await rows(page).first().getByRole('checkbox').click();
  await page.keyboard.press('v');
  await expect(page.getByRole('region', { name: 'Selection' }).getByRole('status')).toHaveText(
    'Select two to four customers to compare them.',
  );
  for (const row of [1, 2]) await rows(page).nth(row).getByRole('checkbox').click();
  await page.keyboard.press('v');
  const dialog = page.getByRole('dialog', { name: 'Compare customers' });
  await expect(dialog.getByRole('columnheader')).toHaveCount(3);
  await expect(dialog.getByRole('row', { name: /Company/ }).getByRole('img')).toHaveCount(2);
});

test('one person with two addresses at one company is a possible duplicate', async ({
  signedIn: page,
}) => {
  const answer = async (search: string) => {
    const response = await page.request.get(`/v3/customers?search=${search}`);
    return (await response.json()) as { data: { uuid: string; full_name: string }[] };
  };
  const { data } = await answer('twice');
  const namesake = {
    ...data.find(({ uuid }) => uuid === tina)!,
    uuid: tina.replace(/9$/, '8'),
    email_address: 'other@twice.example',
    phone_number: null,
  };
  await page.route('**/v3/customers?*Twice+Ltd*', (route) =>
    route.fulfill({
      json: { data: [namesake], pagination: { page: 1, per_page: 20, total: 1 } },
    }),
  );
  await page.goto(`/customers/${tina}`);
  await expect(page.locator('.duplicates')).toContainText('same name and company');
});

test('the table is one tab stop; arrows, Home, End, Page Up and Page Down move within', async ({
  signedIn: page,
}) => {
  await openList(page);
  await expect(page.locator('[data-row][tabindex="0"]')).toHaveCount(1);
  const link = (row: number) => rows(page).nth(row).getByRole('link');
  await link(0).focus();
  for (const [key, row] of [
    ['End', 24],
    ['Home', 0],
    ['PageDown', 10],
    ['ArrowDown', 11],
    ['PageUp', 1],
  ] as const) {
    await page.keyboard.press(key);
    await expect(link(row), key).toBeFocused();
  }
  await page.keyboard.press('Tab');
  await expect(page.locator('.customers :focus')).toHaveCount(0);
  await page.keyboard.press('Shift+Tab');
  await expect(link(1), 'the row that had the focus').toBeFocused();
});

test('filters have days by name, and Apply keeps the focus', async ({ signedIn: page }) => {
  await page.clock.setFixedTime('2026-11-18T10:00:00Z');
  await openList(page, '/?verified=true');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('button', { name: 'Last month' }).click();
  await expect(page).toHaveURL('/?verified=true&joinedFrom=2026-10-01&joinedTo=2026-11-01');
  await page.getByRole('button', { name: 'Last 7 days' }).click();
  await expect(page).toHaveURL('/?verified=true&joinedFrom=2026-11-12&joinedTo=2026-11-19');
  await page.getByLabel('First day').fill('2024-01-01');
  await page.getByRole('button', { name: 'Apply' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/?verified=true&joinedFrom=2024-01-01&joinedTo=2026-11-19');
  await expect(page.getByRole('button', { name: 'Apply' })).toBeFocused();
});

test('few matches have other spellings below them, which Enter does not use', async ({
  signedIn: page,
}) => {
  await page.route('**/v3/customers/suggestions?*', (route) =>
    route.fulfill({ json: { data: [{ search: 'twist', total: 16 }] } }),
  );
  await openList(page, '/?search=twice');
  const also = page.getByRole('region', { name: 'Also spelt' });
  await expect(also).toContainText('twist');
  await expect(also).toContainText('16 matches');
  await searchField(page).press('Enter');
  await expect(page).toHaveURL('/?search=twice');
  await page.keyboard.press('Escape');
  await openList(page, '/?search=garcia');
  await expect(also).toHaveCount(0);
});

for (const width of [390, 320]) {
  test(`in a window of ${width} pixels, the header and the pager are one line each`, async ({
    signedIn: page,
  }) => {
    await page.setViewportSize({ width, height: 800 });
    await openList(page);
    for (const bar of ['.top', '.pager']) {
      const heights = await page.locator(bar).evaluate((element) => {
        const tops = [...element.querySelectorAll('button, select, input')]
          .filter((each) => each.checkVisibility())
          .map((each) => each.getBoundingClientRect());
        const middles = tops.map(({ top, height }) => top + height / 2);
        return Math.max(...middles) - Math.min(...middles);
      });
      expect(heights, bar).toBeLessThan(12);
    }
  });
}

test('on a phone, the list can be sorted by what has no column', async ({ browser, service }) => {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    locale: 'en-GB',
  });
  await context.request.post(`${service.url}/session`, { data: { key: service.key } });
  const page = await context.newPage();
  await openList(page, service.url);
  await page.getByRole('button', { name: 'Newest first' }).tap();
  await page.getByRole('radio', { name: 'Latest order first' }).check();
  await expect(page).toHaveURL(/\?sort=-last_order_at$/);
  await settled(page);
  await context.close();
});

test('when the day’s records are used up, the local time of the next ones is said', async ({
  signedIn: page,
}) => {
  await page.route('**/v3/customers?*', (route) =>
    route.fulfill({
      status: 429,
      contentType: 'application/problem+json',
      json: {
        type: '/docs#records-used-up',
        title: 'Daily records used up',
        status: 429,
        detail: 'Wait.',
        code: 'records-used-up',
        request_id: 'c0ffee00-0000-4000-8000-000000000000',
      },
    }),
  );
  await page.goto('/');
  await expect(page.getByRole('alert')).toContainText('Daily limit reached');
  await expect(page.getByRole('alert')).toContainText(/from 0[12]:00 \(midnight UTC\)/);
});
