import type { Route } from '@playwright/test';
import { promised } from '@clientele/sandbox/testing/machine';
import {
  clientele,
  expect,
  expectNoViolations,
  openList,
  rows,
  searchField,
  test,
} from './test.ts';

test('a key signs in and is not stored anywhere', async ({ page, service, context }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await expect(page.getByLabel('Access key')).toBeFocused();
  await page.getByLabel('Access key').fill(service.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(rows(page)).toHaveCount(25);

  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
  const kept = await page.evaluate(() =>
    [JSON.stringify({ ...localStorage, ...sessionStorage }), document.cookie, location.href].join(),
  );
  const [, , secret] = service.key.split('_');
  expect(kept + (await page.content()) + cookie!.value).not.toContain(secret);

  await page.reload();
  await expect(rows(page)).toHaveCount(25);
});

test('a wrong key is rejected and can be corrected', async ({ page, service }) => {
  await page.goto('/');
  await page.getByLabel('Access key').fill(`${service.key.slice(0, -1)}?`);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('not valid');
  await page.getByLabel('Access key').fill(service.key);
  await page.keyboard.press('Enter');
  await expect(rows(page)).toHaveCount(25);
});

test('after ten attempts the page counts down until the next one', async ({ page }) => {
  await page.clock.install();
  await page.goto('/');
  // On a slow machine, some attempts are allowed again before the eleventh.
  for (let n = 0, status = 0; status !== 429; n += 1) {
    await page.getByLabel('Access key').fill(`ck_guess_${n}`);
    const answered = page.waitForResponse('**/session');
    await page.keyboard.press('Enter');
    status = (await answered).status();
    expect(n).toBeLessThan(200);
  }
  const alert = page.getByRole('alert');
  await expect(alert).toContainText(/Wait \d+ seconds/);
  const waits = async () => Number(/\d+/.exec(await alert.innerText())![0]);
  const before = await waits();
  await page.clock.runFor(3_000);
  await expect.poll(waits).toBeLessThanOrEqual(before - 3);
  let attempts = 0;
  page.on('request', () => (attempts += 1));
  await page.keyboard.press('Enter');
  await page.clock.runFor(90_000);
  await expect(alert).not.toContainText('Wait');
  expect(attempts, 'before the wait is over').toBe(0);
});

test('signing out removes the customers in every tab, and Back does not restore them', async ({
  signedIn: page,
  context,
}) => {
  await openList(page);
  const other = await context.newPage();
  await openList(other, '/?search=garcia');
  await page.getByRole('button', { name: 'Support desk' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  for (const tab of [page, other]) {
    await expect(tab.getByText('You are signed out.')).toBeVisible();
    await expect(tab.getByRole('table')).toHaveCount(0);
  }
  await other.goBack();
  await expect(other.getByRole('table')).toHaveCount(0);
  const response = await context.request.get('/v3/customers');
  expect(response.status()).toBe(401);
});

test('signing out without a response says that it failed, and can be tried again', async ({
  signedIn: page,
  context,
}) => {
  await openList(page);
  const other = await context.newPage();
  await openList(other);
  const signOut = async () => {
    await page.getByRole('button', { name: 'Support desk' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
  };
  const isSignOut = (route: Route) => route.request().method() === 'DELETE';
  await page.route('**/session', (route) => (isSignOut(route) ? route.abort() : route.continue()));
  await signOut();
  for (const tab of [page, other]) {
    await expect(tab.getByRole('alert')).toContainText('Signing out failed');
    await expect(tab.getByRole('table')).toHaveCount(0);
  }
  await expectNoViolations(page, 'signing out failed');
  await page.reload();
  await expect(rows(page), 'the session goes on, as the page said').toHaveCount(25);
  await page.unroute('**/session');
  await page.route('**/session', (route) =>
    isSignOut(route) ? route.fulfill({ status: 502, body: 'proxy' }) : route.continue(),
  );
  await signOut();
  await expect(page.getByRole('alert')).toContainText('Signing out failed');
  await page.unroute('**/session');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('You are signed out.')).toBeVisible();
  await expect(page.getByLabel('Access key')).toBeFocused();
  await page.reload();
  await expect(page.getByLabel('Access key')).toBeVisible();
});

test('where the server could not end the session, its response says so', async ({
  signedIn: page,
}) => {
  await openList(page);
  await page.route('**/session', (route) =>
    route.fulfill({ status: 503, headers: { 'x-request-id': 'one' }, json: {} }),
  );
  await page.getByRole('button', { name: 'Support desk' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('status')).toContainText('You are signed out here');
});

test('a revoked key’s session ends within 15 seconds, and signing in restores the page', async ({
  page,
  service,
}) => {
  const key = await clientele(service, 'keys', 'create', '--name', 'Short-lived');
  await page.goto('/?search=garcia&page=2');
  await page.getByLabel('Access key').fill(key);
  await page.keyboard.press('Enter');
  await expect(rows(page)).toHaveCount(25);
  await clientele(service, 'keys', 'revoke', key.split('_')[1]!);
  const revoked = Date.now();
  await expect(async () => {
    await page.getByRole('button', { name: 'Refresh' }).click({ timeout: 500 });
    await expect(page.getByText('Your session has ended')).toBeVisible({ timeout: 300 });
  })
    .toPass({ timeout: promised(15_000), intervals: [500] })
    .catch(async () =>
      expect(page.getByText('Your session has ended')).toBeVisible({ timeout: 1 }),
    );
  expect(Date.now() - revoked).toBeLessThan(promised(15_000));
  await expect(page.getByRole('table')).toHaveCount(0);

  await page.getByLabel('Access key').fill(service.key);
  await page.keyboard.press('Enter');
  await expect(searchField(page)).toHaveValue('garcia');
  await expect(page.getByLabel('Page', { exact: true })).toHaveValue('2');
});

test('after a lost session, signing in once brings back every tab', async ({
  signedIn: page,
  context,
  service,
}) => {
  await openList(page, '/?search=garcia&page=2');
  const other = await context.newPage();
  await openList(other, '/?search=jensen');
  // A timeline that is requested later would notice the lost session first.
  for (const tab of [page, other]) await expect(tab.getByRole('slider')).toBeVisible();
  await context.clearCookies();
  for (const tab of [page, other]) {
    await tab.getByRole('button', { name: 'Refresh' }).click();
    await expect(tab.getByText('Your session has ended')).toBeVisible();
  }
  await page.getByLabel('Access key').fill(service.key);
  await page.keyboard.press('Enter');
  for (const [tab, search] of [
    [page, 'garcia'],
    [other, 'jensen'],
  ] as const) {
    await expect(searchField(tab)).toHaveValue(search);
    await expect(rows(tab)).toHaveCount(25);
  }
});

test('a password manager can fill in the key, and agents are not asked to run a command', async ({
  page,
}) => {
  await page.goto('/');
  await expect(page.getByLabel('Access key')).toHaveAttribute('autocomplete', 'current-password');
  await expect(page.getByRole('main')).not.toContainText('clientele keys');
});

test('a session that ends during an export leads to the sign-in page', async ({
  signedIn: page,
}) => {
  await openList(page, '/?search=garcia');
  await page.route('**/v3/customers?*', (route) => route.fulfill({ status: 401, json: {} }));
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
  await expect(page.getByText('Your session has ended')).toBeVisible();
});
