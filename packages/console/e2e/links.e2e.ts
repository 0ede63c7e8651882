import type { Locator, Page } from '@playwright/test';
import { expect, openList, panel, rows, test } from './test.ts';

const list = '/?search=peculiar+sons';
const id = '00000000-0000-4000-8000-000000000006';

type Modifiers = Partial<Record<'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey', true>>;

const links: Record<string, { path: string; find: (page: Page) => Locator }> = {
  'a row': { path: list, find: (page) => rows(page).first().getByRole('link') },
  'the wordmark': { path: list, find: (page) => page.getByRole('link', { name: 'Clientele' }) },
  'Open on its own page': {
    path: `${list}&customer=${id}`,
    find: (page) => page.getByRole('link', { name: 'Open on its own page' }),
  },
  'Back to the list': {
    path: `/customers/${id}`,
    find: (page) => page.getByRole('link', { name: 'Back to the list' }),
  },
};

for (const [name, { path, find }] of Object.entries(links)) {
  test(`clicks with a modifier key on ${name} are left to the browser`, async ({
    signedIn: page,
  }) => {
    await page.goto(path);
    const link = find(page);
    await expect(link).toBeVisible();
    for (const modifier of ['ctrlKey', 'metaKey', 'shiftKey', 'altKey'] as const) {
      expect(await isHandled(link, { [modifier]: true }), modifier).toBe(false);
      await expect(page, modifier).toHaveURL(path);
    }
    expect(await isHandled(link, {}), 'a plain click').toBe(true);
    await expect(page).not.toHaveURL(path);
  });
}

test('ctrl-click on a row and on Back opens a new tab and leaves the page unchanged', async ({
  signedIn: page,
  context,
}) => {
  await openList(page, list);
  const opened = context.waitForEvent('page');
  await rows(page)
    .filter({ hasText: 'Jürgen' })
    .getByRole('link')
    .click({ modifiers: ['Control'] });
  const tab = await opened;
  await expect(tab).toHaveURL(`/customers/${id}?search=peculiar+sons`);
  await expect(page).toHaveURL(list);
  await expect(panel(page)).toHaveCount(0);

  const next = context.waitForEvent('page');
  await tab.getByRole('link', { name: 'Back to the list' }).click({ modifiers: ['Control'] });
  await expect(await next).toHaveURL(list);
  await expect(tab.getByRole('heading', { level: 2 })).toHaveText('Jürgen Müller-Straßburger');
});

const newTab: Record<string, Parameters<Locator['click']>[0]> = {
  'ctrl-click': { modifiers: ['Control'] },
  'a click with the middle button': { button: 'middle' },
};
for (const [how, click] of Object.entries(newTab)) {
  test(`${how} anywhere on a row opens the customer in a new tab`, async ({
    signedIn: page,
    context,
  }) => {
    await openList(page, list);
    const opened = context.waitForEvent('page');
    await rows(page).filter({ hasText: 'Jürgen' }).getByText('+49 (0)170').click(click);
    await expect(await opened).toHaveURL(`/customers/${id}?search=peculiar+sons`);
    await expect(page).toHaveURL(list);
    await expect(panel(page)).toHaveCount(0);
  });
}

/** Whether the console handles a click itself; the browser is kept from following it. */
function isHandled(link: Locator, modifiers: Modifiers): Promise<boolean> {
  return link.evaluate(
    (element, init) =>
      new Promise<boolean>((resolve) => {
        addEventListener(
          'click',
          (event) => {
            resolve(event.defaultPrevented);
            event.preventDefault();
          },
          { once: true },
        );
        element.dispatchEvent(
          new MouseEvent('click', { ...init, bubbles: true, cancelable: true }),
        );
      }),
    modifiers,
  );
}
