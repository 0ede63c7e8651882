/** `pnpm screenshots` saves the main states to docs/screenshots, light and dark, wide and narrow. */
import type { Page } from '@playwright/test';
import { expect, openList, panel, rows, searchField, settled, signInAs, test } from './test.ts';

const wide = { width: 1280, height: 800 };
const narrow = { width: 390, height: 780 };

const slider = (page: Page) => page.getByRole('slider', { name: 'When they joined' });

/** A list without its timeline is not complete. */
async function openWhole(page: Page, path = '/'): Promise<void> {
  await openList(page, path);
  await expect(slider(page)).toBeVisible();
}

const states: Record<string, (page: Page) => Promise<unknown>> = {
  list: (page) => openWhole(page),
  search: async (page) => {
    await openList(page);
    await searchField(page).fill('müller 07');
    await expect(page).toHaveURL(/search=/);
    await settled(page);
    await expect(slider(page)).toBeVisible();
  },
  timeline: async (page) => {
    const filters = 'verified=true&hasOrders=true&joinedFrom=2021-01-01&joinedTo=2025-01-01';
    await openWhole(page, `/?search=garcia&${filters}&page=4`);
    const { width, height } = (await slider(page).boundingBox())!;
    await slider(page).hover({ position: { x: width * 0.3, y: height / 2 } });
    await expect(page.locator('.timeline .note')).not.toContainText('about');
  },
  customer: async (page) => {
    await openWhole(page, '/?search=lindqvist');
    await rows(page).nth(1).click();
    await expect(panel(page).getByText('none found')).toBeAttached();
  },
  'did-you-mean': async (page) => {
    await page.goto('/?search=shmidt');
    await expect(page.getByRole('region', { name: 'Did you mean' })).toBeVisible();
  },
  'no-match': async (page) => {
    await page.goto('/?search=lindqvist+0199');
    await expect(page.getByRole('alert')).toBeVisible();
  },
};

/** Wide and light only: these differ little in the other variants. */
const more: Record<string, (page: Page) => Promise<unknown>> = {
  filters: async (page) => {
    await openWhole(page, '/?verified=true&joinedFrom=2024-01-01');
    await page.keyboard.press('Escape');
    await page.keyboard.press('f');
  },
  sorted: (page) => openWhole(page, '/?search=garcia&verified=true&sort=-lifetime_value_cents'),
  dense: async (page) => {
    await openWhole(page, '/?search=garcia');
    await page.getByRole('button', { name: 'View' }).click();
    await page.getByLabel('Compact').check();
  },
  export: async (page) => {
    await openWhole(page, '/?search=garcia');
    await page.getByRole('button', { name: 'Export' }).click();
  },
  keyboard: async (page) => {
    await openWhole(page);
    await page.keyboard.press('?');
  },
  palette: async (page) => {
    for (const number of [3, 6, 5]) {
      await page.goto(`/customers/00000000-0000-4000-8000-00000000000${number}`);
      await expect(page.getByRole('heading', { level: 2 })).toBeVisible();
    }
    await openWhole(page, '/?search=garcia');
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('option', { name: 'Jürgen' })).toBeVisible();
  },
  selection: async (page) => {
    await openWhole(page, '/?search=peculiar+sons');
    for (const row of [2, 3]) await rows(page).nth(row).getByRole('checkbox').click();
  },
  compare: async (page) => {
    await openWhole(page, '/?search=peculiar+sons');
    for (const row of [2, 3]) await rows(page).nth(row).getByRole('checkbox').click();
    await page.keyboard.press('v');
  },
  'long-names': (page) =>
    openWhole(page, '/?search=peculiar+sons&customer=00000000-0000-4000-8000-000000000003'),
  page: async (page) => {
    await page.goto('/customers/00000000-0000-4000-8000-000000000009');
    await expect(page.locator('.duplicates li').first()).toBeVisible();
  },
};

async function take(page: Page, name: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  const path = new URL(`../../../docs/screenshots/${name}.png`, import.meta.url).pathname;
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [width, viewport] of Object.entries({ wide, narrow })) {
    test.describe(`${colorScheme} ${width}`, () => {
      test.use({ colorScheme, viewport });
      for (const [state, show] of Object.entries(states)) {
        test(state, async ({ signedIn: page }) => {
          await show(page);
          await take(page, `${state}-${width}-${colorScheme}`);
        });
      }
      test('sign-in', async ({ page }) => {
        await page.goto('/');
        await expect(page.getByLabel('Access key')).toBeFocused();
        await take(page, `sign-in-${width}-${colorScheme}`);
      });
    });
  }
}

/** With a key that may not see contact details. */
const masked: Record<string, (page: Page, url: string) => Promise<unknown>> = {
  'masked-list': (page, url) => openWhole(page, url),
  'masked-customer': async (page, url) => {
    await openWhole(page, url);
    await rows(page).nth(1).click();
    await expect(panel(page).getByRole('heading').first()).toBeVisible();
  },
};
test.describe('a provider', () => {
  test.use({ colorScheme: 'light', viewport: wide });

  test('sign-in', async ({ page, service }) => {
    const config = { apiUrl: '', currency: 'EUR', provider: 'login.example' };
    await page.route('**/config.json', (route) => route.fulfill({ json: config }));
    await page.goto(service.people.url);
    await expect(page.getByRole('button', { name: 'Sign in with login.example' })).toBeFocused();
    await take(page, 'sign-in-provider-wide-light');
  });

  test('session-menu', async ({ page, service }) => {
    await page.goto(`${service.people.url}/?search=garcia`);
    await signInAs(page, 'ben');
    await settled(page);
    await page.getByRole('button', { name: 'Ben Sample' }).click();
    await take(page, 'session-menu-wide-light');
  });
});

test.describe('light wide', () => {
  test.use({ colorScheme: 'light', viewport: wide });
  for (const [state, show] of Object.entries(more)) {
    test(state, async ({ signedIn: page }) => {
      await show(page);
      await take(page, `${state}-wide-light`);
    });
  }
  for (const [state, show] of Object.entries(masked)) {
    test(state, async ({ page, service }) => {
      const { url, key } = service.masked;
      await page.context().request.post(`${url}/session`, { data: { key } });
      await show(page, url);
      await take(page, `${state}-wide-light`);
    });
  }
});
