/** Leads through every screen of the console, in either language. */
import type { Page } from '@playwright/test';
import { messages, type Language, type MessageName } from '../src/text/messages.ts';
import type { Service } from './start-service.ts';
import { expect } from './test.ts';

const list = '/?search=peculiar+sons';
const jürgen = '00000000-0000-4000-8000-000000000006';

export interface Visit {
  page: Page;
  service: Service;
  language: Language;
  /** Called on every screen. */
  look: (screen: string) => Promise<void>;
}

const row = (page: Page, index = 0) => page.locator('[data-row]').nth(index);
const alert = (page: Page) => page.getByRole('alert');

/** A text without values, in the language of the visit. */
const textIn = (language: Language) => (name: MessageName) => messages[name][language] as string;

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(row(page)).toBeVisible();
  await expect(page.locator('table.customers')).toHaveAttribute('aria-busy', 'false');
}

async function openCustomer(page: Page): Promise<void> {
  await row(page, 2).click();
  await expect(page.locator('.detail h2')).toBeVisible();
}

async function type(page: Page, search: string): Promise<void> {
  await page.locator('search input').fill(search);
}

async function signIn(page: Page, key: string): Promise<void> {
  await page.locator('#key').fill(key);
  await page.keyboard.press('Enter');
}

export async function visitEveryScreen(visit: Visit): Promise<void> {
  const { page, service, look } = visit;
  await page.goto('/');
  await expect(page.locator('#key')).toBeFocused();
  await look('sign-in');
  await signIn(page, 'ck_wrong');
  await expect(alert(page)).toBeVisible();
  await look('wrong key');
  await signIn(page, service.key);
  await expect(row(page)).toBeVisible();
  await look('list');
  await visitList(visit);
  await visitCustomer(visit);
  await visitFailures(visit);
  await visitOthers(visit);
}

async function visitList({ page, language, look }: Visit): Promise<void> {
  const t = textIn(language);
  await page.getByRole('button', { name: t('view') }).click();
  await look('menu of the view');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Support desk' }).click();
  await look('menu of the session');
  await page.keyboard.press('Escape');
  await open(page, `${list}&sort=-lifetime_value_cents`);
  for (const index of [0, 1]) await page.locator('tbody [data-column=select]').nth(index).click();
  await look('sorted list with a selection');
  const overlays = { o: 'order', f: 'filters', 'Control+k': 'palette', '?': 'keys', v: 'compare' };
  for (const [key, overlay] of Object.entries(overlays)) {
    await page.keyboard.press(key);
    await expect(page.locator('dialog[open], .disclosed:not([hidden])')).toBeVisible();
    await look(overlay);
    await page.keyboard.press('Escape');
  }
  await open(page, list);
  await page.getByRole('button', { name: t('export'), exact: true }).click();
  const dialog = page.getByRole('dialog');
  await look('export');
  await dialog.getByRole('button', { name: t('export.start') }).click();
  await expect(dialog.locator('[role=status]')).toContainText('8');
  await look('exported');
  for (const path of ['/?search=zzzqqq', '/?search=shmidt', '/?search=peculiar&page=9']) {
    await page.goto(path);
    await expect(alert(page)).toBeVisible();
    if (path.includes('shmidt')) await expect(page.locator('.suggestions')).toBeVisible();
    await look(path);
  }
}

async function visitCustomer({ page, look }: Visit): Promise<void> {
  await open(page, list);
  await openCustomer(page);
  await look('open customer');
  await page.goto(`/customers/${jürgen}`);
  await expect(page.locator('.detail h2')).toBeVisible();
  await look('own page');
  await page.goto('/customers/nobody');
  await expect(alert(page)).toBeVisible();
  await look('nobody');
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, list);
  await look('small screen');
  await openCustomer(page);
  await look('small screen, open customer');
  await page.setViewportSize({ width: 1280, height: 720 });
}

async function visitFailures({ page, language, look }: Visit): Promise<void> {
  const t = textIn(language);
  await open(page, list);
  await page.context().setOffline(true);
  await type(page, 'garcia');
  await expect(alert(page)).toContainText(t('problem.offline.title'));
  await look('offline');
  await page.context().setOffline(false);
  await expect(alert(page)).toHaveCount(0);
  const failOnce = (status: number, headers = {}) =>
    page.route('**/v3/customers?*', (route) => route.fulfill({ status, headers, json: {} }), {
      times: 1,
    });
  await failOnce(429, { 'retry-after': '2' });
  await page.getByRole('button', { name: t('refresh') }).click();
  await expect(page.locator('.stale')).toBeVisible();
  await look('rows that could not be refreshed');
  // It recovers by itself, which would meet the next failure.
  await expect(page.locator('.stale')).toHaveCount(0);
  await failOnce(429, { 'retry-after': '600' });
  await type(page, 'rossi');
  await expect(alert(page)).toContainText(t('problem.rateLimited.title'));
  await look('rate limited');
  await failOnce(401);
  await page.reload();
  await expect(page.getByText(t('signIn.ended'))).toBeVisible();
  await look('session ended');
}

/** Of other directories, and of people with other rights. */
async function visitOthers({ page, service, language, look }: Visit): Promise<void> {
  const t = textIn(language);
  const { empty, masked, people } = service;
  await page.goto(empty.url);
  await signIn(page, empty.key);
  await expect(alert(page)).toContainText(t('problem.empty.title'));
  await look('empty directory');
  await page.goto(masked.url);
  await signIn(page, masked.key);
  await expect(row(page)).toBeVisible();
  await look('masked list');
  await openCustomer(page);
  await look('masked customer');
  await page.goto(`${masked.url}/?search=0170+555`);
  await expect(alert(page)).toContainText(t('problem.notSearched'));
  await look('masked search');
  await page.goto(`${masked.url}/?sort=-total_orders`);
  await expect(alert(page)).toContainText(t('problem.badSort.title'));
  await look('order that is not enabled');
  for (const scopes of [['customers:list'], ['customers:lookup']]) {
    await page.route('**/session', async (route) => {
      const response = await route.fetch();
      const { data } = (await response.json()) as { data: object };
      await route.fulfill({ response, json: { data: { ...data, scopes } } });
    });
    await page.goto(masked.url);
    const what = scopes[0] === 'customers:list' ? 'notAllowed.search' : 'notAllowed.list.title';
    await expect(page.getByText(t(what))).toBeVisible();
    await look(`only ${scopes.join()}`);
    await page.unroute('**/session');
  }
  await page.goto(people.url);
  await expect(page.locator('main.sign-in .button').first()).toBeFocused();
  await look('sign-in with a provider');
}
