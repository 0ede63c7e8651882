/** People who sign in with a provider: in, out, disabled, and what the sign-in page says. */
import { promised } from '@clientele/sandbox/testing/machine';
import {
  clientele,
  expect,
  expectNoViolations,
  panel,
  rows,
  searchField,
  signInAs,
  test,
} from './test.ts';

test.use({ baseURL: async ({ service }, use) => use(service.people.url) });

/** Of `people list`, whose first column is the id. */
async function idOf(service: Parameters<typeof clientele>[0], name: string): Promise<string> {
  const lines = (await clientele(service, 'people', 'list')).split('\n');
  return lines.find((line) => line.includes(name))!.split('\t')[0]!;
}

test('signing in with the provider leads back to the same page, and says who is signed in', async ({
  page,
}) => {
  await page.goto('/?search=garcia&page=2');
  await expect(page.getByRole('button', { name: 'Sign in with' })).toBeFocused();
  await expectNoViolations(page, 'the sign-in page');
  await signInAs(page, 'ben');
  await expect(page).toHaveURL('/?search=garcia&page=2');
  await expect(searchField(page)).toHaveValue('garcia');
  await expect(page.getByLabel('Page', { exact: true })).toHaveValue('2');
  await page.getByRole('button', { name: 'Ben Sample' }).click();
  await expect(page.locator('.session-menu')).toContainText('ben@staff.example');
  await expect(page.locator('.session-menu')).toContainText('export, support-lead');
  await expectNoViolations(page, 'the session menu');
  await page.keyboard.press('Escape');
  await rows(page).first().click();
  await expect(panel(page).getByRole('heading', { level: 2 })).toBeVisible();
});

test('a key still signs in where there is a provider', async ({ page, service }) => {
  await page.goto('/');
  await page.getByText('Use an access key instead').click();
  await page.getByLabel('Access key').fill(service.key);
  await page.keyboard.press('Enter');
  await expect(rows(page)).toHaveCount(25);
});

test('someone without a role learns what is missing, and the message does not outlive a reload', async ({
  page,
  service,
}) => {
  await page.goto('/?search=garcia');
  await signInAs(page, 'carl');
  await expect(page.getByRole('alert')).toContainText('None of your groups has a role');
  await expect(page).toHaveURL('/?search=garcia');
  await expect(page.getByRole('table')).toHaveCount(0);
  expect(await clientele(service, 'people', 'list')).not.toContain('Carl');
  await page.goto('/#sign-in=provider-unavailable');
  await expect(page.getByRole('alert')).toContainText('does not respond');
  await page.reload();
  await expect(page.getByRole('button', { name: 'Sign in with' })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('the sign-in page has a text for every refusal, in German too', async ({
  browser,
  service,
}) => {
  const german = await browser.newPage({ locale: 'de-DE', baseURL: service.people.url });
  for (const [reason, text] of Object.entries({
    cancelled: 'abgebrochen',
    disabled: 'gesperrt',
    expired: 'zu lange',
    invalid: 'nicht gültig',
    'no-groups': 'zu welchen Gruppen',
    'no-role': 'Keine Ihrer Gruppen',
    'provider-unavailable': 'antwortet nicht',
    unavailable: 'keine Sitzung',
  })) {
    await german.goto('about:blank');
    await german.goto(`/#sign-in=${reason}`);
    await expect(german.getByRole('alert')).toContainText(text);
    expect(new URL(german.url()).hash).toBe('');
  }
  await german.close();
});

test('a disabled person is out on two instances within 15 seconds, keeps the typed search, and is back when enabled', async ({
  page,
  service,
}) => {
  await page.goto('/');
  await signInAs(page, 'anna');
  await expect(rows(page)).toHaveCount(25);
  const instances = [service.people.url, service.people.other];
  const statuses = () =>
    Promise.all(
      instances.map(async (url) => (await page.request.get(`${url}/v3/customers`)).status()),
    );
  expect(await statuses()).toEqual([200, 200]);
  const id = await idOf(service, 'Anna Sample');
  await clientele(service, 'people', 'disable', id);
  const disabled = Date.now();
  await expect.poll(statuses, { timeout: promised(15_000) }).toEqual([401, 401]);
  expect(Date.now() - disabled).toBeLessThan(promised(15_000));

  await searchField(page).fill('garcia');
  await expect(page.getByText('Your session has ended')).toBeVisible();
  await expect(page).toHaveURL('/?search=garcia');
  await page.getByRole('button', { name: 'Sign in with' }).click();
  await expect(page.getByRole('alert')).toContainText('disabled');

  await clientele(service, 'people', 'enable', id);
  await page.getByRole('button', { name: 'Sign in with' }).click();
  await expect(searchField(page)).toHaveValue('garcia');
  await expect(rows(page)).toHaveCount(25);
});

test('signing out at the provider ends the session here', async ({ page, context, service }) => {
  await page.goto('/?search=garcia');
  await signInAs(page, 'ben');
  await expect(rows(page)).toHaveCount(25);
  const elsewhere = await context.newPage();
  await elsewhere.goto(`${service.people.issuer}/session/end?client_id=clientele`);
  await elsewhere.getByRole('button', { name: 'Sign out' }).click();
  await expect
    .poll(async () => (await page.request.get('/v3/customers')).status(), {
      timeout: promised(15_000),
    })
    .toBe(401);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText('Your session has ended')).toBeVisible();
  await expect(page.getByRole('table')).toHaveCount(0);
});

test('signing out here leads to the provider, and from there back to the sign-in page', async ({
  page,
  service,
}) => {
  await page.goto('/');
  await signInAs(page, 'ben');
  await page.getByRole('button', { name: 'Ben Sample' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(new RegExp(`^${service.people.issuer}/`));
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('button', { name: 'Sign in with' })).toBeVisible();
  expect((await page.request.get('/v3/customers')).status()).toBe(401);
  await page.getByRole('button', { name: 'Sign in with' }).click();
  await expect(page.getByLabel('Name'), 'asked again who they are').toBeVisible();
});

test('letters typed while a session ends are there once, also where there is a provider', async ({
  page,
}) => {
  await page.goto('/');
  await signInAs(page, 'ben');
  await expect(rows(page)).toHaveCount(25);
  await expect(page.getByRole('slider')).toBeVisible();
  await page.context().clearCookies();
  await page.clock.install();
  await searchField(page).focus();
  await page.keyboard.type('gar');
  await page.clock.runFor(300);
  await expect(page.getByText('Your session has ended')).toBeVisible();
  await page.keyboard.type('cia');
  await expect(page).toHaveURL('/?search=garcia');
  await page.clock.runFor(1_500);
  await expect(page.getByRole('button', { name: 'Sign in with' })).toBeFocused();
});
