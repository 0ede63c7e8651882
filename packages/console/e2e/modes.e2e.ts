/** No screen has an axe violation in forced colours or in German, in both themes. */
import type { Page } from '@playwright/test';
import { expect, expectNoViolations, test } from './test.ts';

const list = '/?search=peculiar+sons';
const jürgen = '00000000-0000-4000-8000-000000000006';
const row = (page: Page) => page.locator('[data-row]').first();

for (const locale of ['en-GB', 'de-DE']) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const forcedColors of ['active', 'none'] as const) {
      if (locale === 'en-GB' && forcedColors === 'none') continue; // appearance.e2e.ts
      test(`no screen has an axe violation: ${locale}, ${colorScheme}, forced colours ${forcedColors}`, async ({
        browser,
        service,
        extraHTTPHeaders,
      }) => {
        const context = await browser.newContext({
          locale,
          colorScheme,
          forcedColors,
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
  }
}
