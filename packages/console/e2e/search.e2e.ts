import { expect, openList, panel, rows, searchField, settled, table, test } from './test.ts';

test('slash focuses the search, typing searches, and matches are marked as the server matches', async ({
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

test('keystrokes in quick succession make one request', async ({ signedIn: page }) => {
  await page.clock.install({ time: '2026-05-01T08:00:00Z' });
  await openList(page);
  await page.clock.pauseAt('2026-05-01T09:00:00Z');
  const requests: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    // The jump of the clock may have refreshed the list without a search.
    if (pathname === '/v3/customers' && search.includes('search=')) requests.push(search);
  });
  for (const letter of 'garcia') {
    await page.clock.runFor(20);
    await page.keyboard.type(letter);
  }
  await page.clock.runFor(150);
  await expect(page).toHaveURL('/?search=garcia');
  await settled(page);
  expect(requests).toEqual(['?page=1&search=garcia&perPage=25']);
});

test('a search is sent after a shorter pause once the server has answered quickly', async ({
  signedIn: page,
}) => {
  await page.clock.install({ time: '2026-05-01T08:00:00Z' });
  await openList(page);
  await page.clock.pauseAt('2026-05-01T09:00:00Z');
  let sent = 0;
  page.on('request', (request) => {
    if (request.url().includes('/v3/customers')) sent += 1;
  });
  const expectSentAfter = async (text: string, ms: number) => {
    const before = sent;
    await searchField(page).fill(text);
    await page.clock.runFor(ms - 1);
    expect(sent, `${text}: ${ms - 1} ms`).toBe(before);
    await page.clock.runFor(1);
    await expect.poll(() => sent, `${text}: ${ms} ms`).toBe(before + 1);
  };
  await searchField(page).fill('gar');
  await page.clock.runFor(150);
  await expect(page).toHaveURL('/?search=gar');
  await settled(page);
  await expectSentAfter('garc', 75);
  await settled(page);

  let release = () => undefined as void;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/v3/customers?*search=garci&*', async (route) => {
    await held;
    await route.continue();
  });
  await expectSentAfter('garci', 75);
  await page.clock.runFor(250);
  release();
  await settled(page);
  await expectSentAfter('garcia', 150);
});

test('typing more aborts the previous request, and the old rows stay dimmed until new ones arrive', async ({
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
  await expect(table(page).locator('tbody')).toHaveCSS('opacity', '0.7');
  await searchField(page).fill('garc');
  expect((await aborted).url()).toContain('search=gar&');
  await settled(page);
  release();
  await expect(rows(page).first().locator('mark').first()).toBeVisible();
});

for (const [what, text] of [
  ['an e-mail', 'peculiar.6@directory.example'],
  ['a phone in the stored format', '+49 (0)170 555-0188'],
  ['a phone in another format', '0170/5550188'],
  ['an id', '00000000-0000-4000-8000-000000000006'],
]) {
  test(`pasting ${what} of one customer offers to open it with Enter`, async ({
    signedIn: page,
  }) => {
    await openList(page);
    await searchField(page).fill(text!);
    await expect(page.getByText('opens Jürgen Müller-Straßburger')).toBeVisible();
    await searchField(page).press('Enter');
    await expect(panel(page).getByRole('heading')).toHaveText('Jürgen Müller-Straßburger');
  });
}

test('letters of one search share a history entry and paging adds one, so Back returns to the first page', async ({
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
