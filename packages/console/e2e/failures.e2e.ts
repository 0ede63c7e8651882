import { expect, expectNoViolations, openList, rows, searchField, test } from './test.ts';

const alert = 'alert';

test('an empty directory says that it is empty', async ({ page, service }) => {
  await page.goto(service.empty.url);
  await page.getByLabel('Access key').fill(service.empty.key);
  await page.keyboard.press('Enter');
  await expect(page.getByRole(alert)).toContainText('No customers yet');
});

test('a search without matches names the search and offers to clear it', async ({
  signedIn: page,
}) => {
  await page.goto('/?search=zzzqqq');
  await expect(page.getByRole(alert)).toContainText('No customer matches “zzzqqq”.');
  await page.getByRole(alert).getByRole('button', { name: 'Clear search' }).click();
  await expect(rows(page)).toHaveCount(25);
  await expect(searchField(page)).toBeFocused();
});

test('offline, the rows stay, a search says so, and it loads when back online', async ({
  signedIn: page,
  context,
}) => {
  await openList(page);
  await context.setOffline(true);
  await expect(rows(page)).toHaveCount(25);
  await searchField(page).fill('garcia');
  await expect(page.getByRole(alert)).toContainText('You are offline');
  await context.setOffline(false);
  await expect(page.getByText(/^1–25 of /)).toBeVisible();
  await expect(rows(page).first().locator('mark').first()).toBeVisible();
});

test('an overloaded server is retried three times, then reported with the request ID', async ({
  signedIn: page,
}) => {
  await page.clock.install();
  await openList(page);
  let responses = 0;
  await page.route('**/v3/customers?*', (route) => {
    responses += 1;
    return route.fulfill({
      status: 503,
      contentType: 'application/problem+json',
      headers: { 'retry-after': '1', 'x-request-id': 'c0ffee00-0000-4000-8000-000000000000' },
      json: {
        type: '/docs#overloaded',
        title: 'Overloaded',
        status: 503,
        detail: 'Wait.',
        code: 'overloaded',
        request_id: 'c0ffee00-0000-4000-8000-000000000000',
      },
    });
  });
  await searchField(page).fill('garcia');
  await expect(async () => {
    await page.clock.fastForward(5_000);
    await expect(page.getByRole(alert)).toContainText('Temporarily unavailable', { timeout: 300 });
  }).toPass();
  expect(responses).toBe(4);
  await expect(page.getByRole(alert)).toContainText('c0ffee00-0000-4000-8000-000000000000');
  await page.unroute('**/v3/customers?*');
  await page.clock.fastForward(60_000);
  await expect(rows(page).first().locator('mark').first()).toBeVisible();
});

test('an unknown customer is reported with the request ID', async ({ signedIn: page }) => {
  await page.goto('/customers/00000000-0000-4000-8000-999999999999');
  await expect(page.getByRole(alert)).toContainText('Customer not found');
  await expect(page.getByRole(alert).locator('code')).toHaveText(/^[0-9a-f-]{36}$/);
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await expect(rows(page)).toHaveCount(25);
});

test('a page past the end links to the last page', async ({ signedIn: page }) => {
  await page.goto('/?search=peculiar+sons&page=9');
  await expect(page.getByRole(alert)).toContainText('There is no page 9; the last one is 1.');
  await page.getByRole('button', { name: 'Go to the last page' }).click();
  await expect(rows(page)).toHaveCount(8);
});

test('an invalid search is reported as invalid', async ({ signedIn: page }) => {
  await page.goto('/?search=a+b+c+d+e+f+g+h+i');
  await expect(page.getByRole(alert)).toContainText('Invalid search');
});

test('a slow or failing start says so', async ({ signedIn: page }) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/session', async (route) => {
    await promise;
    await route.fulfill({ status: 503, json: {} });
  });
  await page.goto('/');
  await expect(page.getByText('Loading…')).toBeVisible();
  await expectNoViolations(page, 'slow start');
  resolve();
  await expect(page.getByRole(alert)).toContainText('Temporarily unavailable');
  await expectNoViolations(page, 'failed start');
  await page.unroute('**/session');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(rows(page)).toHaveCount(25);
});

test('a mistyped address shows a page that leads back to the list', async ({ signedIn: page }) => {
  const response = await page.goto('/custmers/nobody');
  expect(response!.status()).toBe(404);
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expect(page).toHaveTitle('Page not found · Clientele');
  await expectNoViolations(page, 'page not found');
  await page.getByRole('button', { name: 'Back to the list' }).click();
  await expect(rows(page)).toHaveCount(25);
});

for (const [path, accept] of [
  ['/v3/nothing', 'text/html'],
  ['/nowhere', 'application/json'],
  ['/nowhere', '*/*'],
] as const) {
  test(`${path} is a problem document for a client that accepts ${accept}`, async ({
    signedIn: page,
  }) => {
    const response = await page.request.get(path, { headers: { accept } });
    expect(response.status()).toBe(404);
    expect((await response.json()).code).toBe('route-not-found');
  });
}
