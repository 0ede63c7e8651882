/** Ten typical calls with the keyboard only. The name of each test says how many keys it takes: never more. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, openList, panel, rows, searchField, settled, test } from './test.ts';

const list = '/?search=peculiar+sons';
const jürgen = '00000000-0000-4000-8000-000000000006';
const tina = '00000000-0000-4000-8000-000000000009';

/** A keyboard that counts: a letter, a key and a key with Ctrl or Shift are one each. */
function countKeys(page: Page) {
  let count = 0;
  return {
    type: async (text: string) => {
      count += text.length;
      await page.keyboard.type(text);
    },
    press: async (...keys: string[]) => {
      count += keys.length;
      for (const key of keys) await page.keyboard.press(key);
    },
    count: () => count,
  };
}

const heading = (page: Page) => page.getByRole('heading', { level: 2 });
const chosen = (page: Page) => page.getByRole('dialog').getByRole('option', { selected: true });
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

async function openCustomer(page: Page, path = `${list}&customer=${jürgen}`): Promise<void> {
  await page.goto(path);
  await expect(heading(page)).toBeFocused();
}

test.beforeEach(async ({ context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
});

test('“Lindqvist, my number ends in 4726”: 12 keys', async ({ signedIn: page }) => {
  const keys = countKeys(page);
  await openList(page);
  await keys.type('lindqv 4726');
  await expect(page.getByText('opens Siv Lindqvist')).toBeVisible();
  await keys.press('Enter');
  await expect(heading(page)).toHaveText('Siv Lindqvist');
  expect(keys.count()).toBe(12);
});

test('the caller of a minute ago calls again: 2 keys', async ({ signedIn: page }) => {
  const keys = countKeys(page);
  await openCustomer(page);
  await openList(page, '/?search=garcia');
  await keys.press('Control+k');
  await expect(chosen(page)).toContainText('Jürgen');
  await keys.press('Enter');
  await expect(heading(page)).toHaveText('Jürgen Müller-Straßburger');
  expect(keys.count()).toBe(2);
});

test('a ticket needs all about the customer: 1 key', async ({ signedIn: page }) => {
  const keys = countKeys(page);
  await openCustomer(page);
  await keys.press('a');
  await expect(panel(page).getByRole('status')).toContainText('Copied');
  expect(await clipboard(page)).toMatch(/^Name: Jürgen Müller-Straßburger\n(.+\n)+Link: http/);
  expect(keys.count()).toBe(1);
});

test('a colleague should look at the customer: 1 key', async ({ signedIn: page }) => {
  const keys = countKeys(page);
  await openCustomer(page);
  await keys.press('l');
  await expect(panel(page).getByRole('status')).toContainText('Copied');
  expect(await clipboard(page)).toMatch(`/customers/${jürgen}`);
  expect(keys.count()).toBe(1);
});

test('“which of my colleagues are with you?”: 1 key', async ({ signedIn: page }) => {
  const keys = countKeys(page);
  await openCustomer(page);
  await expect(panel(page).getByText('8 customers')).toBeVisible();
  await keys.press('c');
  await expect(page.getByText('8 matches')).toBeVisible();
  expect(keys.count()).toBe(1);
});

test('“I get everything twice”: no key', async ({ signedIn: page }) => {
  await openCustomer(page, `/customers/${tina}`);
  await expect(page.locator('.duplicates li')).toHaveCount(2);
});

test('which of two records is right: 3 keys', async ({ signedIn: page }) => {
  const keys = countKeys(page);
  await openList(page, list);
  await rows(page).nth(2).getByRole('link').focus();
  await keys.press('Space', 'Shift+ArrowDown', 'v');
  await expect(page.getByRole('dialog', { name: 'Compare customers' })).toBeVisible();
  expect(keys.count()).toBe(3);
});

test('one message to four customers: 5 keys', async ({ signedIn: page }) => {
  const keys = countKeys(page);
  await openList(page, list);
  await rows(page).nth(0).getByRole('link').focus();
  await keys.press('Space', 'Shift+ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowDown', 'e');
  await expect(page.getByRole('region', { name: 'Selection' }).getByRole('status')).toContainText(
    'Copied',
  );
  expect((await clipboard(page)).split('\n')).toHaveLength(4);
  expect(keys.count()).toBe(5);
});

test('the search of every morning: 5 keys', async ({ signedIn: page }) => {
  await openList(page, '/?search=gmbh+berlin');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('pin');
  await page.keyboard.press('Enter');
  await openList(page);
  const keys = countKeys(page);
  await keys.press('Control+k');
  await keys.type('ber');
  await expect(chosen(page)).toHaveText('gmbh berlin');
  await keys.press('Enter');
  await expect(searchField(page)).toHaveValue('gmbh berlin');
  await settled(page);
  expect(keys.count()).toBe(5);
});

test('a list for the CRM, phone numbers unchanged: 5 keys', async ({ signedIn: page }) => {
  const keys = countKeys(page);
  await openList(page, list);
  await rows(page).nth(0).getByRole('link').focus();
  const saved = page.waitForEvent('download');
  await keys.press('x', 'Tab', 'ArrowDown', 'Tab', 'Enter');
  expect(await readFile(await (await saved).path(), 'utf8')).toContain(',+1 (415) 555-0199,');
  expect(keys.count()).toBe(5);
});
