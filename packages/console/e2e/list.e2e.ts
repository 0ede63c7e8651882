import { expect, openList, rows, table, test } from './test.ts';

test('the list shows every column, the exact range and the number of pages', async ({
  signedIn: page,
  service,
}) => {
  await openList(page);
  await expect(table(page).getByRole('columnheader')).toHaveText([
    'Name',
    'Company',
    'E-mail',
    'Phone',
    'Verified',
    'Orders',
    'Lifetime value EUR',
    'Last order',
    'Customer since',
  ]);
  const total = service.customers.toLocaleString('en-GB');
  await expect(page.getByText(`1–25 of ${total}`)).toBeVisible();
  await expect(
    page.getByText(`of ${Math.ceil(service.customers / 25).toLocaleString('en-GB')}`),
  ).toBeVisible();
});

test('the pager goes to the next page, a given page and the last page', async ({
  signedIn: page,
}) => {
  await openList(page, '/?search=garcia');
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page.getByText(/^26–50 of /)).toBeVisible();
  await page.getByLabel('Page', { exact: true }).fill('7');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/?search=garcia&page=7');
  await expect(page.getByText(/^151–175 of /)).toBeVisible();
  await page.getByLabel('Page', { exact: true }).fill('99999');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Next page' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await expect(rows(page).first()).toBeVisible();
});

test('changing the page size keeps the position and is remembered', async ({ signedIn: page }) => {
  await openList(page, '/?search=garcia&page=3');
  await page.getByLabel('Rows per page').selectOption('10');
  await expect(page.getByText(/^51–60 of /)).toBeVisible();
  await page.reload();
  await expect(page.getByText(/^51–60 of /)).toBeVisible();
});

test('columns and row height can be changed and are remembered', async ({ signedIn: page }) => {
  await openList(page);
  const height = () =>
    rows(page)
      .first()
      .evaluate((row) => row.getBoundingClientRect().height);
  expect(await height()).toBe(40);
  await page.getByRole('button', { name: 'View' }).click();
  await page.getByRole('checkbox', { name: 'Company' }).uncheck();
  await page.getByLabel('Compact').check();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'View' })).toBeFocused();
  await page.reload();
  await expect(rows(page).first()).toBeVisible();
  await expect(table(page).getByRole('columnheader', { name: 'Company' })).toHaveCount(0);
  expect(await height()).toBe(32);
});

test('amounts use the currency’s format', async ({ signedIn: page }) => {
  await openList(page, '/?search=peculiar+sons');
  const cell = (name: string) => rows(page).filter({ hasText: name }).locator('.value');
  await expect(cell('Refunded Rita')).toHaveText('-42.50');
  await expect(cell('Hubert')).toHaveText('987,654,321.00');
});

test('the bar of an amount has the same length on every page, and shows refunds', async ({
  signedIn: page,
}) => {
  const barOf = (name: string) =>
    rows(page)
      .filter({ hasText: name })
      .locator('.value')
      .evaluate((value) => {
        const { backgroundSize, backgroundImage } = getComputedStyle(value);
        return { length: Number.parseFloat(backgroundSize), image: backgroundImage };
      });
  await openList(page, '/?search=peculiar+sons');
  const [rita, hubert, jürgen, none] = await Promise.all(
    ['Refunded Rita', 'Hubert', 'Jürgen', 'Only canary'].map(barOf),
  );
  expect(hubert!.length, 'a huge amount has the longest bar').toBe(64);
  expect(jürgen!.length).toBeGreaterThan(rita!.length);
  expect(rita!.length, 'a refund has a bar').toBeGreaterThan(0);
  expect(rita!.image, 'of its own colour').not.toBe(jürgen!.image);
  expect(none!.length).toBe(0);
  await openList(page, '/?search=müller-straßburger');
  expect(await barOf('Jürgen'), 'alone on its page').toEqual(jürgen);
});

test('a currency without decimals is shown without decimals', async ({ signedIn: page }) => {
  await page.route('**/config.json', (route) =>
    route.fulfill({ json: { apiUrl: '', currency: 'JPY' } }),
  );
  await openList(page, '/?search=refunded+rita');
  await expect(rows(page).locator('.value')).toHaveText('-4,250');
  await expect(table(page).getByRole('columnheader', { name: 'Lifetime value' })).toContainText(
    'JPY',
  );
});

test.describe('for a reader in Auckland', () => {
  test.use({ timezoneId: 'Pacific/Auckland' });
  test('dates use the local time zone and show the exact instant on hover', async ({
    signedIn: page,
  }) => {
    await openList(page, '/?search=refunded+rita');
    const date = rows(page).locator('time').first();
    await expect(date).toHaveText('2 Mar 2026');
    await date.hover();
    await expect(date).toHaveAttribute('title', /Monday,? 2 March 2026.*12:30:00 GMT\+13/);
    await expect(date).toHaveAttribute('datetime', '2026-03-01T23:30:00.000Z');
  });
});
