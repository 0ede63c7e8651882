/** Lists are sorted by the heads of their columns, by mouse and keyboard, and the address holds the order. */
import type { Page } from '@playwright/test';
import type { WireCustomerList } from '@clientele/contract';
import type { Service } from './start-service.ts';
import { expect, expectNoViolations, openList, rows, settled, test } from './test.ts';

const head = (page: Page, name: RegExp) => page.getByRole('columnheader', { name });
const sorted = (page: Page) => page.locator('.customers th[aria-sort]');

/** The rows are those of the service. */
async function expectRows(page: Page, { url, key }: Service, query: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v3/customers?${query}`, { headers });
  const { data } = (await response.json()) as WireCustomerList;
  await settled(page);
  const links = rows(page).locator('[data-row]');
  await expect(links.first()).toHaveAttribute('href', new RegExp(data[0]!.uuid));
  const paths = await links.evaluateAll((all) =>
    all.map((link) => (link as HTMLAnchorElement).pathname),
  );
  expect(paths).toEqual(data.map(({ uuid }) => `/customers/${uuid}`));
}

test('a list is sorted with the mouse, in both directions, and back by the address', async ({
  signedIn: page,
  service,
}) => {
  await openList(page, '/?page=2');
  await expect(sorted(page)).toHaveText(['Customer since']);
  await expect(sorted(page)).toHaveAttribute('aria-sort', 'descending');
  await head(page, /^Orders/)
    .getByRole('button')
    .click();
  await expect(page).toHaveURL('/?sort=-total_orders');
  await expectRows(page, service, 'sort=-total_orders');
  await expect(sorted(page)).toHaveText(['Orders']);
  await expect(sorted(page)).toHaveAttribute('aria-sort', 'descending');
  await expectNoViolations(page, 'sorted');
  await head(page, /^Orders/)
    .getByRole('button')
    .click();
  await expect(page).toHaveURL('/?sort=total_orders');
  await expectRows(page, service, 'sort=total_orders');
  await expect(sorted(page)).toHaveAttribute('aria-sort', 'ascending');
  await head(page, /^Orders/)
    .getByRole('button')
    .click();
  await expect(page, 'the third click').toHaveURL('/');
  await page.goBack();
  await page.goBack();
  await expectRows(page, service, 'sort=-total_orders');
  await page.goBack();
  await expectRows(page, service, 'page=2');
  await page.goForward();
  await expectRows(page, service, 'sort=-total_orders');
  await head(page, /^Customer since/)
    .getByRole('button')
    .click();
  await expect(page, 'newest first is no order').toHaveURL('/');
});

test('a list is sorted with the keyboard, and the head keeps the focus', async ({
  signedIn: page,
  service,
}) => {
  await openList(page, '/?search=anna&verified=true');
  const button = head(page, /Lifetime value/).getByRole('button');
  await button.focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/?search=anna&verified=true&sort=-lifetime_value_cents');
  await expectRows(page, service, 'search=anna&verified=true&sort=-lifetime_value_cents');
  await expect(button).toBeFocused();
  await page.keyboard.press('Space');
  await expect(page).toHaveURL('/?search=anna&verified=true&sort=lifetime_value_cents');
  await expectRows(page, service, 'search=anna&verified=true&sort=lifetime_value_cents');
});

test('other pages, filters and searches keep the order', async ({ signedIn: page, service }) => {
  await openList(page, '/?sort=-last_order_at');
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page).toHaveURL('/?sort=-last_order_at&page=2');
  await expectRows(page, service, 'sort=-last_order_at&page=2');
});

test('only what the directory can sort by is offered, and an address that asks for more says so', async ({
  page,
  service,
}) => {
  const { url, key } = service.masked;
  await page.context().request.post(`${url}/session`, { data: { key } });
  await page.goto(`${url}/?sort=-total_orders`);
  await expect(
    page.getByRole('heading', { name: 'Lists cannot be sorted that way' }),
  ).toBeVisible();
  await expect(page.getByRole('alert')).toContainText('Your administrator can');
  await page.getByRole('alert').getByRole('button', { name: 'Newest first' }).click();
  await settled(page);
  await expect(page).toHaveURL(`${url}/`);
  const menu = page.getByRole('group', { name: 'Order' });
  const who = page.getByText('Your administrator can enable other orders');
  await page.getByRole('button', { name: 'Newest first' }).click();
  await expect(menu.getByRole('radio')).toHaveCount(2);
  await expect(who).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(head(page, /^Orders/).getByRole('button')).toHaveCount(0);
  await head(page, /^Customer since/)
    .getByRole('button')
    .click();
  await expect(page).toHaveURL(`${url}/?sort=created_at`);
});
