import { expect, openList, rows, test } from './test.ts';

test('rows show their age, stay fresh for five minutes, and are refreshed on demand', async ({
  signedIn: page,
}) => {
  await page.clock.install();
  const requests: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/v3/customers?')) requests.push(request.url());
  });
  await openList(page, '/?search=garcia');
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page.getByText(/^26–50 of /)).toBeVisible();
  expect(requests).toHaveLength(2);

  await page.clock.fastForward('03:10');
  await expect(page.getByText('Updated 3 minutes ago')).toBeVisible();
  await page.goBack();
  await expect(page.getByText(/^1–25 of /)).toBeVisible();
  expect(requests, 'cached for five minutes').toHaveLength(2);

  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText('Updated just now')).toBeVisible();
  expect(requests).toHaveLength(3);

  await page.clock.fastForward('05:10');
  await page.goForward();
  await expect.poll(() => requests.length, 'requested again after five minutes').toBe(4);
  await expect(rows(page)).toHaveCount(25);
});

test('the time of old data is shown while the server reports it, and not afterwards', async ({
  signedIn: page,
}) => {
  let headers: Record<string, string> = { 'clientele-data-as-of': '2026-11-15T12:03:10.000Z' };
  await page.route('**/v3/customers?*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), ...headers } });
  });
  await openList(page, '/?search=garcia');
  await expect(page.getByText(/^Data as of \d+:03:10/)).toBeVisible();
  headers = {};
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText('Updated just now')).toBeVisible();
});

test('the time of old data belongs to the rows, whatever other requests are told', async ({
  signedIn: page,
}) => {
  await page.route('**/v3/customers?*', async (route) => {
    const response = await route.fetch();
    const isList = route.request().url().includes('perPage=25');
    const age = { 'clientele-data-as-of': '2026-11-15T12:03:10.000Z' };
    const headers = { ...response.headers(), ...(isList && age) };
    await route.fulfill({ response, headers });
  });
  const comeBack = async () => {
    await page.getByRole('button', { name: 'Next page' }).click();
    await expect(page.getByText(/^26–50 of /)).toBeVisible();
    await page.goBack();
    await expect(page.getByText(/^1–25 of /)).toBeVisible();
    await expect(page.getByText(/^Data as of \d+:03:10/)).toBeVisible();
  };
  await openList(page, '/?search=garcia');
  const found = page.waitForResponse('**/v3/customers?*perPage=6*');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('garcia');
  await (await found).finished();
  await page.keyboard.press('Escape');
  await comeBack();

  // Hides the previous route.
  await page.route('**/v3/customers?*', (route) => route.fulfill({ status: 500, json: {} }));
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('alert')).toContainText('Refreshing failed');
  await comeBack();
});

test('rows of an unknown age say so', async ({ signedIn: page }) => {
  await page.route('**/v3/customers?*', async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers(), 'clientele-data-as-of': 'unknown' };
    await route.fulfill({ response, headers });
  });
  await openList(page, '/?search=garcia');
  await expect(page.getByText('Age of the data unknown')).toBeVisible();
});
