/** What a user can do in the random walk. */
import type { Page } from '@playwright/test';
import type { Screen } from './screen.ts';
import { searchField } from './test.ts';

const searches = [
  ...['garcia', 'jensen', 'schmidt', 'müller', 'kowalski', 'rossi', 'smith', 'lindqvist', 'anna'],
  ...['peculiar sons', 'peculiar', 'canary-5e1f0c', 'zzzqqq', 'refunded rita', '0170/5550188', ''],
  'shmidt',
];

interface Walker {
  tab: Page;
  random: (below: number) => number;
  key: string;
}

interface Action {
  weight: number;
  /** Whether the action makes sense on this screen; by default, if the list is shown. */
  when?: (screen: Screen) => boolean;
  run: (walker: Walker) => Promise<unknown>;
}

const press = (tab: Page, key: string) => tab.keyboard.press(key);
/** Clicks without waiting for the button to be active: users do not wait either. */
const click = (tab: Page, selector: string, n = 0) =>
  tab
    .locator(selector)
    .nth(n)
    .click({ force: true, timeout: 500 })
    .catch(() => undefined);
const travel = (tab: Page, by: 1 | -1, steps: number) =>
  tab.evaluate(
    async ([by, steps]) => {
      for (let step = 0; step < steps!; step += 1) {
        // Not beyond the console's own entries.
        if (by === 1 ? !navigation.canGoForward : !navigation.canGoBack) return;
        await (by === 1 ? navigation.forward() : navigation.back()).committed;
      }
    },
    [by, steps],
  );
const leaveField = (tab: Page) =>
  tab.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
/** On the timeline, between two shares of its width; a click without the second. */
async function drag(tab: Page, from: number, to = from): Promise<void> {
  const box = await tab.locator('.timeline .bars').boundingBox({ timeout: 500 });
  if (!box) return;
  const y = box.y + box.height / 2;
  await tab.mouse.move(box.x + from * box.width, y);
  await tab.mouse.down();
  await tab.mouse.move(box.x + to * box.width, y, { steps: 3 });
  await tab.mouse.up();
}
const hasList = ({ field }: Screen) => field !== null;

export const actions: Record<string, Action> = {
  'search for something else': {
    weight: 6,
    run: ({ tab, random }) =>
      searchField(tab).fill(searches[random(searches.length)]!, { timeout: 500 }),
  },
  'type letters': {
    weight: 5,
    run: async ({ tab, random }) => {
      await searchField(tab).focus({ timeout: 500 });
      await tab.keyboard.type('aeirns '.slice(random(5)).slice(0, 1 + random(2)));
    },
  },
  'delete a letter': {
    weight: 2,
    run: async ({ tab }) => {
      await searchField(tab).focus({ timeout: 500 });
      await press(tab, 'Backspace');
    },
  },
  'press Enter': { weight: 2, run: ({ tab }) => searchField(tab).press('Enter', { timeout: 500 }) },
  'clear the search': { weight: 1, run: ({ tab }) => click(tab, 'search button') },
  'next page': { weight: 3, run: ({ tab }) => click(tab, '.jump button', 1) },
  'previous page': { weight: 1, run: ({ tab }) => click(tab, '.jump button', 0) },
  'page by key': {
    weight: 2,
    run: async ({ tab, random }) => {
      await leaveField(tab);
      await press(tab, '[]'[random(2)]!);
    },
  },
  'go to a page': {
    weight: 1,
    run: async ({ tab, random }) => {
      await tab.locator('.jump input').fill(String(1 + random(9)), { timeout: 300 });
      await press(tab, 'Enter');
    },
  },
  'change the page size': {
    weight: 1,
    run: ({ tab, random }) =>
      tab.locator('.size select').selectOption({ index: random(3) }, { timeout: 300 }),
  },
  'open a row': {
    weight: 3,
    run: ({ tab, random }) => click(tab, 'table.customers tbody tr', random(4)),
  },
  'step or close': {
    weight: 3,
    when: ({ address }) => address.includes('customer'),
    run: async ({ tab, random }) => {
      await leaveField(tab);
      await press(tab, ['j', 'k', 'Escape'][random(3)]!);
    },
  },
  'open on its own page': {
    weight: 1,
    when: ({ customer }) => customer !== null,
    run: ({ tab }) => click(tab, '.tools a'),
  },
  'filter by whether verified or with orders': {
    weight: 3,
    run: async ({ tab, random }) => {
      await leaveField(tab);
      await press(tab, 'f');
      await click(tab, '.filter-menu .choices .button', random(4));
      await press(tab, 'Escape');
    },
  },
  'remove a filter': { weight: 3, run: ({ tab }) => click(tab, '.chips button') },
  'go to a period': {
    weight: 2,
    when: ({ timeline }) => timeline !== null,
    run: ({ tab, random }) => drag(tab, random(1e3) / 1e3),
  },
  'filter by periods': {
    weight: 2,
    when: ({ timeline }) => timeline !== null,
    run: ({ tab, random }) => drag(tab, random(1e3) / 1e3, random(1e3) / 1e3),
  },
  'go to or filter by periods with keys': {
    weight: 2,
    when: ({ timeline }) => timeline !== null,
    run: async ({ tab, random }) => {
      await tab.locator('.timeline .bars').focus({ timeout: 500 });
      for (const key of ['PageDown', 'ArrowLeft', 'Shift+PageUp'].slice(0, 1 + random(3))) {
        await press(tab, key);
      }
      await press(tab, 'Enter');
    },
  },
  'use a suggestion': {
    weight: 5,
    when: ({ suggestions }) => suggestions !== null,
    run: async ({ tab, random }) => {
      if (random(2) === 0) return click(tab, '.suggestions a', random(3));
      await leaveField(tab);
      return press(tab, 'y');
    },
  },
  refresh: { weight: 2, run: ({ tab }) => click(tab, '.freshness button') },
  'try again': {
    weight: 3,
    when: ({ problem }) => problem !== null,
    run: ({ tab }) => click(tab, '.problem button'),
  },
  'look at the export': {
    weight: 1,
    run: async ({ tab }) => {
      await click(tab, '.bar-above > .button');
      await press(tab, 'Escape');
    },
  },
  back: { weight: 3, when: ({ signIn }) => !signIn, run: ({ tab }) => travel(tab, -1, 1) },
  forward: { weight: 2, when: ({ signIn }) => !signIn, run: ({ tab }) => travel(tab, 1, 1) },
  'ten steps back': { weight: 1, when: hasList, run: ({ tab }) => travel(tab, -1, 10) },
  'ten steps forward': { weight: 1, when: hasList, run: ({ tab }) => travel(tab, 1, 10) },
  'sign in': {
    weight: 50,
    when: ({ signIn }) => signIn,
    run: async ({ tab, key }) => {
      await tab.locator('#key').fill(key, { timeout: 500 });
      await press(tab, 'Enter');
    },
  },
};

/** One of the actions that make sense on this screen. */
export function choose(screen: Screen | undefined, random: (below: number) => number): string {
  const possible = Object.entries(actions).filter(
    ([, { when = hasList }]) => screen && when(screen),
  );
  const bag = possible.flatMap(([name, { weight }]) => Array<string>(weight).fill(name));
  return bag[random(bag.length)] ?? 'back';
}
