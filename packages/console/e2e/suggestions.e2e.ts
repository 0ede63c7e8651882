import type { Page } from '@playwright/test';
import { expect, expectNoViolations, rows, searchField, settled, test } from './test.ts';

const suggestions = (page: Page) => page.getByRole('region', { name: 'Did you mean' });
const first = (page: Page) => suggestions(page).getByRole('link').first();

/** The first draw of words takes a moment after the start of the server. */
test.beforeAll(async ({ request, service }) => {
  const headers = { authorization: `Bearer ${service.key}` };
  await expect
    .poll(async () => {
      const url = `${service.url}/v3/customers/suggestions?search=shmidt`;
      const { data } = (await (await request.get(url, { headers })).json()) as { data: object[] };
      return data.length;
    })
    .toBeGreaterThan(0);
});

test('a search without a match offers others with their counts, and a click applies one', async ({
  signedIn: page,
}) => {
  await page.goto('/?search=shmidt');
  await expect(page.getByRole('alert')).toContainText('No customer matches “shmidt”.');
  await expect(first(page)).toHaveText('schmidt');
  const [count] = /[\d,]+ match(es)?/.exec(await suggestions(page).innerText())!;
  await expectNoViolations(page, 'suggestions');
  await first(page).click();
  await expect(page).toHaveURL('/?search=schmidt');
  await expect(searchField(page)).toHaveValue('schmidt');
  await settled(page);
  await expect(page.getByText(count, { exact: true })).toBeVisible();
  await expect(rows(page).first().locator('mark').first()).toBeVisible();
  await expect(suggestions(page)).toHaveCount(0);
  await page.goBack();
  await expect(page).toHaveURL('/?search=shmidt');
  await expect(first(page)).toHaveText('schmidt');
  await page.goForward();
  await expect(page).toHaveURL('/?search=schmidt');
  await expect(page.getByText(count, { exact: true })).toBeVisible();
});

test('Enter in the search field applies the first suggestion, and says so', async ({
  signedIn: page,
}) => {
  await page.goto('/');
  await searchField(page).fill('shmidt');
  await expect(page.getByRole('status').filter({ hasText: 'searches for schmidt' })).toBeVisible();
  await searchField(page).press('Enter');
  await expect(page).toHaveURL('/?search=schmidt');
  await expect(searchField(page)).toBeFocused();
  await expect(searchField(page)).toHaveValue('schmidt');
});

test('the key y applies it from elsewhere, and the list of keys has it', async ({
  signedIn: page,
}) => {
  await page.goto('/?search=shmidt');
  await expect(first(page)).toHaveAttribute('aria-keyshortcuts', 'y');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toContainText('Use the first suggestion');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('y');
  await expect(page).toHaveURL('/?search=schmidt');
  await settled(page);
});

test('suggestions move nothing that is already shown', async ({ signedIn: page }) => {
  let release = () => undefined as void;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/v3/customers/suggestions?*', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/?search=shmidt');
  const shown = [
    page.getByRole('heading', { name: 'No matches' }),
    page.getByRole('alert').getByRole('button', { name: 'Clear search' }),
    searchField(page),
  ];
  await expect(shown[0]!).toBeVisible();
  const places = async () => Promise.all(shown.map(async (each) => (await each.boundingBox())!.y));
  const before = await places();
  release();
  await expect(first(page)).toBeVisible();
  expect(await places()).toEqual(before);
});

test('a search with matches, and one that resembles nothing, have no suggestions', async ({
  signedIn: page,
}) => {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.endsWith('/suggestions')) asked.push(search);
  });
  await page.goto('/?search=schmidt');
  await settled(page);
  await page.goto('/?search=zzzqqq');
  await expect(page.getByRole('alert')).toContainText('No customer matches “zzzqqq”.');
  await expect.poll(() => asked).toEqual(['?search=zzzqqq']);
  await expect(suggestions(page)).toHaveCount(0);
});

test('they are searches of the whole directory: filters are not applied to them', async ({
  signedIn: page,
}) => {
  await page.goto('/?search=shmidt&verified=true');
  await expect(first(page)).toHaveText('schmidt');
  const [count] = /[\d,]+ match(es)?/.exec(await suggestions(page).innerText())!;
  await first(page).click();
  await expect(page).toHaveURL('/?search=schmidt');
  await expect(page.getByText(count, { exact: true })).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`on a phone they fit, and have no axe violation in the ${colorScheme} theme`, async ({
    signedIn: page,
  }) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto('/?search=shmidt');
    await expect(first(page)).toBeVisible();
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBeLessThanOrEqual(0);
    await expectNoViolations(page, 'suggestions');
  });
}
