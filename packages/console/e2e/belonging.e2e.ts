/** Rows and numbers belong to the search in the field, or are marked as the previous one's. */
import type { Page } from '@playwright/test';
import { expect, expectNoViolations, openList, rows, searchField, table, test } from './test.ts';

const exportButton = (page: Page) => page.getByRole('button', { name: 'Export', exact: true });
const numbers = (page: Page) => page.locator('.count, .range');

/** Holds the answers to a search until the returned function is called. */
async function hold(page: Page, search: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(`**/v3/customers?*search=${search}&*`, async (route) => {
    await promise;
    await route.continue().catch(() => undefined);
  });
  return resolve;
}

async function fail(page: Page, status: number, headers: Record<string, string> = {}) {
  await page.route('**/v3/customers?*', (route) => route.fulfill({ status, headers, json: {} }));
}

test('while a search loads, everything on screen is marked as the previous search’s', async ({
  signedIn: page,
}) => {
  await openList(page, '/?search=peculiar+sons');
  const release = await hold(page, 'garcia');
  await searchField(page).fill('garcia');
  await expect(table(page)).toHaveAttribute('aria-busy', 'true');
  await expect(exportButton(page)).toHaveAttribute('aria-disabled', 'true');
  await exportButton(page).click({ force: true });
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByText('Loading…')).toBeVisible();
  await expect(page.getByText('Previous search: “peculiar sons”')).toBeVisible();
  await expect(page.getByText('8 matches')).toHaveCount(0);
  await expect(page.locator('.pager')).toHaveAttribute('data-previous', 'true');
  await expect(page.getByText('Still loading…')).toBeVisible();
  await expectNoViolations(page, 'slow search');
  release();
  await expect(page.getByText(/^1–25 of /)).toBeVisible();
  await expect(page.locator('[data-previous]')).toHaveCount(0);
  await expect(exportButton(page)).toHaveAttribute('aria-disabled', 'false');
});

test('typed text marks the rows at once, before the search is sent', async ({ signedIn: page }) => {
  await page.clock.install({ time: '2026-05-01T08:00:00Z' });
  await openList(page);
  await page.clock.pauseAt('2026-05-01T09:00:00Z');
  await searchField(page).fill('garcia');
  await expect(table(page)).toHaveAttribute('aria-busy', 'true');
  await expect(exportButton(page)).toHaveAttribute('aria-disabled', 'true');
  await expect(page).toHaveURL('/');
});

test('the loading sign appears 150 ms after a search is sent and not before', async ({
  signedIn: page,
}) => {
  await page.clock.install({ time: '2026-05-01T08:00:00Z' });
  await openList(page);
  await page.clock.pauseAt('2026-05-01T09:00:00Z');
  const release = await hold(page, 'garcia');
  await searchField(page).fill('garcia');
  await expect(table(page)).toHaveAttribute('aria-busy', 'true');
  await searchField(page).press('Enter'); // Sends it without a pause.
  await expect(page).toHaveURL('/?search=garcia');
  await page.clock.runFor(149);
  await expect(page.getByText('Loading…')).toHaveCount(0);
  await page.clock.runFor(1);
  await expect(page.getByText('Loading…')).toBeVisible();
  release();
});

test('while a page loads, the count stays and the rows are marked', async ({ signedIn: page }) => {
  await openList(page, '/?search=garcia');
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/v3/customers?page=2&*', async (route) => {
    await promise;
    await route.continue();
  });
  await page.keyboard.press(']');
  await expect(table(page)).toHaveAttribute('aria-busy', 'true');
  await expect(page.locator('.range')).toHaveAttribute('data-previous', 'true');
  await expect(page.getByText('Loading…')).toBeVisible();
  await expect(page.getByText(/ matches$/)).toBeVisible();
  resolve();
  await expect(page.getByText(/^26–50 of /)).toBeVisible();
});

test('the first load shows skeleton rows', async ({ signedIn: page }) => {
  const release = await hold(page, 'garcia');
  await page.goto('/?search=garcia');
  await expect(page.locator('.skeleton')).toBeVisible();
  await expect(page.getByText('Loading…')).toBeVisible();
  await expectNoViolations(page, 'first load');
  release();
  await expect(rows(page)).toHaveCount(25);
  await expect(page.locator('.skeleton')).toHaveCount(0);
});

test('offline, a new search shows no rows and no numbers of the previous one', async ({
  signedIn: page,
  context,
}) => {
  await openList(page, '/?search=peculiar+sons');
  await context.setOffline(true);
  await searchField(page).fill('garcia');
  await expect(page.getByRole('alert')).toContainText('You are offline');
  await expect(table(page)).toHaveCount(0);
  await expect(numbers(page)).toHaveText(['']);
  await expect(page.locator('.pager')).toHaveCount(0);
  await expect(exportButton(page)).toHaveAttribute('aria-disabled', 'true');
  await expectNoViolations(page, 'offline');
  await context.setOffline(false);
});

test('a page of a public Wi-Fi instead of an answer is explained as such', async ({
  signedIn: page,
}) => {
  await openList(page);
  await page.route('**/v3/customers?*', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>Accept our terms</h1>' }),
  );
  await searchField(page).fill('garcia');
  await expect(page.getByRole('alert')).toContainText('Another page answered instead of Clientele');
  await page.unroute('**/v3/customers?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText(/^1–25 of /)).toBeVisible();
});

test('a failing search says that it is retried, then shows no rows and no numbers', async ({
  signedIn: page,
}) => {
  await page.clock.install();
  await openList(page, '/?search=peculiar+sons');
  await fail(page, 503);
  await searchField(page).fill('garcia');
  await expect(page.getByText('Request failed. Retrying…')).toBeVisible();
  await expect(page.getByText('Previous search: “peculiar sons”')).toBeVisible();
  await expectNoViolations(page, 'retrying');
  await expect(async () => {
    await page.clock.fastForward(5_000);
    await expect(page.getByRole('alert')).toBeVisible({ timeout: 300 });
  }).toPass();
  await expect(numbers(page)).toHaveText(['']);
  await expect(table(page)).toHaveCount(0);
  await expect(page.locator('.pager')).toHaveCount(0);
  await expectNoViolations(page, 'failed');
});

test('a rate limit counts down, and neither button works before it ends', async ({
  signedIn: page,
}) => {
  await page.clock.install({ time: '2026-05-01T08:00:00Z' });
  await openList(page, '/?search=peculiar+sons');
  await page.clock.pauseAt('2026-05-01T09:00:00Z');
  await fail(page, 429, { 'retry-after': '12' });
  await searchField(page).fill('garcia');
  await page.clock.runFor(150);
  const again = page.getByRole('alert').getByRole('button');
  await expect(again).toHaveText('Try again in 12 s');
  await expect(again).toHaveAttribute('aria-disabled', 'true');
  let sent = 0;
  page.on('request', () => (sent += 1));
  await page.clock.runFor(5_000);
  await expect(again).toHaveText('Try again in 7 s');
  await again.click({ force: true });
  await page.getByRole('button', { name: 'Refresh' }).click({ force: true });
  expect(sent).toBe(0);
  await page.clock.runFor(7_000);
  await expect(again).toHaveText('Try again');
  await expect(again).toHaveAttribute('aria-disabled', 'false');
  await page.unroute('**/v3/customers?*');
  await again.click();
  await expect(page.getByText(/^1–25 of /)).toBeVisible();
});

test('a customer’s rate limit counts down too', async ({ signedIn: page }) => {
  await page.route(/\/v3\/customers[/?]/, (route) =>
    route.fulfill({ status: 429, headers: { 'retry-after': '40' }, json: {} }),
  );
  for (const path of ['/customers/00000000-0000-4000-8000-000000000006', '/']) {
    await page.goto(path);
    const again = page.getByRole('alert').getByRole('button');
    await expect(again).toHaveText(/^Try again in \d\d s$/);
    await expect(again).toHaveAttribute('aria-disabled', 'true');
    await expectNoViolations(page, `${path}, rate limited`);
  }
});

for (const [what, path] of [
  ['a link to a customer', '/customers/00000000-0000-4000-8000-000000000006'],
  ['a customer that is not found', '/customers/00000000-0000-4000-8000-999999999999'],
  [
    'a customer outside the search',
    '/?search=garcia&customer=00000000-0000-4000-8000-000000000006',
  ],
]) {
  test(`${what} has no next or previous customer`, async ({ signedIn: page }) => {
    await page.goto(path!);
    await expect(page.getByRole('heading', { level: 2 })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await expect(page.getByRole('button', { name: /(Next|Previous) customer/ })).toHaveCount(0);
    await page.keyboard.press('j');
    await expect(page).toHaveURL(path!);
  });
}

test('a customer opened from a search keeps next and previous on its own page', async ({
  signedIn: page,
}) => {
  await page.goto('/customers/00000000-0000-4000-8000-000000000006?search=peculiar+sons');
  await page.getByRole('button', { name: 'Next customer' }).click();
  await expect(page).toHaveURL(/^(?!.*000006).*search=peculiar\+sons$/);
});

test('an export that is open closes when the search changes', async ({ signedIn: page }) => {
  await openList(page, '/?search=peculiar+sons');
  await searchField(page).fill('garcia');
  await expect(page.getByText(/^1–25 of /)).toBeVisible();
  await exportButton(page).click();
  await expect(page.getByRole('dialog')).toContainText('matching “garcia”');
  await page.goBack();
  await expect(page.getByRole('dialog')).toHaveCount(0);
});
