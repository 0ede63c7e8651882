/** Playwright's `test` with the running service, a signed-in page and axe checks. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import AxeBuilder from '@axe-core/playwright';
import { expect, test as base, type Page } from '@playwright/test';
import type { Service } from './start-service.ts';

interface Fixtures {
  service: Service;
  /** Signed in; no page opened yet. */
  signedIn: Page;
}

let visitors = 0;

export const test = base.extend<Fixtures>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names from here
  service: async ({}, use) => use(JSON.parse(process.env['CLIENTELE_E2E'] ?? '') as Service),
  baseURL: async ({ service }, use) => use(service.url),
  // Sign-ins are limited to ten a minute per address, so every test gets its own address.
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names from here
  extraHTTPHeaders: async ({}, use) =>
    use({ 'x-forwarded-for': `10.0.${process.pid % 250}.${(visitors += 1)}` }),
  signedIn: async ({ page, service }, use) => {
    await page.context().request.post('/session', { data: { key: service.key } });
    await use(page);
  },
});

export { expect };

/** Runs a CLI command against the service's database. */
export async function clientele({ databaseUrl }: Service, ...args: string[]): Promise<string> {
  const main = new URL('../../cli/src/main.ts', import.meta.url).pathname;
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  return (await promisify(execFile)(process.execPath, [main, ...args], { env })).stdout.trim();
}

/** From the sign-in page, with the provider. */
export async function signInAs(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Continue' }).click();
}

export const searchField = (page: Page) => page.getByRole('textbox', { name: 'Search customers' });
export const table = (page: Page) => page.getByRole('table', { name: 'Customers' });
/** Without the header row. */
export const rows = (page: Page) =>
  table(page)
    .getByRole('row')
    .filter({ has: page.getByRole('link') });
export const panel = (page: Page) =>
  page
    .getByRole('complementary', { name: 'Customer' })
    .or(page.getByRole('main', { name: 'Customer' }));

export async function openList(page: Page, path = '/'): Promise<void> {
  await page.goto(path);
  await expect(rows(page).first()).toBeVisible();
  await settled(page);
}

export async function settled(page: Page): Promise<void> {
  await expect(table(page)).toHaveAttribute('aria-busy', 'false');
}

export async function expectNoViolations(page: Page, state: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.html).join(' | ')}`);
  expect(found, state).toEqual([]);
}
