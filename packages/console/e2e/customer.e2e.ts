import { expect, openList, panel, rows, test } from './test.ts';

const path = '/?search=peculiar+sons';
const jürgen = '00000000-0000-4000-8000-000000000006';

test('a customer opens next to the list and has its own URL', async ({ signedIn: page }) => {
  await openList(page, path);
  await rows(page).filter({ hasText: 'Jürgen' }).click();
  await expect(
    panel(page).getByRole('heading', { name: 'Jürgen Müller-Straßburger' }),
  ).toBeFocused();
  await expect(rows(page)).toHaveCount(8);
  await expect(page).toHaveURL(`${path}&customer=${jürgen}`);
  await page.goBack();
  await expect(panel(page)).toHaveCount(0);
  await page.goForward();
  await expect(panel(page)).toBeVisible();
  await page.getByRole('button', { name: 'Close' }).click();
  await expect(panel(page)).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'Jürgen Müller-Straßburger' })).toBeFocused();
});

test('a customer has its own page with a link back to the list', async ({ signedIn: page }) => {
  await openList(page, `${path}&customer=${jürgen}`);
  await page.getByRole('link', { name: 'Open on its own page' }).click();
  await expect(page).toHaveURL(`/customers/${jürgen}?search=peculiar+sons`);
  await page.goto(`/customers/${jürgen.toUpperCase()}`);
  await expect(page.getByRole('heading', { name: 'Jürgen Müller-Straßburger' })).toBeVisible();
  await expect(page).toHaveTitle('Jürgen Müller-Straßburger · Clientele');
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await expect(rows(page)).toHaveCount(25);
});

test('single keys copy the e-mail, phone and id; e-mail and phone are links', async ({
  signedIn: page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openList(page, `${path}&customer=${jürgen}`);
  await expect(panel(page).getByRole('heading', { level: 2 })).toBeVisible();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  for (const [key, value] of [
    ['e', 'peculiar.6@directory.example'],
    ['p', '+49 (0)170 555-0188'],
    ['i', jürgen],
  ] as const) {
    await page.keyboard.press(key);
    await expect(panel(page).getByRole('status')).toHaveText(`Copied: ${value}`);
    expect(await copied()).toBe(value);
  }
  await expect(
    panel(page).getByRole('link', { name: 'peculiar.6@directory.example' }),
  ).toHaveAttribute('href', 'mailto:peculiar.6@directory.example');
  await expect(panel(page).getByRole('link', { name: '+49 (0)170 555-0188' })).toHaveAttribute(
    'href',
    'tel:+4901705550188',
  );
  await page.getByRole('button', { name: 'Copy e-mail' }).click();
  expect(await copied()).toBe('peculiar.6@directory.example');
});

test('next and previous step through the list across pages', async ({ signedIn: page }) => {
  await openList(page, '/?search=garcia');
  const names = await rows(page).getByRole('link').allTextContents();
  await rows(page).nth(23).click();
  const heading = panel(page).getByRole('heading', { level: 2 });
  await expect(heading).toHaveText(names[23]!);
  await page.getByRole('button', { name: 'Next customer' }).click();
  await expect(heading).toHaveText(names[24]!);
  await page.keyboard.press('j');
  await expect(page).toHaveURL(/page=2&customer=/);
  await expect(rows(page).first()).toHaveAttribute('aria-current', 'true');
  await page.keyboard.press('k');
  await expect(heading).toHaveText(names[24]!);
  await page.getByRole('button', { name: 'Previous customer' }).click();
  await expect(heading).toHaveText(names[23]!);
});
