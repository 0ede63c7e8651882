/** Back, Forward, Enter and the tab's title do what people expect of a search. */
import { expect, openList, panel, rows, searchField, settled, test } from './test.ts';

const jürgen = '00000000-0000-4000-8000-000000000006';

test('a settled search is one history entry, however it was typed', async ({ signedIn: page }) => {
  await page.clock.install();
  await openList(page);
  await searchField(page).pressSequentially('garcia', { delay: 200 });
  await expect(page.getByText(/ matches$/)).toBeVisible();
  await settled(page);
  await page.clock.runFor(1_000); // A search settles after a second.
  await searchField(page).fill('jensen');
  await expect(page).toHaveURL('/?search=jensen');
  await page.goBack();
  await expect(page).toHaveURL('/?search=garcia');
  await expect(searchField(page)).toHaveValue('garcia');
  await page.goBack();
  await expect(page).toHaveURL('/');
  await expect(searchField(page)).toHaveValue('');
  await page.goForward();
  await page.goForward();
  await expect(searchField(page)).toHaveValue('jensen');
});

test('typing a search closes the customer, and Back opens it again', async ({ signedIn: page }) => {
  await openList(page, '/?search=peculiar+sons');
  await rows(page).filter({ hasText: 'Jürgen' }).click();
  await expect(panel(page).getByRole('heading', { level: 2 })).toBeFocused();
  await searchField(page).fill('garcia');
  await expect(page).toHaveURL('/?search=garcia');
  await expect(panel(page)).toHaveCount(0);
  await page.goBack();
  await expect(page).toHaveURL(`/?search=peculiar+sons&customer=${jürgen}`);
  await expect(panel(page)).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL('/?search=peculiar+sons');
  await expect(panel(page)).toHaveCount(0);
});

test('a row that is opened while a search is being typed stays open', async ({
  signedIn: page,
}) => {
  await openList(page, '/?search=peculiar+sons');
  await searchField(page).fill('peculiar son');
  await rows(page).filter({ hasText: 'Jürgen' }).getByRole('link').press('Enter');
  await expect(page).toHaveURL(`/?search=peculiar+son&customer=${jürgen}`);
  await settled(page);
  await expect(panel(page).getByRole('heading', { level: 2 })).toHaveText(/Jürgen/);
});

test('Enter pressed before the answer opens the only match when it arrives', async ({
  signedIn: page,
}) => {
  await openList(page);
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/v3/customers?*search=peculiar.6*', async (route) => {
    await promise;
    await route.continue();
  });
  await searchField(page).fill('peculiar.6@directory.example');
  await searchField(page).press('Enter');
  resolve();
  await expect(panel(page).getByRole('heading', { level: 2 })).toHaveText(/Jürgen/);
});

test('Enter is forgotten when typing continues or there are several matches', async ({
  signedIn: page,
}) => {
  await openList(page);
  await searchField(page).fill('peculiar');
  await searchField(page).press('Enter');
  await expect(page.getByText('8 matches')).toBeVisible();
  await searchField(page).pressSequentially('.6');
  await expect(page.getByText('opens Jürgen Müller-Straßburger')).toBeVisible();
  await expect(panel(page)).toHaveCount(0);
});

test('the tab’s title names the search, the page or the customer', async ({ signedIn: page }) => {
  await openList(page);
  await expect(page).toHaveTitle('Customers · Clientele');
  await openList(page, '/?search=peculiar+sons');
  await expect(page).toHaveTitle('peculiar sons · Clientele');
  await rows(page).filter({ hasText: 'Jürgen' }).click();
  await expect(page).toHaveTitle('Jürgen Müller-Straßburger · Clientele');
  await page.keyboard.press('Escape');
  await expect(page).toHaveTitle('peculiar sons · Clientele');
  await openList(page, '/?search=garcia&page=2');
  await expect(page).toHaveTitle('garcia, page 2 · Clientele');
  await page.getByRole('button', { name: 'Support desk' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveTitle('Sign in · Clientele');
});
