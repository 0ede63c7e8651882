import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, expectNoViolations, openList, panel, rows, searchField, test } from './test.ts';

const path = '/?search=peculiar+sons';
const bar = (page: Page) => page.getByRole('region', { name: 'Selection' });
const box = (page: Page, row: number) => rows(page).nth(row).getByRole('checkbox');

test('rows are selected with the keyboard, and their e-mails copied', async ({
  signedIn: page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openList(page, path);
  await page.keyboard.press('Escape');
  await rows(page).nth(2).getByRole('link').focus();
  await page.keyboard.press('Space');
  await expect(bar(page)).toContainText('1 selected');
  await page.keyboard.press('Shift+ArrowDown');
  await expect(rows(page).nth(3).getByRole('link')).toBeFocused();
  await expect(bar(page)).toContainText('2 selected');
  await expectNoViolations(page, 'selection');
  await page.keyboard.press('e');
  await expect(bar(page).getByRole('status')).toContainText('Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    'peculiar.6@directory.example\npeculiar.5@directory.example',
  );
  await page.keyboard.press('Control+a');
  await expect(bar(page)).toContainText('8 selected');
  await page.keyboard.press('Space');
  await expect(bar(page)).toContainText('7 selected');
  await page.keyboard.press('Escape');
  await expect(bar(page)).toHaveCount(0);
});

test('the mouse selects a row, with Shift all rows between, and the header the whole page', async ({
  signedIn: page,
}) => {
  await openList(page, path);
  await box(page, 1).click();
  await box(page, 4).click({ modifiers: ['Shift'] });
  await expect(bar(page)).toContainText('4 selected');
  await expect(page, 'no customer opens').toHaveURL(path);
  await page.getByLabel('Select all rows on this page').check();
  await expect(bar(page)).toContainText('8 selected');
  await page.getByLabel('Select all rows on this page').uncheck();
  await expect(bar(page)).toHaveCount(0);
});

test('a selection spans the pages of one search and never shows in another', async ({
  signedIn: page,
}) => {
  await openList(page, '/?search=garcia');
  await box(page, 0).click();
  await page.keyboard.press(']');
  await expect(page.getByText(/^26–50 of /)).toBeVisible();
  await box(page, 0).click();
  await expect(bar(page)).toContainText('2 selected');
  await searchField(page).fill('rossi');
  await expect(page).toHaveURL('/?search=rossi');
  await expect(bar(page)).toHaveCount(0);
});

test('while another page loads, the selection cannot be used', async ({ signedIn: page }) => {
  await openList(page, '/?search=garcia');
  await box(page, 0).click();
  let answer = () => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/v3/customers?*page=2*', async (route) => {
    await held;
    await route.continue();
  });
  await page.keyboard.press(']');
  await expect(bar(page)).toHaveAttribute('inert');
  await page.keyboard.press('s');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  answer();
  await expect(page.getByText(/^26–50 of /)).toBeVisible();
  await expect(bar(page)).not.toHaveAttribute('inert');
});

test('two customers are compared side by side', async ({ signedIn: page }) => {
  await openList(page, path);
  await box(page, 2).click();
  await page.keyboard.press('v');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await box(page, 3).click();
  await page.keyboard.press('v');
  const dialog = page.getByRole('dialog', { name: 'Compare customers' });
  const line = (name: string) => dialog.getByRole('row', { name: new RegExp(`^${name}`) });
  await expect(line('Company')).toHaveText(/^Company.*=/);
  await expect(line('Phone')).toHaveText(/\+49 \(0\)170 555-0188≠\+1 \(415\) 555-0199/);
  await expectNoViolations(page, 'comparison');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
});

for (const { format, phone, start } of [
  { format: 'For spreadsheets', phone: `'+1 (415) 555-0199`, start: '\uFEFFIdentifier,Name' },
  { format: 'Raw, for other programs', phone: ',+1 (415) 555-0199', start: 'id,name' },
]) {
  test(`the selection is exported: ${format}`, async ({ signedIn: page }) => {
    await openList(page, path);
    await box(page, 3).click();
    await page.keyboard.press('s');
    const dialog = page.getByRole('dialog', { name: 'Export as CSV' });
    await expect(dialog).toContainText('1 selected customer.');
    await dialog.getByRole('radio', { name: format }).check();
    await expectNoViolations(page, 'export of the selection');
    const saved = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Export' }).click();
    const text = await readFile(await (await saved).path(), 'utf8');
    expect(text.trimEnd().split('\r\n')).toHaveLength(2);
    expect(text).toContain(phone);
    expect(text.startsWith(start)).toBe(true);
  });
}

test('a raw export of a search has every value unchanged', async ({ signedIn: page }) => {
  await openList(page, path);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Refresh' }).focus();
  await page.keyboard.press('x');
  const dialog = page.getByRole('dialog', { name: 'Export as CSV' });
  await dialog.getByRole('radio', { name: 'Raw, for other programs' }).check();
  const saved = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Export' }).click();
  const text = await readFile(await (await saved).path(), 'utf8');
  expect(text).toContain(',+1 (415) 555-0199,');
  expect(text).toContain(`"=HYPERLINK(""https://evil.example"",""Click"")"`);
});

test('signing out clears the selection', async ({ signedIn: page, service }) => {
  await openList(page, path);
  await box(page, 1).click();
  await page.getByRole('button', { name: 'Support desk' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Access key').fill(service.key);
  await page.keyboard.press('Enter');
  await expect(rows(page)).toHaveCount(8);
  await expect(bar(page)).toHaveCount(0);
  await expect(panel(page)).toHaveCount(0);
});
