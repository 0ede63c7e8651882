import { expect, openList, panel, rows, searchField, settled, table, test } from './test.ts';

test('slash focuses the search, typing searches, and matches are marked as the server folds', async ({
  signedIn: page,
}) => {
  await openList(page, '/?search=smith');
  await page.keyboard.press('/');
  await expect(searchField(page)).toBeFocused();
  await page.keyboard.type('jurgen muller strass');
  await expect(page.getByText('1 match', { exact: true })).toBeVisible();
  const name = rows(page).first().getByRole('link');
  await expect(name).toHaveText('Jürgen Müller-Straßburger');
  await expect(name.locator('mark')).toHaveText(['Jürgen', 'Müller', 'Straß']);
  await expect(page).toHaveURL('/?search=jurgen+muller+strass');
});

test('keystrokes in a row are one request', async ({ signedIn: page }) => {
  await openList(page);
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/v3/customers')) asked.push(new URL(request.url()).search);
  });
  await searchField(page).pressSequentially('garcia', { delay: 20 });
  await expect(page).toHaveURL('/?search=garcia');
  await settled(page);
  expect(asked).toEqual(['?page=1&search=garcia&perPage=25']);
});

test('an outdated text’s request is aborted, and old rows stay, dimmed, until new ones are here', async ({
  signedIn: page,
}) => {
  await openList(page);
  let release = () => undefined as void;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/v3/customers?*search=gar&*', async (route) => {
    await held;
    await route.continue().catch(() => undefined);
  });
  const first = await rows(page).first().innerText();
  const aborted = page.waitForEvent('requestfailed');
  await searchField(page).fill('gar');
  await expect(table(page)).toHaveAttribute('aria-busy', 'true');
  expect(await rows(page).first().innerText()).toBe(first);
  await expect
    .poll(() =>
      table(page)
        .locator('tbody')
        .evaluate((body) => Number(getComputedStyle(body).opacity)),
    )
    .toBeLessThan(0.6);
  await searchField(page).fill('garc');
  expect((await aborted).url()).toContain('search=gar&');
  await settled(page);
  release();
  await expect(rows(page).first().locator('mark').first()).toBeVisible();
});

for (const [what, text] of [
  ['an e-mail', 'peculiar.6@directory.example'],
  ['a phone as it is stored', '+49 (0)170 555-0188'],
  ['a phone as people dictate it', '0170/5550188'],
  ['an id', '00000000-0000-4000-8000-000000000006'],
]) {
  test(`pasting ${what} that one customer has offers Enter to open it`, async ({
    signedIn: page,
  }) => {
    await openList(page);
    await searchField(page).fill(text!);
    await expect(page.getByText('opens Jürgen Müller-Straßburger')).toBeVisible();
    await searchField(page).press('Enter');
    await expect(panel(page).getByRole('heading')).toHaveText('Jürgen Müller-Straßburger');
  });
}

test('typing replaces and paging pushes, so Back does what people expect', async ({
  signedIn: page,
}) => {
  await openList(page);
  await searchField(page).pressSequentially('garcia', { delay: 200 });
  await expect(page).toHaveURL('/?search=garcia');
  await settled(page);
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page).toHaveURL('/?search=garcia&page=2');
  await page.goBack();
  await expect(page).toHaveURL('/?search=garcia');
  await expect(searchField(page)).toHaveValue('garcia');
  await page.goForward();
  await expect(page.getByText(/^26–50 of /)).toBeVisible();
});
