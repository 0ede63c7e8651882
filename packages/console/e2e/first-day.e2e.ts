import { readFile } from 'node:fs/promises';
import { expect, panel, rows, searchField, settled, test } from './test.ts';

test('first use: sign in, search by part of a surname and a phone, open, copy, export', async ({
  page,
  service,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/');
  await expect(page.getByLabel('Access key')).toBeFocused();
  await page.keyboard.type(service.key);
  await page.keyboard.press('Enter');
  await expect(rows(page)).toHaveCount(25);

  // Typed without clicking: the search field has the focus after signing in.
  await page.keyboard.type('lindqv 4726');
  await expect(page.getByText('opens Siv Lindqvist')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(panel(page).getByRole('heading', { level: 2 })).toBeFocused();
  await page.keyboard.press('e');
  await expect(panel(page).getByRole('status')).toContainText('Copied: sivlindqvist@');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('sivlindqvist@');
  await page.keyboard.press('Escape');

  await searchField(page).fill('lindqvist');
  await expect(page).toHaveURL('/?search=lindqvist');
  await settled(page);
  const count = await rows(page).count();
  await page.getByRole('button', { name: 'Export' }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
  const text = await readFile(await (await saved).path(), 'utf8');
  expect(text.trimEnd().split('\r\n')).toHaveLength(count + 1);
});
