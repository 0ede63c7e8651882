/** Links from a customer to other systems, as the operator set them. */
import type { Page } from '@playwright/test';
import { expect, openList, panel, rows, test } from './test.ts';

const jürgen = '00000000-0000-4000-8000-000000000006';
const orders = `https://shop.example/orders?customer=${jürgen}`;
const tickets = 'https://help.example/?q=peculiar.6%40directory.example';

async function openCustomer(page: Page): Promise<void> {
  await page
    .context()
    .route(/^https:\/\/(shop|help)\.example\//, (route) => route.fulfill({ body: 'elsewhere' }));
  await page.goto(`/?search=peculiar+sons&customer=${jürgen}`);
  await expect(page.getByRole('heading', { level: 2 })).toBeFocused();
}

test('a customer has links with its values encoded, and digits open them in another tab', async ({
  signedIn: page,
}) => {
  await openCustomer(page);
  await expect(panel(page).getByRole('link', { name: 'Orders' })).toHaveAttribute('href', orders);
  await expect(panel(page).getByRole('link', { name: 'Tickets' })).toHaveAttribute('href', tickets);
  for (const [key, href] of [
    ['1', orders],
    ['2', tickets],
  ] as const) {
    const opened = page.context().waitForEvent('page');
    await page.keyboard.press(key);
    const tab = await opened;
    await tab.waitForURL(href);
    expect(await tab.evaluate(() => [document.referrer, opener])).toEqual(['', null]);
    await tab.close();
  }
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toContainText('Open a link to another system');
});

test('the palette has them while a customer is open', async ({ signedIn: page }) => {
  await openCustomer(page);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('tick');
  const chosen = page.getByRole('dialog').getByRole('option', { selected: true });
  await expect(chosen).toContainText('Tickets');
  const opened = page.context().waitForEvent('page');
  await page.keyboard.press('Enter');
  await (await opened).waitForURL(tickets);
  await openList(page);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('tick');
  await expect(page.getByRole('option', { name: 'Search for “tick”' })).toBeVisible();
  await expect(page.getByRole('option', { name: 'Tickets' })).toHaveCount(0);
});

test('a masked person gets no link that needs a hidden value', async ({ page, service }) => {
  const { url, key } = service.masked;
  await page.context().request.post(`${url}/session`, { data: { key } });
  await openList(page, url);
  await rows(page).first().click();
  await expect(panel(page).getByRole('link', { name: 'Orders' })).toBeVisible();
  await expect(panel(page).getByRole('link', { name: 'Tickets' })).toHaveCount(0);
  await page.keyboard.press('2');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('option', { name: 'Orders' })).toBeVisible();
  await expect(page.getByRole('option', { name: 'Tickets' })).toHaveCount(0);
  expect(page.context().pages()).toHaveLength(1);
});
