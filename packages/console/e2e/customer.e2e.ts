import { buildProblem } from '@clientele/client/testing';
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

test('copying moves nothing, and says so at the button', async ({ signedIn: page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openList(page, `${path}&customer=${jürgen}`);
  const figures = panel(page).getByText('Lifetime value');
  const button = page.getByRole('button', { name: 'Copy phone number' });
  const before = await figures.boundingBox();
  await page.keyboard.press('p');
  const message = panel(page).getByText('Copied', { exact: true });
  await expect(message).toBeVisible();
  expect(await figures.boundingBox()).toEqual(before);
  const [at, where] = [(await button.boundingBox())!, (await message.boundingBox())!];
  expect(Math.abs(where.y + where.height / 2 - (at.y + at.height / 2))).toBeLessThan(4);
  expect(at.x - (where.x + where.width)).toBeLessThan(16);
});

test('company and badge under the name share a baseline', async ({ signedIn: page }) => {
  await openList(page, `${path}&customer=00000000-0000-4000-8000-000000000002`);
  const baselines = await panel(page)
    .locator('.under-name')
    .evaluate((line) =>
      [...line.children].map((part) => {
        // An empty inline block sits on the baseline of the text.
        const probe = document.createElement('span');
        probe.style.display = 'inline-block';
        part.append(probe);
        const { bottom } = probe.getBoundingClientRect();
        probe.remove();
        return bottom;
      }),
    );
  expect(Math.abs(baselines[0]! - baselines[1]!)).toBeLessThanOrEqual(0.5);
});

test('a customer’s own page is centred and uses the width of the screen', async ({
  signedIn: page,
}) => {
  await page.setViewportSize({ width: 1920, height: 1000 });
  await page.goto(`/customers/${jürgen}`);
  const article = page.getByRole('article');
  await expect(article).toBeVisible();
  const { x, width } = (await article.boundingBox())!;
  expect(Math.abs(x + width / 2 - 960), 'centred').toBeLessThan(10);
  expect(width).toBeGreaterThan(1000);
});

test('company and e-mail domain are searches with their exact counts, and their arrival moves nothing', async ({
  signedIn: page,
}) => {
  await openList(page, `${path}&customer=${jürgen}`);
  const parts = panel(page).locator('dt, dd');
  const places = () =>
    parts.evaluateAll((all) => all.map((part) => part.getBoundingClientRect().toJSON() as object));
  await expect(panel(page).getByRole('heading', { level: 2 })).toBeVisible();
  const before = await places();
  const company = panel(page).getByRole('definition').filter({ hasText: 'Peculiar & Sons' });
  const domain = panel(page)
    .getByRole('definition')
    .filter({ hasText: /^@directory.example/ });
  await expect(company).toContainText('8 customers');
  await expect(domain).toContainText(/\d customers/);
  await expect(panel(page).getByText('none found')).toBeVisible();
  expect(await places()).toEqual(before);
  const count = /(\d+) customers/.exec(await domain.innerText())![1];
  await page.keyboard.press('d');
  await expect(page).toHaveURL('/?search=%40directory.example');
  await expect(page.getByText(`${count} matches`)).toBeVisible();
  await page.goBack();
  await page.keyboard.press('c');
  await expect(page).toHaveURL('/?search=Peculiar+%26+Sons');
  await expect(page.getByText('8 matches')).toBeVisible();
  await expect(page.getByRole('main'), 'the keyboard continues at the list').toBeFocused();
});

test('customers with the same e-mail address or phone number are possible duplicates', async ({
  signedIn: page,
}) => {
  await page.goto('/customers/00000000-0000-4000-8000-000000000009');
  const duplicates = page.locator('.duplicates li');
  await expect(duplicates).toHaveText([
    'Christina Twice same phone number',
    'T. Twice same e-mail',
  ]);
  await duplicates.getByRole('link', { name: 'T. Twice' }).click();
  await expect(page.getByRole('heading', { level: 2 })).toHaveText('T. Twice');
  await expect(page.locator('.duplicates li')).toHaveText(['Tina Twice same e-mail']);
});

test('single keys copy everything as text, and a link that opens the customer', async ({
  signedIn: page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openList(page, `${path}&customer=${jürgen}`);
  await expect(panel(page).getByRole('heading', { level: 2 })).toBeVisible();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.keyboard.press('a');
  await expect(panel(page).getByRole('status')).toContainText('Copied');
  const lines = (await copied()).split('\n');
  expect(lines[0]).toBe('Name: Jürgen Müller-Straßburger');
  expect(lines).toContain('Phone: +49 (0)170 555-0188');
  expect(lines).toContain('Lifetime value: €123.45');
  await page.keyboard.press('l');
  await expect(panel(page).getByRole('status')).toContainText('Copied: http');
  await page.goto(await copied());
  await expect(page.getByRole('heading', { level: 2 })).toHaveText('Jürgen Müller-Straßburger');
});

test('a customer that was erased since the list was loaded is not shown any more', async ({
  signedIn: page,
}) => {
  await page.clock.install();
  await openList(page, path);
  await page.route(`**/v3/customers/${jürgen}`, (route) =>
    route.fulfill({ status: 404, json: buildProblem(404, 'customer-not-found') }),
  );
  // Older rows are not shown without asking.
  await page.clock.fastForward('05:10');
  await rows(page).filter({ hasText: 'Jürgen' }).click();
  await expect(panel(page).getByRole('alert')).toContainText('Customer not found');
  await expect(panel(page)).not.toContainText('@');
  await expect(page).not.toHaveTitle(/Jürgen/);
  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog', { name: 'Go to' });
  await expect(dialog.getByRole('option').first()).toBeVisible();
  await expect(dialog).not.toContainText('Jürgen');
});

test('copying says that it failed where the browser has no clipboard, as without TLS', async ({
  signedIn: page,
}) => {
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'clipboard', { value: undefined }),
  );
  await openList(page, `${path}&customer=${jürgen}`);
  await expect(panel(page).getByRole('heading', { level: 2 })).toBeVisible();
  await page.keyboard.press('e');
  await expect(panel(page).getByRole('status')).toHaveText('The browser did not allow copying.');
});
