import { expect, openList, rows, searchField, test } from './test.ts';

const alert = 'alert';

test('an empty directory says so', async ({ page, service }) => {
  await page.goto(service.empty.url);
  await page.getByLabel('Access key').fill(service.empty.key);
  await page.keyboard.press('Enter');
  await expect(page.getByRole(alert)).toContainText('No customers yet');
});

test('no match says what was searched for and clears it', async ({ signedIn: page }) => {
  await page.goto('/?search=zzzqqq');
  await expect(page.getByRole(alert)).toContainText('No customer matches “zzzqqq”.');
  await page.getByRole(alert).getByRole('button', { name: 'Clear the search' }).click();
  await expect(rows(page)).toHaveCount(25);
  await expect(searchField(page)).toBeFocused();
});

test('offline: says so, keeps what is shown, and comes back by itself', async ({
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

test('overloaded: tries again as told, then says so with the request to quote', async ({
  signedIn: page,
}) => {
  await page.clock.install();
  await openList(page);
  let answers = 0;
  await page.route('**/v3/customers?*', (route) => {
    answers += 1;
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
    await expect(page.getByRole(alert)).toContainText('Too much is going on', { timeout: 300 });
  }).toPass();
  expect(answers).toBe(4);
  await expect(page.getByRole(alert)).toContainText('c0ffee00-0000-4000-8000-000000000000');
  await page.unroute('**/v3/customers?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(rows(page).first().locator('mark').first()).toBeVisible();
});

test('a customer that is not there: said on the page of its own, with the request', async ({
  signedIn: page,
}) => {
  await page.goto('/customers/00000000-0000-4000-8000-999999999999');
  await expect(page.getByRole(alert)).toContainText('No such customer');
  await expect(page.getByRole(alert).locator('code')).toHaveText(/^[0-9a-f-]{36}$/);
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await expect(rows(page)).toHaveCount(25);
});

test('a page past the end leads to the last one', async ({ signedIn: page }) => {
  await page.goto('/?search=peculiar+sons&page=9');
  await expect(page.getByRole(alert)).toContainText('There is no page 9; the last one is 1.');
  await page.getByRole('button', { name: 'Go to the last page' }).click();
  await expect(rows(page)).toHaveCount(8);
});

test('a search that cannot be made is told as that', async ({ signedIn: page }) => {
  await page.goto('/?search=a+b+c+d+e+f+g+h+i');
  await expect(page.getByRole(alert)).toContainText('This cannot be searched for');
});

test('an address that is none of ours is the service’s own 404', async ({ signedIn: page }) => {
  const response = await page.request.get('/nowhere', { headers: { accept: 'text/html' } });
  expect(response.status()).toBe(404);
  expect((await response.json()).code).toBe('route-not-found');
});
