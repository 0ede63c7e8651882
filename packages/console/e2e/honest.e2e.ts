/** What the console shows is true, and what it cannot do it says: nobody is misled. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, openList, panel, rows, searchField, settled, test } from './test.ts';

const list = '/?search=peculiar+sons';
const rita = '00000000-0000-4000-8000-000000000005';
const withoutPhone = '00000000-0000-4000-8000-000000000007';
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

test('in forced colours, matches are readable, and the open and the selected rows are marked', async ({
  signedIn: page,
}) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await openList(page, `${list}&customer=${rita}`);
  const styleOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => {
        const { color, backgroundColor, textDecorationLine, outlineStyle, outlineColor } =
          getComputedStyle(element);
        return { color, backgroundColor, textDecorationLine, outlineStyle, outlineColor };
      });
  const match = await styleOf('tbody mark');
  expect(match.textDecorationLine, 'a line as high as the text would cover it').toBe('none');
  expect(match.backgroundColor).not.toBe(match.color);
  const plain = await styleOf('tbody tr:not([aria-current]):not(:focus-within)');
  const open = await styleOf('tr[aria-current]');
  expect([plain.outlineStyle, open.outlineStyle]).toEqual(['none', 'solid']);
  await page.keyboard.press('Escape');
  await rows(page).nth(2).getByRole('checkbox').click();
  const selected = await styleOf('tr[data-selected] > th');
  const other = await styleOf('tbody tr:not([data-selected]) > th');
  expect(selected.backgroundColor).not.toBe(other.backgroundColor);
  expect(selected.backgroundColor).not.toBe(selected.color);
});

test('a key that has nothing to copy says so, and the clipboard is not taken for the customer’s', async ({
  signedIn: page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${list}&customer=${rita}`);
  await expect(page.getByRole('heading', { level: 2 })).toBeFocused();
  await page.keyboard.press('p');
  await expect(panel(page).getByRole('status')).toContainText('Copied: +1 (415) 555-0199');
  await page.goto(`${list}&customer=${withoutPhone}`);
  await expect(page.getByRole('heading', { level: 2 })).toBeFocused();
  await page.keyboard.press('p');
  await expect(panel(page).locator('.refused')).toHaveText('No phone number. Nothing was copied.');
  await expect(panel(page).getByRole('status')).toHaveText('No phone number. Nothing was copied.');
  expect(await clipboard(page)).toBe('+1 (415) 555-0199');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('copy');
  await expect(page.getByRole('option', { name: 'Copy identifier' })).toBeVisible();
  await expect(page.getByRole('option', { name: 'Copy phone' })).toHaveCount(0);
});

test('a search by a masked person says what was not searched, and that a hidden value was not copied', async ({
  page,
  service,
}) => {
  const { url, key } = service.masked;
  await page.context().request.post(`${url}/session`, { data: { key } });
  await page.goto(`${url}/?search=${encodeURIComponent('+1 (415) 555-0199')}`);
  const notice = page.getByRole('alert');
  await expect(notice).toContainText('Every word must appear in the name or company.');
  await expect(notice).toContainText('E-mail addresses and phone numbers were not searched');
  await expect(notice).toContainText('The customer may exist.');
  await page.goto(`${url}/?search=415+555&verified=true`);
  await expect(notice).toContainText('were not searched');
  await expect(searchField(page)).toHaveAttribute('placeholder', 'Name, company');
  await openList(page, url);
  await rows(page).first().click();
  await expect(page.getByRole('heading', { level: 2 })).toBeFocused();
  for (const pressed of ['e', 'p']) {
    await page.keyboard.press(pressed);
    await expect(panel(page).getByRole('status')).toHaveText('Hidden. Nothing was copied.');
  }
  await page.keyboard.press('Escape');
  await rows(page).first().getByRole('checkbox').click();
  await page.keyboard.press('e');
  await expect(page.getByRole('region', { name: 'Selection' }).getByRole('status')).toHaveText(
    'Hidden. Nothing was copied.',
  );
});

test('a phone number is found digit by digit, and with any separators', async ({
  signedIn: page,
}) => {
  for (const number of ['4 1 5 5 5 5 0 1 9 9', '415,555,0199', '(415) · 555 · 0199']) {
    await openList(page, `/?search=${encodeURIComponent(number)}`);
    await expect(rows(page)).toHaveCount(1);
    await expect(rows(page).first()).toContainText('Refunded Rita');
    await expect(rows(page).first().locator('[data-column=phone] mark')).toHaveText(
      '415) 555-0199',
    );
  }
});

test('the order is always visible, with a way back to newest first that keeps search and filters', async ({
  signedIn: page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await openList(page, '/?search=anna&verified=true');
  const order = page.locator('.order');
  await expect(order).toHaveText('Newest first');
  const head = page.getByRole('columnheader', { name: /Lifetime value/ }).getByRole('button');
  await head.click();
  await expect(order).toHaveText('Highest value first');
  await head.click();
  await expect(order).toHaveText('Lowest value first');
  await head.click();
  await expect(page, 'the third click').toHaveURL('/?search=anna&verified=true');
  await expect(order).toHaveText('Newest first');
  await head.click();
  await page.getByRole('button', { name: 'Back to newest first' }).click();
  await expect(page).toHaveURL('/?search=anna&verified=true');
  await expect(order.getByRole('button')).toBeFocused();
  // By keyboard, also by a column that has no room.
  await page.keyboard.press('o');
  await page.getByRole('radio', { name: 'Oldest first' }).check();
  await expect(page).toHaveURL('/?search=anna&verified=true&sort=created_at');
  await expect(order.getByRole('button').first()).toHaveText('Oldest first');
});

test('the open customer’s row is in view, after steps and from a link', async ({
  signedIn: page,
}) => {
  await page.setViewportSize({ width: 1280, height: 640 });
  await openList(page);
  await rows(page).first().click();
  await expect(page.getByRole('heading', { level: 2 })).toBeFocused();
  const current = page.locator('tr[aria-current]');
  for (let step = 0; step < 20; step += 1) {
    const before = new URL(page.url()).searchParams.get('customer');
    await page.keyboard.press('j');
    await expect.poll(() => new URL(page.url()).searchParams.get('customer')).not.toBe(before);
  }
  await expect(current).toBeInViewport({ ratio: 0.9 });
  const link = page.url();
  await page.goto('/');
  await page.goto(link);
  await settled(page);
  await expect(current).toBeInViewport({ ratio: 0.9 });
});

test('a file for spreadsheets is in the reader’s language, with phone numbers as text and a name that says what it is', async ({
  browser,
  service,
}) => {
  const context = await browser.newContext({ locale: 'de-DE', timezoneId: 'Europe/Berlin' });
  await context.request.post(`${service.url}/session`, { data: { key: service.key } });
  const page = await context.newPage();
  await page.clock.setFixedTime('2026-11-17T23:30:00Z');
  await page.goto(`${service.url}/?search=twice`);
  await expect(page.getByText('3 Treffer')).toBeVisible();
  await page.getByRole('button', { name: 'Export' }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('dialog').getByRole('button', { name: 'Exportieren' }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe('Kunden-twice-2026-11-18.csv');
  const [head, ...lines] = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
  expect(head).toContain('Name;E-Mail;Telefon;Firma;Verifiziert;Bestellungen;Gesamtumsatz (EUR);');
  expect(lines).toHaveLength(3);
  expect(lines.every((line) => line.includes('"123,45"'))).toBe(true);
  expect(lines.join('\n')).toContain(`"'0044 2079460018"`);
  await context.close();
});

test('the timeline has a heading, and a handful of matches has none', async ({
  signedIn: page,
}) => {
  await openList(page, list);
  await expect(page.locator('.timeline').getByText('When they joined')).toBeVisible();
  await page.getByRole('slider').hover({ position: { x: 5, y: 10 } });
  await expect(page.locator('.timeline .note')).toBeVisible();
  await expect(page.locator('.timeline .heading')).toHaveCount(0);
  await expect(page.locator('.axis > span').first(), 'what the note would cover').toBeHidden();
  await openList(page, '/?search=twice');
  await expect(rows(page)).toHaveCount(3);
  await page.waitForLoadState('networkidle');
  await expect(page.locator('.timeline')).toHaveCount(0);
});

test('a period ends where the filter does', async ({ signedIn: page }) => {
  await openList(page, '/?joinedFrom=2016-01-01&joinedTo=2019-01-01');
  const slider = page.getByRole('slider');
  await slider.focus();
  await page.keyboard.press('End');
  await expect(page.locator('.timeline .note')).toContainText('2018');
  await expect(page.locator('.timeline .note')).not.toContainText('2019');
});
