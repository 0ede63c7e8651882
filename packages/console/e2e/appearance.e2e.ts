import { expect, openList, panel, rows, searchField, test } from './test.ts';

for (const [what, width, height] of [
  ['a phone', 360, 740],
  ['a 1280-pixel screen at 200 % zoom', 640, 400],
  ['a tablet', 820, 1180],
  ['a 1280-pixel screen at 400 % zoom', 320, 256],
] as const) {
  test(`nothing overflows the screen on ${what}`, async ({ signedIn: page }) => {
    await page.setViewportSize({ width, height });
    const overflow = () =>
      page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
    await openList(page, '/?search=peculiar+sons');
    expect(await overflow(), 'list').toBeLessThanOrEqual(0);
    await rows(page).filter({ hasText: 'Hubert' }).click();
    await expect(panel(page).getByRole('heading', { level: 2 })).toBeVisible();
    expect(await overflow(), 'customer').toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'Close' }).click();
    await expect(rows(page).first()).toBeVisible();
  });
}

test('a tablet shows what support needs first: e-mail and phone before lifetime value', async ({
  signedIn: page,
}) => {
  await page.setViewportSize({ width: 820, height: 1180 });
  await openList(page, '/?search=garcia');
  const headers = page.getByRole('columnheader').filter({ visible: true });
  const shown = await headers.allInnerTexts();
  expect(shown.filter((name) => name !== '')).toEqual(['Name', 'Company', 'E-mail', 'Phone']);
  await page.getByRole('button', { name: 'View' }).click();
  for (const name of ['Company', 'Phone']) await page.getByRole('checkbox', { name }).uncheck();
  await expect(headers.filter({ hasText: 'Lifetime value' }), 'room for the next').toHaveCount(1);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('columns can be chosen, and a match in the company is visible', async ({
    signedIn: page,
  }) => {
    await openList(page, '/?search=peculiar+sons');
    const row = rows(page).filter({ hasText: 'Jürgen' });
    await expect(
      row.locator('[data-column=company] mark').filter({ hasText: 'Peculiar', visible: true }),
    ).toHaveCount(1);
    await expect(row.getByText('+49 (0)170 555-0188')).toBeVisible();
    await page.getByRole('button', { name: 'View' }).tap();
    await page.getByRole('checkbox', { name: 'Phone' }).uncheck();
    await expect(row.getByText('+49 (0)170 555-0188')).toHaveCount(0);
    await expect(page.getByText('Orders (no room here)')).toBeVisible();
  });

  test('every control is at least 40 pixels high and wide', async ({ signedIn: page }) => {
    const small = () =>
      page.evaluate(() =>
        [
          ...document.querySelectorAll(
            'button, select, input, a.button, label:has(input), td:has(input)',
          ),
        ]
          .filter((each) => each.checkVisibility() && !each.matches('label input, td input'))
          .map((each) => ({
            html: each.outerHTML.slice(0, 120),
            box: each.getBoundingClientRect(),
          }))
          .filter(({ box }) => box.width < 40 || box.height < 40)
          .map(({ html, box }) => `${box.width}×${box.height} ${html}`),
      );
    await openList(page, '/?search=garcia');
    expect(await small(), 'list').toEqual([]);
    await page.getByRole('button', { name: 'View' }).tap();
    expect(await small(), 'view menu').toEqual([]);
    await page.getByRole('button', { name: 'View' }).tap();
    await openList(page, '/?verified=true&hasOrders=true');
    await page.getByRole('button', { name: 'Filter', exact: true }).tap();
    expect(await small(), 'chips and filter menu').toEqual([]);
    await openList(page, '/?search=garcia');
    await rows(page).first().getByRole('link').tap();
    await expect(panel(page).getByRole('heading', { level: 2 })).toBeVisible();
    expect(await small(), 'customer').toEqual([]);
  });
});

test('right-to-left names read right to left and stay in their column', async ({
  signedIn: page,
}) => {
  await openList(page, '/?search=peculiar+sons');
  const name = page.getByRole('link', { name: 'مُحَمَّد الفَارِسِي' });
  expect(await name.evaluate((link) => getComputedStyle(link).direction)).toBe('rtl');
  const [cell, link] = await name.evaluate((element) =>
    [element.closest('th')!, element].map((each) => each.getBoundingClientRect().left),
  );
  expect(link! - cell!).toBeLessThan(20);
});

test('nothing is animated with reduced motion', async ({ signedIn: page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openList(page);
  const moving = await page.evaluate(
    () =>
      [...document.querySelectorAll('*')].filter((element) => {
        const { transitionDuration, animationName } = getComputedStyle(element);
        return transitionDuration !== '0s' || animationName !== 'none';
      }).length,
  );
  expect(moving).toBe(0);
});

test('the theme follows the system until one is chosen, and the choice is remembered', async ({
  signedIn: page,
}) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await openList(page);
  const background = () =>
    page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const dark = await background();
  await page.getByRole('button', { name: 'View' }).click();
  await page.getByLabel('Light').check();
  expect(await background()).not.toBe(dark);
  await page.reload();
  await expect(rows(page).first()).toBeVisible();
  expect(await background()).not.toBe(dark);
});

test.describe('in German', () => {
  test.use({ locale: 'de-DE' });

  test('the words of the filters fit into their buttons on a phone', async ({ signedIn: page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const choices = page.locator('.filter-menu button');
    await expect(choices).toHaveCount(9);
    const cut = await choices.evaluateAll((buttons) =>
      buttons
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ textContent }) => textContent),
    );
    expect(cut).toEqual([]);
  });

  test('texts, numbers and dates are German', async ({ signedIn: page, service }) => {
    await page.goto('/');
    await expect(
      page.getByText(`${service.customers.toLocaleString('de-DE')} Kunden`),
    ).toBeVisible();
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
    await page.getByLabel('Kunden suchen').fill('refunded rita');
    await expect(page.getByText('öffnet Refunded Rita')).toBeVisible();
    await expect(page.getByText('-42,50')).toBeVisible();
    await expect(page.getByText('02.03.2026')).toBeVisible();
    await page.getByRole('button', { name: 'Ansicht' }).click();
    await page.getByLabel('English').check();
    await expect(searchField(page)).toHaveValue('refunded rita');
  });
});
