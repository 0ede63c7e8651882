/** The timeline above the list, by mouse and keyboard. */
import type { Page } from '@playwright/test';
import type { WireTimeline } from '@clientele/contract';
import type { Service } from './start-service.ts';
import { expect, expectNoViolations, openList, rows, searchField, settled, test } from './test.ts';

const slider = (page: Page) => page.getByRole('slider', { name: 'When they joined' });
const note = (page: Page) => page.locator('.timeline .note');
const number = (value: number) => value.toLocaleString('en-GB');

/** The periods of the service, the oldest first. */
async function ask({ url, key }: Service, query = '') {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v3/customers/timeline?exact=true&${query}`, { headers });
  const { data } = (await response.json()) as WireTimeline;
  return { ...data, periods: data.buckets.toReversed() };
}

/** The middle of a period. */
async function pointAt(page: Page, index: number, count: number) {
  const box = (await slider(page).boundingBox())!;
  return { x: box.x + ((index + 0.5) / count) * box.width, y: box.y + box.height / 2 };
}

async function openWithTimeline(page: Page, path = '/'): Promise<void> {
  await openList(page, path);
  await expect(slider(page)).toBeVisible();
}

const pageOf = ({ above }: { above: number }) => Math.floor(above / 25) + 1;

test('it appears after the rows, and moves nothing', async ({ signedIn: page }) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/v3/customers/timeline?*', async (route) => {
    expect(await rows(page).count(), 'rows when it is requested').toBe(25);
    await promise;
    await route.continue();
  });
  await openList(page, '/?search=garcia');
  const place = () => rows(page).first().boundingBox();
  const before = await place();
  await expect(slider(page)).toHaveCount(0);
  resolve();
  await expect(slider(page)).toBeVisible();
  expect(await place()).toEqual(before);
});

test('hovering shows a period and its exact count', async ({ signedIn: page, service }) => {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/timeline')) asked.push(new URL(request.url()).search);
  });
  await openWithTimeline(page, '/?verified=true');
  expect(asked).toEqual(['?search=&verified=true']);
  const { periods } = await ask(service, 'verified=true');
  const index = Math.floor(periods.length / 2);
  const { x, y } = await pointAt(page, index, periods.length);
  await page.mouse.move(x, y);
  await expect(note(page)).toHaveText(
    new RegExp(`20\\d\\d: ${number(periods[index]!.count)} customers?$`),
  );
  expect(asked, 'it is requested once').toEqual(['?search=&verified=true']);
  await page.mouse.move(x, y + 300);
  await expect(note(page)).toHaveCount(0);
});

test('counts that are not exact are “about” that many', async ({ signedIn: page }) => {
  await page.route('**/v3/customers/timeline?*', async (route) => {
    const response = await route.fetch();
    const { data } = (await response.json()) as WireTimeline;
    await route.fulfill({ response, json: { data: { ...data, exact: false } } });
  });
  await openWithTimeline(page);
  await slider(page).hover();
  await expect(note(page)).toHaveText(/: about [\d,]+ customers?$/);
});

test('a click goes to the page of the period, and the mark follows', async ({
  signedIn: page,
  service,
}) => {
  await openWithTimeline(page);
  const mark = page.locator('.timeline .here');
  const before = (await mark.boundingBox())!;
  const { periods } = await ask(service);
  const index = Math.floor(periods.length / 4);
  const { x, y } = await pointAt(page, index, periods.length);
  await page.mouse.move(x, y);
  await expect(note(page)).not.toContainText('about');
  await page.mouse.click(x, y);
  await expect(page).toHaveURL(`/?page=${pageOf(periods[index]!)}`);
  await settled(page);
  const after = (await mark.boundingBox())!;
  expect(after.x).toBeLessThan(before.x);
  expect(Math.abs(after.x - x), 'within the period').toBeLessThan(30);
  await page.goBack();
  await expect(page).toHaveURL('/');
  await settled(page);
  expect((await mark.boundingBox())!.x, 'after Back').toBe(before.x);
  await page.goForward();
  await expect(page).toHaveURL(`/?page=${pageOf(periods[index]!)}`);
  await settled(page);
  expect((await mark.boundingBox())!.x, 'after Forward').toBe(after.x);
});

test('dragging filters by when customers joined', async ({ signedIn: page, service }) => {
  await openWithTimeline(page, '/?search=garcia&verified=true');
  const { periods } = await ask(service, 'search=garcia&verified=true');
  const [first, last] = [Math.floor(periods.length / 3), Math.floor(periods.length / 2)];
  const [from, to] = [
    await pointAt(page, last, periods.length),
    await pointAt(page, first, periods.length),
  ];
  await page.mouse.move(from.x, from.y);
  await expect(note(page)).not.toContainText('about');
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  const count = periods.slice(first, last + 1).reduce((sum, period) => sum + period.count, 0);
  await expect(note(page)).toContainText(`: ${number(count)} customers`);
  await page.mouse.up();
  const start = periods[first]!.from.slice(0, 10);
  const end = periods[last + 1]!.from.slice(0, 10);
  await expect(page).toHaveURL(`/?search=garcia&verified=true&joinedFrom=${start}&joinedTo=${end}`);
  await expect(page.locator('.count')).toHaveText(`${number(count)} matches`);
  await expect(page.getByRole('button', { name: /^Remove filter: Joined/ })).toBeVisible();
  await expect(slider(page)).toBeVisible();
  await expectNoViolations(page, 'timeline with a range');
  await page.goBack();
  await expect(page).toHaveURL('/?search=garcia&verified=true');
  await expect(slider(page)).toHaveAttribute('aria-valuemax', String(periods.length - 1));
  await page.goForward();
  await expect(page.locator('.count')).toHaveText(`${number(count)} matches`);
  await page.reload();
  await expect(page.locator('.count')).toHaveText(`${number(count)} matches`);
  await expect(slider(page), 'of the range only').not.toHaveAttribute(
    'aria-valuemax',
    String(periods.length - 1),
  );
});

test('the keyboard goes to a page, and selects a range', async ({ signedIn: page, service }) => {
  await openWithTimeline(page, '/?search=garcia');
  const { periods } = await ask(service, 'search=garcia');
  const newest = periods.length - 1;
  await slider(page).focus();
  await expect(slider(page)).toHaveAttribute('aria-valuenow', String(newest));
  for (let times = 0; times < 3; times += 1) await page.keyboard.press('ArrowLeft');
  const third = periods[newest - 3]!;
  await expect(slider(page)).toHaveAttribute(
    'aria-valuetext',
    new RegExp(`20\\d\\d: ${number(third.count)} customers?\\. Page ${pageOf(third)}$`),
  );
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/?search=garcia&page=${pageOf(periods[0]!)}`);
  await settled(page);
  await expect(slider(page)).toBeFocused();

  await page.keyboard.press('End');
  await page.keyboard.press('Shift+ArrowLeft');
  await page.keyboard.press('Shift+ArrowLeft');
  const sum = periods.slice(newest - 2).reduce((total, { count }) => total + count, 0);
  await expect(note(page)).toContainText(`: ${number(sum)} customers`);
  await page.keyboard.press('Escape');
  await expect(note(page)).toContainText(`: ${number(periods[newest - 2]!.count)} customer`);
  await page.keyboard.press('End');
  await page.keyboard.press('Shift+ArrowLeft');
  await page.keyboard.press('Enter');
  const start = periods[newest - 1]!.from.slice(0, 10);
  await expect(page).toHaveURL(
    new RegExp(`/\\?search=garcia&joinedFrom=${start}&joinedTo=[\\d-]+$`),
  );
  const both = periods[newest - 1]!.count + periods[newest]!.count;
  await expect(page.locator('.count')).toHaveText(`${number(both)} matches`);
  await expect(slider(page), 'of the new list').toBeFocused();
});

test('it has a text alternative, and no axe violation', async ({ signedIn: page }) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await openWithTimeline(page);
    await expect(slider(page)).toHaveAccessibleDescription(
      /^Joined from .+ to .+, most of them in .+\. This page: .+\. Arrow keys move/,
    );
    await slider(page).focus();
    await expectNoViolations(page, `${colorScheme}, focused`);
  }
  await page.setViewportSize({ width: 390, height: 780 });
  await openWithTimeline(page);
  await expectNoViolations(page, 'narrow');
});

test('it belongs to the rows on screen', async ({ signedIn: page, service }) => {
  await openWithTimeline(page);
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/v3/customers?*search=peculiar*', async (route) => {
    await promise;
    await route.continue();
  });
  await searchField(page).fill('peculiar sons');
  await expect(page.locator('.strip[data-previous]')).toBeVisible();
  await slider(page).click();
  await expect(page, 'no page of the previous search').toHaveURL('/?search=peculiar+sons');
  resolve();
  await expect(page.locator('.strip[data-previous]')).toHaveCount(0);
  const { periods } = await ask(service, 'search=peculiar+sons');
  await expect(slider(page)).toHaveAttribute('aria-valuemax', String(periods.length - 1));
});

test('without an answer the list works as before', async ({ signedIn: page }) => {
  await page.route('**/v3/customers/timeline?*', (route) =>
    route.fulfill({ status: 403, json: {} }),
  );
  await openList(page, '/?search=garcia');
  await page.waitForLoadState('networkidle');
  await expect(slider(page)).toHaveCount(0);
  await expect(page.getByRole('alert')).toHaveCount(0);
  await page.keyboard.press(']');
  await expect(page.getByText(/^26–50 of /)).toBeVisible();
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('a touch goes to a page, and dragging filters', async ({ signedIn: page }) => {
    await openWithTimeline(page, '/?search=garcia');
    const box = (await slider(page).boundingBox())!;
    // At the dates below the bars.
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height + 10);
    await expect(page).toHaveURL(/search=garcia&page=\d+$/);
    const touch = await page.context().newCDPSession(page);
    const move = (type: 'touchStart' | 'touchMove' | 'touchEnd', share?: number) =>
      touch.send('Input.dispatchTouchEvent', {
        type,
        touchPoints:
          share === undefined ? [] : [{ x: box.x + share * box.width, y: box.y + box.height / 2 }],
      });
    await move('touchStart', 0.3);
    for (const share of [0.35, 0.4, 0.5]) await move('touchMove', share);
    await move('touchEnd');
    await expect(page).toHaveURL(/search=garcia&joinedFrom=[\d-]+&joinedTo=[\d-]+$/);
  });
});
