import type { Page } from '@playwright/test';
import type { Service } from './start-service.ts';
import {
  clientele,
  expect,
  expectNoViolations,
  openList,
  panel,
  rows,
  searchField,
  settled,
  table,
  test,
} from './test.ts';

async function signInWith(page: Page, service: Service, ...options: string[]): Promise<void> {
  const key = await clientele(service, 'keys', 'create', '--name', 'Limited', ...options);
  const response = await page.context().request.post('/session', { data: { key } });
  expect(response.status()).toBe(200);
}

const exportButton = (page: Page) => page.getByRole('button', { name: 'Export' });

test('a key that may only list gets a list, and sees what it may not do', async ({
  page,
  service,
}) => {
  await signInWith(page, service, '--scope', 'customers:list');
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url());
  });
  await page.goto('/');
  await settled(page);
  await expect(table(page).getByRole('rowheader')).toHaveCount(25);
  await expect(searchField(page)).toHaveCount(0);
  await expect(exportButton(page)).toHaveCount(0);
  await expect(rows(page), 'rows with a link').toHaveCount(0);
  for (const missing of ['search', 'open customers']) {
    await expect(page.getByText(`You do not have permission to ${missing}.`)).toBeVisible();
  }
  await page.getByRole('button', { name: 'Limited' }).click();
  await expect(page.getByText('You do not have permission to export.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expectNoViolations(page, 'a list without rights');

  await table(page).getByRole('rowheader').first().click();
  await expect(panel(page)).toHaveCount(0);
  for (const key of ['/', 'x', 'Tab']) await page.keyboard.press(key);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await table(page).getByRole('checkbox').nth(1).click();
  await expect(page.getByRole('button', { name: 'Compare' })).toBeVisible();
  await expect(exportButton(page), 'of the selection').toHaveCount(0);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('garcia');
  await expect(page.getByText('Search for')).toHaveCount(0);
  expect(refused, 'nothing was asked for that the server refuses').toEqual([]);

  await page.goto('/?search=garcia');
  await expect(page.getByRole('alert')).toContainText('Your access does not include this');
});

test('a key that may only look up opens customers by their links', async ({ page, service }) => {
  const list = await page.request.get('/v3/customers?perPage=1', {
    headers: { authorization: `Bearer ${service.key}` },
  });
  const { data } = (await list.json()) as { data: { uuid: string; full_name: string }[] };
  await signInWith(page, service, '--scope', 'customers:lookup');
  await page.goto('/');
  await expect(page.getByRole('alert')).toContainText('You do not have permission to list');
  await page.goto(`/customers/${data[0]!.uuid}`);
  await expect(page.getByRole('heading', { name: data[0]!.full_name })).toBeVisible();
  await expect(page.getByText('E-mail domain'), 'it would be a search').toHaveCount(0);
});

test('without the right, a link to a customer says so, in German too', async ({
  page,
  service,
}) => {
  await signInWith(page, service, '--scope', 'customers:list,customers:search');
  await page.goto('/customers/00000000-0000-4000-8000-000000000001');
  await expect(page.getByRole('alert')).toContainText('permission to open customers');
  await page.evaluate(() => localStorage.clear());
  const german = await page.context().browser()!.newContext({ locale: 'de-DE' });
  await german.addCookies(await page.context().cookies());
  const other = await german.newPage();
  await other.goto(`${service.url}/customers/00000000-0000-4000-8000-000000000001`);
  await expect(other.getByRole('alert')).toContainText('Berechtigung, Kunden zu öffnen');
  await german.close();
});

test('an export says that it is one, and ends when the day’s records are used up', async ({
  page,
  service,
}) => {
  await signInWith(page, service, '--records-per-day', '120');
  const purposes: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.url().includes('perPage=100')) {
      purposes.push(request.headers()['clientele-purpose']);
    }
  });
  await openList(page);
  await exportButton(page).click();
  const dialog = page.getByRole('dialog', { name: 'Export as CSV' });
  await dialog.getByRole('button', { name: 'Export' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Nothing was saved.');
  await expect(dialog).toContainText('as many customers as you may see in one day');
  expect(new Set(purposes)).toEqual(new Set(['export']));
});
