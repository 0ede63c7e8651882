/** A session that ends while somebody works: what was typed and selected is there again after signing in. */
import type { Page } from '@playwright/test';
import type { Service } from './start-service.ts';
import { clientele, expect, openList, rows, searchField, test } from './test.ts';

/** Once everything has loaded: another request would notice before the search does. */
async function endSession(page: Page): Promise<void> {
  await expect(page.getByRole('slider')).toBeVisible();
  await page.context().clearCookies();
}

async function signInAgain(page: Page, key: string): Promise<void> {
  await page.getByLabel('Access key').fill(key);
  await page.keyboard.press('Enter');
  await expect(rows(page).first()).toBeVisible();
}

test('letters typed while a session ends belong to the search, and the work goes on there', async ({
  signedIn: page,
  service,
}) => {
  await openList(page, '/?search=peculiar');
  for (const row of [0, 2]) await rows(page).nth(row).getByRole('checkbox').click();
  await searchField(page).focus();
  await page.keyboard.press('End');
  await endSession(page);
  // Every letter comes within the pause that ends typing.
  await page.clock.install();
  await page.keyboard.type(' s');
  await page.clock.runFor(300);
  await expect(page.getByText('Your session has ended')).toBeVisible();
  await page.keyboard.type('onx');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('s');
  await expect(page).toHaveURL('/?search=peculiar+sons');
  await expect(page.getByLabel('Access key')).toHaveValue('');
  await expect(page.getByLabel('Access key')).not.toBeFocused();
  await page.clock.runFor(1_500);
  await expect(page.getByLabel('Access key')).toBeFocused();
  await page.clock.resume();
  await signInAgain(page, service.key);
  await expect(searchField(page)).toBeFocused();
  await expect(searchField(page)).toHaveValue('peculiar sons');
});

test('the space after a word is kept while a session ends and after signing in', async ({
  signedIn: page,
  service,
}) => {
  await openList(page);
  await endSession(page);
  await page.clock.install();
  await page.keyboard.type('peculiar ');
  await page.clock.runFor(300);
  await expect(page.getByText('Your session has ended')).toBeVisible();
  await page.keyboard.type('so');
  await expect(page).toHaveURL('/?search=peculiar+so');
  await page.keyboard.type('ns ');
  await page.clock.runFor(1_500);
  await page.clock.resume();
  await signInAgain(page, service.key);
  await expect(searchField(page)).toHaveValue('peculiar sons ');
});

test('AltGr types a character of the search while a session ends, and pastes nothing', async ({
  signedIn: page,
}) => {
  await openList(page);
  await endSession(page);
  await page.clock.install();
  await page.keyboard.type('ab');
  await page.clock.runFor(300);
  await expect(page.getByText('Your session has ended')).toBeVisible();
  await page.evaluate(() =>
    document.body.dispatchEvent(
      new KeyboardEvent('keydown', {
        key: '@',
        ctrlKey: true,
        altKey: true,
        modifierAltGraph: true,
        bubbles: true,
        cancelable: true,
      }),
    ),
  );
  await expect(page).toHaveURL('/?search=ab%40');
});

test('a key that is pasted while the search was typed goes to the field of the key', async ({
  signedIn: page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openList(page);
  await page.evaluate(() => navigator.clipboard.writeText('ck_pasted'));
  await endSession(page);
  await page.clock.install();
  await page.keyboard.type('ab');
  await page.clock.runFor(300);
  await expect(page.getByText('Your session has ended')).toBeVisible();
  await page.keyboard.press('Control+v');
  await expect(page.getByLabel('Access key')).toHaveValue('ck_pasted');
});

test('the selection is there again after signing in', async ({ signedIn: page, service }) => {
  await openList(page, '/?search=peculiar+sons');
  for (const row of [0, 2]) await rows(page).nth(row).getByRole('checkbox').click();
  await expect(page.getByRole('region', { name: 'Selection' })).toContainText('2 selected');
  await endSession(page);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText('Your session has ended')).toBeVisible();
  await expect(page.getByLabel('Access key')).toBeFocused();
  await signInAgain(page, service.key);
  await expect(page.getByRole('region', { name: 'Selection' })).toContainText('2 selected');
});

test('letters typed after the pause go to the field of the key, and none to the address', async ({
  signedIn: page,
}) => {
  await openList(page);
  await endSession(page);
  await page.clock.install();
  await page.keyboard.type('ab');
  await page.clock.runFor(300);
  await expect(page.getByText('Your session has ended')).toBeVisible();
  await page.clock.runFor(1_500);
  await expect(page.getByLabel('Access key')).toBeFocused();
  await page.keyboard.type('ck_x');
  await expect(page.getByLabel('Access key')).toHaveValue('ck_x');
  await expect(page).toHaveURL('/?search=ab');
});

test('an idle tab checks its session again until it has ended, and then shows no customers', async ({
  signedIn: page,
}) => {
  await page.clock.install();
  await openList(page);
  let checks = 0;
  await page.route('**/session', (route) => {
    checks += 1;
    // Another tab has used the session, but only that once.
    return checks === 1 ? route.continue() : route.fulfill({ status: 401, json: {} });
  });
  const wait = async () => {
    const checked = page.waitForResponse('**/session');
    await page.clock.fastForward('30:10');
    await (await checked).finished();
  };
  await wait();
  await expect(rows(page).first()).toBeVisible();
  await expect(async () => {
    await page.clock.fastForward('30:10');
    await expect(page.getByText('Your session has ended')).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await expect(page.getByRole('table')).toHaveCount(0);
  expect(checks).toBe(2);
});

test('requests that fail are no use: an idle tab signs out in an outage, too', async ({
  signedIn: page,
}) => {
  await page.clock.install();
  await openList(page);
  await expect(page.getByRole('slider')).toBeVisible();
  await page.route('**/v3/customers?*', (route) => route.fulfill({ status: 503, json: {} }));
  await page.route('**/session', (route) => route.fulfill({ status: 503, json: {} }));
  await page.clock.fastForward('20:00');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('alert')).toContainText('Refreshing failed');
  await page.clock.fastForward('10:10');
  await expect(page.getByText('Your session has ended')).toBeVisible();
});

/** Who may not see contact details. */
const makeMaskedKey = (service: Service): Promise<string> => {
  const scope = 'customers:list,customers:search,customers:lookup';
  return clientele(service, 'keys', 'create', '--name', 'First line', '--scope', scope);
};

test('when somebody else signs in in one tab, the others keep nothing that the one before saw', async ({
  signedIn: page,
  context,
  service,
}) => {
  await openList(page, '/?search=peculiar+sons');
  for (const row of [0, 2]) await rows(page).nth(row).getByRole('checkbox').click();
  await expect(page.getByRole('region', { name: 'Selection' })).toContainText('2 selected');
  await expect(page.getByRole('columnheader', { name: 'E-mail' })).toBeVisible();
  await endSession(page);
  const other = await context.newPage();
  await other.goto('/');
  await signInAgain(other, await makeMaskedKey(service));
  await expect(page.getByRole('button', { name: 'First line' })).toBeVisible();
  await expect(rows(page)).toHaveCount(8);
  await expect(page.getByRole('columnheader', { name: 'E-mail' })).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Selection' })).toHaveCount(0);
});

test('the selection is not there for somebody else', async ({ signedIn: page, service }) => {
  await openList(page, '/?search=peculiar+sons');
  for (const row of [0, 2]) await rows(page).nth(row).getByRole('checkbox').click();
  await expect(page.getByRole('region', { name: 'Selection' })).toContainText('2 selected');
  await endSession(page);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText('Your session has ended')).toBeVisible();
  await signInAgain(page, await makeMaskedKey(service));
  await expect(rows(page)).toHaveCount(8);
  await expect(page.getByRole('region', { name: 'Selection' })).toHaveCount(0);
});
