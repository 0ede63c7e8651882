/** A key without customers:contact: the console says what is hidden, and why, wherever it would show it. */
import { expect, openList, panel, rows, test } from './test.ts';

const why = 'Contact details are hidden: your access does not include them.';

test.beforeEach(async ({ page, service }) => {
  await page.context().request.post(`${service.masked.url}/session`, {
    data: { key: service.masked.key },
  });
});

test('the list has no columns of hidden values, and the menus say why', async ({
  page,
  service,
}) => {
  await openList(page, service.masked.url);
  await expect(page.getByRole('columnheader', { name: /E-mail|Phone/ })).toHaveCount(0);
  await expect(rows(page).first().getByText('hidden')).toHaveCount(0);
  await page.getByRole('button', { name: 'View' }).click();
  await expect(page.getByText('E-mail (hidden)')).toBeVisible();
  await expect(page.getByText('Phone (hidden)')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'First line' }).click();
  await expect(page.getByText(why)).toBeVisible();
  await expect(page.locator('body')).not.toContainText('@');
});

test('a customer shows that contact details are hidden, and copies them as hidden', async ({
  page,
  service,
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await openList(page, service.masked.url);
  await rows(page).first().click();
  await expect(panel(page).getByText(why)).toBeVisible();
  await expect(panel(page).getByText('hidden', { exact: true })).toHaveCount(2);
  await expect(panel(page).getByRole('button', { name: 'Copy e-mail' })).toHaveCount(0);
  await page.keyboard.press('a');
  await expect(panel(page).getByRole('status')).not.toBeEmpty();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain('E-mail: hidden');
  expect(copied).toContain('Phone: hidden');
});

test('a comparison does not claim that hidden values are the same', async ({ page, service }) => {
  await openList(page, service.masked.url);
  for (const row of [0, 1]) await rows(page).nth(row).getByRole('checkbox').click();
  await page.keyboard.press('v');
  const email = page.getByRole('dialog').getByRole('row', { name: /E-mail/ });
  await expect(email.getByText('hidden')).toHaveCount(2);
  await expect(email.getByRole('img', { name: why })).toBeVisible();
});

test('the palette says of a customer only what is not hidden', async ({ page, service }) => {
  await openList(page, service.masked.url);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('refunded rita');
  const found = page.getByRole('dialog').getByRole('option', { name: /^Refunded Rita/ });
  await expect(found).toHaveText(/Peculiar & Sons$/);
});

test('filters, the timeline and suggestions work without contact details', async ({
  page,
  service,
}) => {
  const { url } = service.masked;
  await openList(page, url);
  const slider = page.getByRole('slider', { name: 'When they joined' });
  await slider.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+End');
  await expect(page.locator('.timeline .note')).toHaveText(/: 311 customers$/);
  await page.keyboard.press('f');
  await page.getByRole('button', { name: 'Not verified' }).click();
  await expect(page).toHaveURL(`${url}/?verified=false`);
  await expect(page.locator('.count')).toHaveText(/^\d+ matches$/);
  await expect(page.locator('body')).not.toContainText('@');

  await page.goto(`${url}/?search=peculier`);
  const suggested = page.getByRole('region', { name: 'Did you mean' }).getByRole('link');
  await expect(suggested).toHaveText(['peculiar']);
  await page.goto(`${url}/?search=directry`);
  await expect(page.getByRole('alert')).toBeVisible();
  await page.waitForLoadState('networkidle');
  await expect(suggested, 'of the domain of an e-mail address').toHaveCount(0);
});

test('a search for a number that matches names says that numbers were not searched', async ({
  page,
  service,
}) => {
  const { url } = service.masked;
  const note = page.getByText('phone numbers were not searched');
  await openList(page, `${url}/?search=peculiar`);
  await expect(note).toHaveCount(0);
  await page.route('**/v3/customers?*search=0170*', async (route) => {
    const answer = await route.fetch({ url: `${url}/v3/customers?search=peculiar` });
    await route.fulfill({ response: answer });
  });
  await page.getByRole('textbox').first().fill('0170 55');
  await expect(page).toHaveURL(`${url}/?search=0170+55`);
  await expect(note).toBeVisible();
});

test('in German', async ({ browser, service }) => {
  const context = await browser.newContext({ locale: 'de-DE' });
  await context.request.post(`${service.masked.url}/session`, {
    data: { key: service.masked.key },
  });
  const page = await context.newPage();
  await page.goto(service.masked.url);
  const reason = 'Kontaktdaten sind verborgen: Ihr Zugang umfasst sie nicht.';
  await page.locator('[data-row]').first().click();
  await expect(page.getByTitle(reason).first()).toHaveText('verborgen');
  await context.close();
});
