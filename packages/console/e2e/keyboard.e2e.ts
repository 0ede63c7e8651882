import {
  expect,
  expectNoViolations,
  openList,
  panel,
  rows,
  searchField,
  table,
  test,
} from './test.ts';

test('search, open and page with the keyboard only', async ({ signedIn: page }) => {
  await openList(page);
  await expect(searchField(page)).toBeFocused();
  await page.keyboard.type('garcia');
  await expect(page).toHaveURL('/?search=garcia');
  await expect(rows(page).nth(1)).toContainText(/garc[ií]a/i);
  await page.keyboard.press('ArrowDown');
  await expect(rows(page).nth(0).getByRole('link')).toBeFocused();
  await page.keyboard.press('j');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('k');
  await expect(rows(page).nth(1).getByRole('link')).toBeFocused();
  const name = await rows(page).nth(1).getByRole('link').innerText();
  await page.keyboard.press('Enter');
  await expect(panel(page).getByRole('heading', { level: 2 })).toHaveText(name);
  await page.keyboard.press('Escape');
  await expect(panel(page)).toHaveCount(0);
  await expect(rows(page).nth(1).getByRole('link')).toBeFocused();
  await page.keyboard.press(']');
  await expect(page.getByText(/^26–50 of /)).toBeVisible();
  await page.keyboard.press('[');
  await expect(page.getByText(/^1–25 of /)).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL('/');
});

test('brackets that a keyboard has on AltGr are commands', async ({ signedIn: page }) => {
  await openList(page);
  const press = (key: string, modifiers: object) =>
    page.evaluate(
      ([pressed, held]) =>
        document.activeElement!.dispatchEvent(
          new KeyboardEvent('keydown', {
            key: pressed as string,
            ...(held as object),
            bubbles: true,
            cancelable: true,
          }),
        ),
      [key, modifiers],
    );
  await press(']', { altKey: true, ctrlKey: true, modifierAltGraph: true });
  await expect(page.getByText(/^26–50 of /)).toBeVisible();
  await press('[', { altKey: true, modifierAltGraph: true });
  await expect(page.getByText(/^1–25 of /)).toBeVisible();
  await press(']', { altKey: true });
  await expect(page).toHaveURL('/');
});

test('a key of an input method is no command', async ({ signedIn: page }) => {
  await openList(page, '/?search=peculiar+sons');
  await rows(page).first().getByRole('checkbox').click();
  const selection = page.getByRole('region', { name: 'Selection' });
  await expect(selection).toContainText('1 selected');
  await searchField(page).evaluate((field) =>
    field.dispatchEvent(
      new KeyboardEvent('keydown', {
        key: 'Escape',
        isComposing: true,
        bubbles: true,
        cancelable: true,
      }),
    ),
  );
  await expect(selection).toContainText('1 selected');
});

test('Back from a customer leads to its row, as closing it does', async ({ signedIn: page }) => {
  await openList(page, '/?search=peculiar+sons');
  const row = rows(page).nth(3).getByRole('link');
  await row.click();
  await expect(panel(page).getByRole('heading', { level: 2 })).toBeFocused();
  await page.goBack();
  await expect(row).toBeFocused();
  await page.goForward();
  await panel(page).getByRole('link', { name: 'Open on its own page' }).click();
  await expect(table(page)).toHaveCount(0);
  await page.goBack();
  await expect(panel(page).getByRole('heading', { level: 2 })).toBeVisible();
  await page.goBack();
  await expect(row).toBeFocused();
});

test('the question mark lists the shortcuts, and single keys can be turned off', async ({
  signedIn: page,
}) => {
  await openList(page);
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(dialog.getByText('Previous and next page')).toBeVisible();
  for (const added of [
    'Filter the list',
    'Use the first suggestion',
    'Go to the page of the period',
  ]) {
    await expect(dialog).toContainText(added);
  }
  await dialog.getByLabel('Use single keys as commands').uncheck();
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(searchField(page)).toBeFocused();
  await page.keyboard.press('Escape');
  await page.keyboard.press(']');
  await page.keyboard.press('?');
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL('/');
});

test('the list of keys leads to the guide, in the reader’s language', async ({
  signedIn: page,
  context,
}) => {
  await openList(page);
  await page.keyboard.press('?');
  const opened = context.waitForEvent('page');
  await page.getByRole('link', { name: 'Guide to the console' }).click();
  const guide = await opened;
  await expect(guide.getByRole('heading', { level: 1 })).toHaveText(/^The console: a guide/);
  await expectNoViolations(guide, 'the guide');
  await guide.getByRole('link', { name: 'Auf Deutsch' }).click();
  await expect(guide.getByRole('heading', { level: 1 })).toHaveText(/^Die Konsole: eine Anleitung/);
});

test('Tab reaches every control in page order, and each shows its focus', async ({
  signedIn: page,
}) => {
  await openList(page, '/?search=peculiar+sons');
  await expect(page.getByRole('slider')).toBeVisible();
  const reached: string[] = [];
  for (let n = 0; n < 30; n += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement!;
      if (element === document.body) return null;
      const own = getComputedStyle(element);
      const row = element.closest('tr, search');
      const around = row && getComputedStyle(row);
      const visible =
        own.outlineStyle !== 'none' ||
        (around !== null && (around.outlineStyle !== 'none' || element.matches('search input')));
      const name = element.getAttribute('aria-label') ?? element.textContent?.trim();
      return { name: name || element.tagName, visible };
    });
    if (!focused) break;
    expect(focused.visible, `focus is visible on ${focused.name}`).toBe(true);
    reached.push(focused.name);
  }
  const order = [
    'Skip to content',
    'Keyboard shortcuts',
    'View',
    'Support desk',
    'Search customers',
    'Clear search',
    'Newest first',
    'Refresh',
    'Filter',
    'Export',
    'When they joined',
    'Orders',
    'Last order',
    '田中 太郎',
    'Next page',
  ];
  expect(
    order.map((name) => reached.indexOf(name)),
    reached.join(', '),
  ).toEqual(order.map((name) => reached.indexOf(name)).toSorted((a, b) => a - b));
  expect(order.filter((name) => !reached.includes(name))).toEqual([]);
});

test('the focus is never lost when the focused element disappears', async ({ signedIn: page }) => {
  const press = async (name: string, role: 'button' | 'link' = 'button') => {
    await page.getByRole(role, { name, exact: true }).focus();
    await page.keyboard.press('Enter');
  };
  const expectFocus = (after: string) =>
    expect
      .poll(() => page.evaluate(() => document.activeElement !== document.body), { message: after })
      .toBe(true);
  await page.goto('/?search=peculiar+sons&page=9');
  await press('Go to the last page');
  await expect(rows(page)).toHaveCount(8);
  await expectFocus('the last page');
  await press('Jürgen Müller-Straßburger', 'link');
  await expect(panel(page).getByRole('heading', { level: 2 })).toBeFocused();
  await press('Next customer');
  await expectFocus('the next customer');
  await press('Open on its own page', 'link');
  await expect(panel(page)).toHaveCount(0);
  await expectFocus('its own page');
  await press('Back to the list', 'link');
  await expect(rows(page)).toHaveCount(8);
  await expectFocus('the list');
  await press('Export');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Export' })).toBeFocused();
  await press('Clear search');
  await expect(searchField(page)).toBeFocused();
  await expect(rows(page)).toHaveCount(25);
  await press('Next page');
  await expect(page.getByText(/^26–50 of /)).toBeVisible();
  await expectFocus('the next page');
  const pageField = page.getByLabel('Page', { exact: true });
  await pageField.fill('3');
  await pageField.press('Enter');
  await expect(page.getByText(/^51–75 of /)).toBeVisible();
  await expect(pageField).toBeFocused();
  await expect(pageField).toHaveValue('3');
  for (const clear of ['Enter', 'Escape']) {
    await rows(page).first().getByRole('checkbox').click();
    await page.getByRole('button', { name: 'Clear selection' }).focus();
    await page.keyboard.press(clear);
    await expect(page.getByRole('region', { name: 'Selection' })).toHaveCount(0);
    await expect(page.locator('[data-row]:focus')).toHaveCount(1);
  }

  await page.route('**/v3/customers?*', (route) => route.fulfill({ status: 504, json: {} }));
  await searchField(page).fill('garcia');
  await expect(page.getByRole('alert')).toContainText('That took too long');
  await page.unroute('**/v3/customers?*');
  await press('Try again');
  await expect(page.getByText(/^1–25 of /)).toBeVisible();
  await expectFocus('trying again');
  await press('Support desk');
  await press('Sign out');
  await expect(page.getByLabel('Access key')).toBeFocused();
});
