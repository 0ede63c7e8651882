import type { Page } from '@playwright/test';
import { expect, expectNoViolations, openList, rows, searchField, test } from './test.ts';

const jürgen = '00000000-0000-4000-8000-000000000006';
const palette = (page: Page) => page.getByRole('dialog', { name: 'Go to' });
const active = (page: Page) => palette(page).getByRole('option', { selected: true });
const kept = (page: Page) => page.evaluate(() => localStorage.getItem('clientele.kept'));

test('Ctrl+K opens the customer of the last call again', async ({ signedIn: page }) => {
  for (const id of [jürgen, '00000000-0000-4000-8000-000000000005']) {
    await page.goto(`/customers/${id}`);
    await expect(page.getByRole('heading', { level: 2 })).toBeVisible();
  }
  await openList(page);
  await expect(searchField(page)).toBeFocused();
  await page.keyboard.press('Control+k');
  await expect(active(page)).toContainText('Refunded Rita');
  await page.keyboard.press('ArrowDown');
  await expect(active(page)).toContainText('Jürgen Müller-Straßburger');
  await page.keyboard.press('Enter');
  await expect(palette(page)).toHaveCount(0);
  await expect(page).toHaveURL(`/customers/${jürgen}`);
});

test('the palette searches, and what Enter runs does not change when customers arrive', async ({
  signedIn: page,
}) => {
  await openList(page);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('garcia');
  await expect(active(page)).toHaveText('Search for “garcia”');
  await expect(
    palette(page)
      .getByRole('option', { name: /García/ })
      .first(),
  ).toBeVisible();
  await expect(active(page)).toHaveText('Search for “garcia”');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/?search=garcia');
  await expect(searchField(page)).toHaveValue('garcia');
  await expect(page.getByRole('main'), 'the keyboard continues at the list').toBeFocused();
  await page.keyboard.press('j');
  await expect(rows(page).first().getByRole('link')).toBeFocused();
});

test('a pinned search is found by its name until it is unpinned', async ({ signedIn: page }) => {
  await openList(page, '/?search=peculiar+sons');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('pin');
  await expect(active(page)).toHaveText('Pin “peculiar sons”');
  await page.keyboard.press('Enter');
  await openList(page);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('sons');
  await expect(active(page)).toHaveText('peculiar sons');
  await page.keyboard.press('Enter');
  await expect(rows(page)).toHaveCount(8);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('unpin');
  await page.keyboard.press('Enter');
  expect(JSON.parse((await kept(page))!)).toMatchObject({ lists: [] });
});

test('commands run from the palette, with single keys turned off too', async ({
  signedIn: page,
}) => {
  await openList(page);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('export');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Export as CSV' });
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('compact');
  await page.keyboard.press('Enter');
  await expect(page.locator('table.customers')).toHaveAttribute('data-density', 'dense');
  await page.keyboard.press('?');
  await page.getByLabel('Use single keys as commands').uncheck();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('keyboard');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
});

test('the palette has no axe violation', async ({ signedIn: page }) => {
  test.setTimeout(600_000);
  await openList(page, `/?search=peculiar+sons&customer=${jürgen}`);
  await expect.poll(() => kept(page)).toContain(jürgen);
  await page.keyboard.press('Control+k');
  await expect(active(page)).toContainText('Jürgen');
  await expectNoViolations(page, 'what it offers');
  await page.keyboard.type('garcia');
  await expect(
    palette(page)
      .getByRole('option', { name: /García/ })
      .first(),
  ).toBeVisible();
  await expectNoViolations(page, 'what it found');
});

test('Escape closes the palette and gives the focus back', async ({ signedIn: page }) => {
  await openList(page);
  await rows(page).nth(3).getByRole('link').focus();
  await page.keyboard.press('Control+k');
  await expect(palette(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(palette(page)).toHaveCount(0);
  await expect(rows(page).nth(3).getByRole('link')).toBeFocused();
});

test('only identifiers of customers are kept, and signing out removes everything', async ({
  signedIn: page,
}) => {
  await openList(page, `/?search=peculiar+sons&customer=${jürgen}`);
  await expect.poll(() => kept(page)).toContain(jürgen);
  expect(await kept(page)).not.toContain('Jürgen');
  await page.getByRole('button', { name: 'Support desk' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByLabel('Access key')).toBeVisible();
  expect(await kept(page)).toBeNull();
});

test('another key does not see what was kept, the same key does', async ({ page, service }) => {
  const signIn = async (key: string) => {
    await page.getByLabel('Access key').fill(key);
    await page.keyboard.press('Enter');
    await expect(
      rows(page)
        .or(page.getByRole('heading', { level: 2 }))
        .first(),
    ).toBeVisible();
  };
  await page.goto(`/customers/${jürgen}`);
  await signIn(service.key);
  await expect.poll(() => kept(page)).toContain(jürgen);
  await page.context().clearCookies();
  await page.goto('/');
  await signIn(service.key);
  expect(await kept(page), 'the same key').toContain(jürgen);
  await page.evaluate(() => {
    const other = { ...JSON.parse(localStorage.getItem('clientele.kept')!), owner: 'other' };
    localStorage.setItem('clientele.kept', JSON.stringify(other));
  });
  await page.context().clearCookies();
  await page.goto('/');
  await signIn(service.key);
  expect(await kept(page), 'another key').not.toContain(jürgen);
});
