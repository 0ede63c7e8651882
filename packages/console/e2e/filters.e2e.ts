/** Filters by mouse and keyboard, in the address, and in everything that is made of the list. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import type { WireCustomerList } from '@clientele/contract';
import type { Service } from './start-service.ts';
import { expect, expectNoViolations, openList, rows, searchField, settled, test } from './test.ts';

const filterButton = (page: Page) => page.getByRole('button', { name: 'Filter', exact: true });
const chips = (page: Page) => page.getByRole('list', { name: 'Active filters' });
const chip = (page: Page, name: string) =>
  page.getByRole('button', { name: `Remove filter: ${name}` });

async function ask({ url, key }: Service, query: string): Promise<WireCustomerList> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v3/customers?${query}`, { headers });
  return (await response.json()) as WireCustomerList;
}

/** The count above the list and the rows are those of the service. */
async function expectList(page: Page, service: Service, query: string): Promise<void> {
  const { data, pagination } = await ask(service, query);
  await expect(page.locator('.count')).toHaveText(
    `${pagination.total.toLocaleString('en-GB')} matches`,
  );
  await settled(page);
  const links = await rows(page)
    .locator('[data-row]')
    .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).pathname));
  expect(links).toEqual(data.map(({ uuid }) => `/customers/${uuid}`));
}

test('filters are added and removed with the mouse', async ({ signedIn: page, service }) => {
  await openList(page, '/?page=2');
  await filterButton(page).click();
  await expectNoViolations(page, 'filter menu');
  await page.getByRole('button', { name: 'Verified', exact: true }).click();
  await expect(page).toHaveURL('/?verified=true');
  await expectList(page, service, 'verified=true');
  await page.getByRole('button', { name: 'No orders' }).click();
  await expect(page).toHaveURL('/?verified=true&hasOrders=false');
  await expectList(page, service, 'verified=true&hasOrders=false');
  await page.getByRole('button', { name: 'Not verified' }).click();
  await expect(page, 'instead of “verified”').toHaveURL('/?verified=false&hasOrders=false');
  await page.keyboard.press('Escape');
  await expect(chips(page).getByRole('listitem')).toHaveText(['Not verified', 'No orders']);
  await expectNoViolations(page, 'chips');
  await chip(page, 'Not verified').click();
  await expect(page).toHaveURL('/?hasOrders=false');
  await expectList(page, service, 'hasOrders=false');
  await chip(page, 'No orders').click();
  await expect(page).toHaveURL('/');
  await expect(chips(page)).toHaveCount(0);
});

test('filters are added and removed with the keyboard', async ({ signedIn: page, service }) => {
  await openList(page);
  await page.keyboard.press('Escape'); // Leaves the search field.
  await page.keyboard.press('f');
  await expect(filterButton(page)).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/?verified=true');
  await expect(page.getByRole('button', { name: 'Verified', exact: true })).toBeFocused();
  for (let times = 0; times < 3; times += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await expect(page).toHaveURL('/?verified=true&hasOrders=false');
  await expectList(page, service, 'verified=true&hasOrders=false');
  await page.keyboard.press('Escape');
  await expect(filterButton(page)).toBeFocused();
  await chip(page, 'Verified').focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/?hasOrders=false');
  await expect(chip(page, 'No orders')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/');
  await expect(filterButton(page), 'the last chip leaves the focus here').toBeFocused();
});

test('joined between two days includes both, in any order', async ({ signedIn: page, service }) => {
  await openList(page);
  await filterButton(page).click();
  await page.getByLabel('First day').fill('2019-01-06');
  await page.getByLabel('Last day').fill('2019-01-02');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page).toHaveURL('/?joinedFrom=2019-01-02&joinedTo=2019-01-07');
  await expect(chips(page)).toContainText(/Joined 2\s?–\s?6 Jan 2019/);
  await expect(page.getByLabel('First day')).toHaveValue('2019-01-02');
  await expect(page.getByLabel('Last day')).toHaveValue('2019-01-06');
  await expectList(page, service, 'joinedFrom=2019-01-02&joinedTo=2019-01-07');
  await page.getByLabel('Last day').fill('');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/?joinedFrom=2019-01-02');
  await expect(chips(page)).toHaveText('Joined since 2 Jan 2019');
  await page.getByLabel('First day').fill('');
  await page.getByLabel('Last day').fill('2019-01-01');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/?joinedTo=2019-01-02');
  await expect(chips(page)).toHaveText('Joined until 1 Jan 2019');
  await expectList(page, service, 'joinedTo=2019-01-02');
});

test('the address has the filters: reload, Back, Forward and another search keep them', async ({
  signedIn: page,
  service,
}) => {
  await openList(page, '/?search=garcia&verified=true');
  await expectList(page, service, 'search=garcia&verified=true');
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page).toHaveURL('/?search=garcia&verified=true&page=2');
  await expect(page.getByText(/^26–50 of /)).toBeVisible();
  await page.reload();
  await expect(page.getByText(/^26–50 of /)).toBeVisible();
  await chip(page, 'Verified').click();
  await expect(page, 'other filters start at page 1').toHaveURL('/?search=garcia');
  await expectList(page, service, 'search=garcia');
  await page.goBack();
  await expect(page).toHaveURL('/?search=garcia&verified=true&page=2');
  await expect(chips(page)).toHaveText('Verified');
  await expectList(page, service, 'search=garcia&verified=true&page=2');
  await page.goForward();
  await expect(chips(page)).toHaveCount(0);
  await page.goBack();
  await searchField(page).fill('jensen');
  await expect(page).toHaveURL('/?search=jensen&verified=true');
  await expectList(page, service, 'search=jensen&verified=true');
  await rows(page).first().click();
  await expect(page).toHaveURL(/search=jensen&verified=true&customer=/);
  await page.getByRole('link', { name: 'Clientele' }).click();
  await expect(page).toHaveURL('/');
});

test('Next on the own page of a customer stays within the filters', async ({
  signedIn: page,
  service,
}) => {
  const { data } = await ask(service, 'search=garcia&verified=false');
  await page.goto(`/customers/${data[0]!.uuid}?search=garcia&verified=false`);
  await page.getByRole('button', { name: 'Next customer' }).click();
  await expect(page).toHaveURL(`/customers/${data[1]!.uuid}?search=garcia&verified=false`);
});

test('filters without matches are named, and can be cleared', async ({ signedIn: page }) => {
  await page.goto('/?verified=true&joinedTo=1990-01-01');
  const alert = page.getByRole('alert');
  await expect(alert).toContainText(
    'No customer matches these filters: Verified, Joined until 31 Dec 1989.',
  );
  await expectNoViolations(page, 'filters without matches');
  await page.goto('/?search=garcia&joinedTo=1990-01-01');
  await expect(alert).toContainText(
    'No customer matches “garcia” with these filters: Joined until 31 Dec 1989.',
  );
  await alert.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page).toHaveURL('/?search=garcia');
  await expect(rows(page)).toHaveCount(25);
});

test('an export contains what the filters leave', async ({ signedIn: page, service }) => {
  const { pagination } = await ask(service, 'search=garcia&verified=false&hasOrders=true');
  await openList(page, '/?search=garcia&verified=false&hasOrders=true');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Export' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export as CSV' });
  await expect(dialog).toContainText(`${pagination.total} customers matching “garcia”.`);
  await expect(dialog).toContainText('Filters: Not verified, Has orders.');
  const saved = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Export' }).click();
  const text = await readFile(await (await saved).path(), 'utf8');
  expect(text.trimEnd().split('\r\n')).toHaveLength(pagination.total + 1);
});

test('selected rows belong to the filters, and the palette clears them', async ({
  signedIn: page,
}) => {
  await openList(page, '/?search=garcia&verified=true');
  await rows(page).first().getByRole('checkbox').click();
  await expect(page.getByRole('region', { name: 'Selection' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('clear filt');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/?search=garcia');
  await settled(page);
  await expect(page.getByRole('region', { name: 'Selection' })).toHaveCount(0);
});

test('while other filters load, the rows are marked as those of the previous ones', async ({
  signedIn: page,
}) => {
  await openList(page, '/?search=garcia');
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/v3/customers?*verified=true*', async (route) => {
    await promise;
    await route.continue();
  });
  await filterButton(page).click();
  await page.getByRole('button', { name: 'Verified', exact: true }).click();
  await expect(page.locator('.count')).toHaveText('Previous filters');
  await expect(page.getByRole('button', { name: 'Export' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  resolve();
  await expect(page.locator('.count')).toHaveText(/ matches$/);
});

for (const [what, width, height] of [
  ['a phone', 360, 740],
  ['a 1280-pixel screen at 400 % zoom', 320, 256],
] as const) {
  test(`chips and the filter menu fit on ${what}`, async ({ signedIn: page }) => {
    await page.setViewportSize({ width, height });
    await openList(
      page,
      '/?verified=true&hasOrders=true&joinedFrom=2019-01-01&joinedTo=2025-01-01',
    );
    await filterButton(page).click();
    await expect(page.getByLabel('Last day')).toBeVisible();
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBeLessThanOrEqual(0);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectNoViolations(page, `${what}, ${colorScheme}`);
    }
  });
}
