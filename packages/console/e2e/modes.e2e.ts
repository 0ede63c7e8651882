/** No screen has an axe violation in forced colours or in German, in both themes. */
import type { Page } from '@playwright/test';
import { expect, expectNoViolations, test } from './test.ts';

const list = '/?search=peculiar+sons';
const jürgen = '00000000-0000-4000-8000-000000000006';
const row = (page: Page) => page.locator('[data-row]').first();

const modes = (['en-GB', 'de-DE'] as const)
  .flatMap((locale) => (['light', 'dark'] as const).map((colorScheme) => ({ locale, colorScheme })))
  .flatMap((mode) =>
    (['active', 'none'] as const).map((forcedColors) => ({ ...mode, forcedColors })),
  )
  // appearance.e2e.ts
  .filter(({ locale, forcedColors }) => locale === 'de-DE' || forcedColors === 'active');
/** Each language, theme and kind of colours once; the rest of the combinations at night. */
const tested = process.env['NIGHTLY'] ? modes : [modes[0]!, modes.at(-1)!];

for (const mode of tested) {
  const { locale, colorScheme, forcedColors } = mode;
  test(`no screen has an axe violation: ${locale}, ${colorScheme}, forced colours ${forcedColors}`, async ({
    browser,
    service,
    extraHTTPHeaders,
  }) => {
    const context = await browser.newContext({
      ...mode,
      baseURL: service.url,
      extraHTTPHeaders: extraHTTPHeaders!,
    });
    const page = await context.newPage();
    await page.goto('/');
    await expect(page.locator('#key')).toBeFocused();
    await expectNoViolations(page, 'sign-in');
    await context.request.post('/session', { data: { key: service.key } });
    await page.goto(`${list}&sort=-lifetime_value_cents`);
    await expect(row(page)).toBeVisible();
    await page.locator('tbody [data-column=select]').first().click();
    await expectNoViolations(page, 'sorted list with a selection');
    await page.keyboard.press('o');
    await expectNoViolations(page, 'menu of the order');
    await page.keyboard.press('Escape');
    await page.keyboard.press('f');
    await expectNoViolations(page, 'menu of the filters');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await expectNoViolations(page, 'palette');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await expectNoViolations(page, 'keys');
    await page.goto(`${list}&customer=${jürgen}`);
    await expect(page.locator('.detail h2')).toBeFocused();
    await expectNoViolations(page, 'open customer');
    await page.goto(`/customers/${jürgen}`);
    await expect(page.locator('.detail h2')).toBeFocused();
    await expectNoViolations(page, 'own page');
    await page.goto('/?search=zzzqqq');
    await expect(page.getByRole('alert')).toBeVisible();
    await expectNoViolations(page, 'no match');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(list);
    await expect(row(page)).toBeVisible();
    await expectNoViolations(page, 'small screen');
    await context.close();
  });
}
