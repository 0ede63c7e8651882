/** After a failure or a limit, everything is loaded without a click. */
import { FaultProxy } from './fault-proxy.ts';
import { expect, openList, rows, searchField, settled, test } from './test.ts';

const limited = (seconds: number) => ({
  status: 429,
  headers: { 'retry-after': String(seconds) },
  json: {},
});

test('the list and its timeline load by themselves when the server is back', async ({
  signedIn: page,
  service,
}) => {
  const proxy = new FaultProxy(service.url);
  const url = await proxy.listen();
  await page.clock.install();
  await page.context().request.post(`${url}/session`, { data: { key: service.key } });
  proxy.fault = 'unavailable';
  await page.goto(url);
  await expect(async () => {
    await page.clock.fastForward(5_000);
    await expect(page.getByRole('alert')).toContainText('Temporarily unavailable', {
      timeout: 300,
    });
  }).toPass();
  proxy.fault = 'none';
  await expect(async () => {
    await page.clock.fastForward(5_000);
    await expect(rows(page)).toHaveCount(25, { timeout: 500 });
  }).toPass();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(async () => {
    await page.clock.fastForward(5_000);
    await expect(page.getByRole('slider')).toBeVisible({ timeout: 500 });
  }).toPass();
  proxy.close();
});

test('the end of a limit loads the list, and until then typing sends nothing', async ({
  signedIn: page,
}) => {
  await openList(page);
  await page.clock.install();
  let sent = 0;
  await page.route('**/v3/customers?*', (route) => {
    sent += 1;
    return route.fulfill(limited(20));
  });
  await searchField(page).fill('gar');
  await page.clock.runFor(300);
  await expect(page.getByRole('alert')).toContainText('Too many requests');
  for (const letter of 'cia') {
    await page.keyboard.press(letter);
    await page.clock.runFor(500);
  }
  await expect(page.getByRole('alert')).toContainText('Too many requests');
  expect(sent).toBe(1);
  await page.unroute('**/v3/customers?*');
  await page.clock.runFor(20_000);
  await expect(page).toHaveURL('/?search=garcia');
  await expect(page.getByText(/^1–25 of /)).toBeVisible();
});

test('rows that could not be refreshed are refreshed when the limit ends', async ({
  signedIn: page,
}) => {
  await openList(page);
  await page.clock.install();
  await page.route('**/v3/customers?*', (route) => route.fulfill(limited(20)), { times: 1 });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('alert')).toContainText('These rows are from');
  await page.clock.runFor(21_000);
  await expect(page.getByRole('alert')).toHaveCount(0);
  await settled(page);
});

test('rows that could not be refreshed are tried again until the server is back', async ({
  page,
  service,
}) => {
  const proxy = new FaultProxy(service.url);
  const url = await proxy.listen();
  await page.clock.install();
  await page.context().request.post(`${url}/session`, { data: { key: service.key } });
  await openList(page, url);
  proxy.fault = 'unavailable';
  await page.getByRole('button', { name: 'Refresh' }).click();
  const stale = page.getByRole('alert').filter({ hasText: 'These rows are from' });
  const failures = () => proxy.hits.get('unavailable') ?? 0;
  await expect(async () => {
    await page.clock.fastForward(5_000);
    await expect(stale).toBeVisible({ timeout: 300 });
  }).toPass();
  // A round is a request and its retries: two of them fail after the first.
  const failedBefore = failures();
  await expect(async () => {
    await page.clock.fastForward(5_000);
    expect(failures() - failedBefore).toBeGreaterThanOrEqual(8);
  }).toPass();
  proxy.fault = 'none';
  await expect(async () => {
    await page.clock.fastForward(5_000);
    await expect(stale).toHaveCount(0, { timeout: 300 });
  }).toPass();
  await settled(page);
  proxy.close();
});

test('the counts and duplicates of a customer are there when the limit ends', async ({
  signedIn: page,
}) => {
  await page.clock.install();
  await page.route('**/v3/customers?*', (route) => route.fulfill(limited(20)));
  await page.goto('/customers/00000000-0000-4000-8000-000000000009');
  const relations = page.locator('.relations');
  await expect(async () => {
    await page.clock.runFor(500);
    await expect(relations).toContainText('could not be checked', { timeout: 300 });
  }).toPass();
  await page.unroute('**/v3/customers?*');
  await page.clock.runFor(10_000);
  await expect(relations).toContainText('could not be checked');
  await expect(async () => {
    await page.clock.fastForward(5_000);
    await expect(relations.locator('.duplicates li').first()).toBeVisible({ timeout: 300 });
  }).toPass();
  await expect(relations).toContainText(/\d customers/);
});

test('a timeline that was refused is requested when the limit ends, not before', async ({
  signedIn: page,
}) => {
  await page.clock.install();
  let requests = 0;
  await page.route('**/v3/customers/timeline*', (route) => {
    requests += 1;
    return route.fulfill(limited(40));
  });
  await page.goto('/?search=garcia');
  await expect(rows(page)).toHaveCount(25);
  await expect(async () => {
    await page.clock.runFor(200);
    expect(requests).toBe(1);
  }).toPass();
  await page.clock.runFor(30_000);
  expect(requests).toBe(1);
  await page.unroute('**/v3/customers/timeline*');
  await page.clock.runFor(15_000);
  await expect(page.getByRole('slider')).toBeVisible();
});
