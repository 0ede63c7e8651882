/** A search that was never counted shows its customers at once, and its total when it is known. */
import type { Page } from '@playwright/test';
import { FaultProxy } from './fault-proxy.ts';
import { recordFrames, takeFrames } from './screen.ts';
import type { Service } from './start-service.ts';
import { expect, rows, searchField, test } from './test.ts';

/** The console behind a proxy that can hold back totals. */
async function openBehindProxy(page: Page, { url: target, key }: Pick<Service, 'url' | 'key'>) {
  const proxy = new FaultProxy(target);
  const url = await proxy.listen();
  await page.context().request.post(`${url}/session`, { data: { key } });
  await page.addInitScript(recordFrames);
  await page.goto(url);
  await expect(page.getByText(/^1–25 of /)).toBeVisible();
  return proxy;
}

test('the rows come first, then the total, without a number that belongs to another search', async ({
  page,
  service,
}) => {
  const proxy = await openBehindProxy(page, service);
  proxy.fault = 'counting';
  proxy.countingTime = 600_000;
  await takeFrames(page);
  await searchField(page).fill('garcia');
  await expect(page.getByText('Counting…')).toBeVisible();
  await expect(page.getByText('1–25', { exact: true })).toBeVisible();
  await expect(rows(page)).toHaveCount(25);
  await expect(rows(page).first()).toContainText(/garc[ií]a/i);
  await expect(page.getByRole('button', { name: 'Export' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await rows(page).first().click();
  await expect(page.getByRole('complementary', { name: 'Customer' })).toBeVisible();
  proxy.endCounts();
  await expect(page.getByText(/^[\d,]+ matches$/)).toBeVisible();
  await expect(page.getByText(/^1–25 of /)).toBeVisible();
  const shown = (await takeFrames(page)).filter(({ address }) => address.includes('garcia'));
  const orders = new Set(shown.flatMap((screen) => (screen.rows ? [screen.rows.join()] : [])));
  expect(orders.size, 'the rows stay as they came').toBe(1);
  proxy.close();
});

test('while the total is counted, the pages next to this one can be chosen', async ({
  page,
  service,
}) => {
  const proxy = await openBehindProxy(page, service);
  proxy.fault = 'counting';
  proxy.countingTime = 600_000;
  const next = page.getByRole('button', { name: 'Next page' });
  const previous = page.getByRole('button', { name: 'Previous page' });
  await searchField(page).fill('garcia');
  await expect(page.getByText('1–25', { exact: true })).toBeVisible();
  await expect(previous).toHaveAttribute('aria-disabled', 'true');
  await next.click();
  await expect(page.getByText('26–50', { exact: true })).toBeVisible();
  await page.keyboard.press(']');
  await expect(page.getByText('51–75', { exact: true })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Page' })).not.toBeEditable();
  await previous.click();
  await expect(page.getByText('26–50', { exact: true })).toBeVisible();
  proxy.close();
});

test('rows without a total do not make the console ask for the timeline again', async ({
  page,
  service,
}) => {
  const timelines: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/timeline?')) timelines.push(request.url());
  });
  const proxy = await openBehindProxy(page, service);
  await expect(page.getByRole('slider')).toBeVisible();
  proxy.fault = 'counting';
  proxy.countingTime = 600_000;
  await page.keyboard.press(']');
  await expect(page.getByText('26–50', { exact: true })).toBeVisible();
  proxy.endCounts();
  await expect(page.getByText(/^26–50 of /)).toBeVisible();
  expect(timelines).toHaveLength(1);
  proxy.close();
});

test('a search that was given up while it was counted starts without its rows', async ({
  page,
  service,
}) => {
  const proxy = await openBehindProxy(page, service);
  proxy.fault = 'counting';
  proxy.countingTime = 600_000;
  await searchField(page).fill('garcia');
  await expect(page.getByText('1–25', { exact: true })).toBeVisible();
  await searchField(page).fill('peculiar sons');
  await expect(page.getByText('1–8', { exact: true })).toBeVisible();
  proxy.fault = 'slow';
  await takeFrames(page);
  await searchField(page).fill('garcia');
  await expect(page.getByText(/^1–25 of /)).toBeVisible();
  // The total of the search before is being counted until the text changes.
  const shown = (await takeFrames(page)).filter(({ field }) => field === 'garcia');
  expect(shown.map(({ count }) => count)).not.toContain('Counting…');
  proxy.close();
});

test('a total that comes soon after its rows shows no sign of counting', async ({
  page,
  service,
}) => {
  await page.clock.install({ time: '2026-05-01T08:00:00Z' });
  const proxy = await openBehindProxy(page, service);
  proxy.fault = 'counting';
  proxy.countingTime = 600_000;
  await page.clock.pauseAt('2026-05-01T09:00:00Z');
  const counting = page.getByText('Counting…');
  const search = async (text: string) => {
    await searchField(page).fill(text);
    await page.clock.runFor(150);
    await expect(page.getByText('1–25', { exact: true })).toBeVisible();
  };
  // The search is sent after 75 or 150 ms; "Counting…" comes 150 ms after the rows.
  await search('garcia');
  await page.clock.runFor(50);
  await expect(counting).toHaveCount(0);
  proxy.endCounts();
  await expect(page.getByText(/^[\d,]+ matches$/)).toBeVisible();
  await page.clock.runFor(1_000);
  await expect(counting).toHaveCount(0);
  // One that takes longer does.
  await search('muller');
  await page.clock.runFor(150);
  await expect(counting).toBeVisible();
  proxy.close();
});

test('a connection that is lost after the rows keeps them, says so, and the total follows by itself', async ({
  page,
  service,
}) => {
  const proxy = await openBehindProxy(page, service);
  proxy.fault = 'cut short';
  proxy.countingTime = 300;
  await searchField(page).fill('garcia');
  await expect(rows(page).first()).toContainText(/garc[ií]a/i);
  await expect(page.getByRole('alert')).toBeVisible();
  await expect(rows(page)).toHaveCount(25);
  await expect(page.getByText('Counting…')).toHaveCount(0);
  proxy.fault = 'none';
  await expect(page.getByText(/^[\d,]+ matches$/)).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
  proxy.close();
});

test('rows without a total already say which contact details are hidden', async ({
  page,
  service,
}) => {
  const proxy = await openBehindProxy(page, service.masked);
  proxy.fault = 'counting';
  proxy.countingTime = 600_000;
  await searchField(page).fill('garcia');
  await expect(page.getByText('Counting…')).toBeVisible();
  await expect(page.getByRole('columnheader', { name: /E-mail|Phone/ })).toHaveCount(0);
  await rows(page).first().click();
  await expect(
    page.getByRole('complementary', { name: 'Customer' }).getByText('hidden', { exact: true }),
  ).toHaveCount(2);
  proxy.close();
});
