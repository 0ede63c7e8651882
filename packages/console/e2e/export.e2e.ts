import { readFile } from 'node:fs/promises';
import { expect, openList, test } from './test.ts';

test('an export shows the exact count and saves every match once', async ({ signedIn: page }) => {
  await openList(page, '/?search=garcia');
  const count = (await page.getByText(/ matches$/).innerText()).replace(' matches', '');
  await page.getByRole('button', { name: 'Export' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export as CSV' });
  await expect(dialog).toContainText(`${count} customers matching “garcia”.`);
  const saved = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Export' }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toMatch(/^Customers-garcia-\d{4}-\d\d-\d\d\.csv$/);
  await expect(dialog.getByText(`${count} customers exported.`)).toBeVisible();
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
  expect(lines[0]).toBe(
    '\uFEFFIdentifier,Name,E-mail,Phone,Company,Verified,Orders,Lifetime value (EUR),Last order,Customer since',
  );
  expect(lines.length - 1).toBe(Number(count.replaceAll(',', '')));
  expect(new Set(lines.map((line) => line.split(',')[0])).size).toBe(lines.length);
});

test('an exported file is safe to open in a spreadsheet', async ({ signedIn: page }) => {
  await openList(page, '/?search=peculiar+sons');
  await page.getByRole('button', { name: 'Export' }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
  const text = await readFile(await (await saved).path(), 'utf8');
  expect(text).toContain(`"'=HYPERLINK(""https://evil.example"",""Click"")"`);
  expect(text).toContain(`'+1 (415) 555-0199`);
  expect(text).toContain(',-42.50,');
  expect(text).toContain('Jürgen Müller-Straßburger');
  expect(text.split('\r\n').filter((line) => /(^|,)"?[=+@]/.test(line))).toEqual([]);
});

test('a cancelled export saves nothing', async ({ signedIn: page }) => {
  await openList(page);
  let downloads = 0;
  page.on('download', () => (downloads += 1));
  await page.getByRole('button', { name: 'Export' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText(/All 100,\d{3} customers\./);
  await dialog.getByRole('button', { name: 'Export' }).click();
  await expect(dialog.getByRole('progressbar')).toBeVisible();
  await expect(dialog.getByRole('status')).toContainText(/^[1-9][\d,]* of 100,\d{3}$/);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog.getByRole('button', { name: 'Export' })).toBeVisible();
  expect(downloads).toBe(0);
});
