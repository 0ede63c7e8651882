/**
 * A random walk through the console while its requests are slow, fail or are cut off. In every frame,
 * the rows and numbers on screen belong to the search in the field or are marked as the previous one's.
 * A failure prints the seed; WALK_SEED repeats the walk, and WALK_ACTIONS sets its length.
 */
import type { BrowserContext, Page } from '@playwright/test';
import { FaultProxy, type Fault } from './fault-proxy.ts';
import { recordFrames, takeFrames, Truth, type Screen } from './screen.ts';
import { expect, expectNoViolations, rows, searchField, table, test } from './test.ts';
import { actions, choose } from './walk-actions.ts';

const actionCount = Number(process.env['WALK_ACTIONS'] ?? 100);

/** Each stretch of the walk starts with a search that is not cached, so that it meets the fault. */
const uncached = 'abcdefghijklmnop';

type Condition = Fault | 'offline';
const conditions: readonly Condition[] = [
  ...(['none', 'slow', 'counting', 'cut short', 'offline'] as const),
  ...(['limited', 'signed out', 'aborted', 'unavailable'] as const),
];

test('random actions never show what belongs to another search', async ({
  page,
  context,
  service,
}) => {
  test.setTimeout(600_000);
  const seed = Number(process.env['WALK_SEED'] ?? Math.floor(Math.random() * 1e9));
  process.stdout.write(`WALK_SEED=${seed}\n`);
  const proxy = new FaultProxy(service.url);
  const url = await proxy.listen();
  const random = randomNumbers(seed);
  const truth = new Truth(service);
  await context.addInitScript(recordFrames);
  await context.request.post(`${url}/session`, { data: { key: service.key } });
  const tabs = [page, await context.newPage()];
  for (const tab of tabs) {
    await tab.goto(url);
    await expect(rows(tab).first()).toBeVisible();
  }

  const steps: string[] = [];
  let frames = 0;
  const check = async (tab: Page) => {
    const seen = await takeFrames(tab);
    frames += seen.length;
    for (const screen of seen) {
      await truth.check(screen).catch((error: Error) => {
        const last = steps.slice(-12).join('\n  ');
        throw new Error(
          `WALK_SEED=${seed}: ${error.message}\n  ${last}\n${JSON.stringify(screen)}`,
        );
      });
    }
    return seen.at(-1);
  };

  const stretch = Math.ceil(actionCount / conditions.length);
  const order = shuffle(conditions, random);
  let tab = page;
  let screen: Screen | undefined;
  const started = Date.now();
  for (let step = 0; step < actionCount; step += 1) {
    const condition = order[Math.floor(step / stretch)]!;
    let name: string;
    if (step % stretch === 0) {
      // Signing in works only while nothing is wrong.
      await impose('none', proxy, context);
      await signInIfAsked(tab, service.key);
      await impose(condition, proxy, context);
      name = 'search for something new';
      await searchField(tab)
        .fill(uncached[Math.floor(step / stretch)]!, { timeout: 500 })
        .catch(() => undefined);
    } else if (random(12) === 0) {
      name = 'switch tabs';
      tab = tabs[random(2)]!;
      await tab.bringToFront();
    } else {
      name = choose(screen, random);
      // What the page does not let happen, such as a step back, must not hold up the walk.
      const action = actions[name]!.run({ tab, random, key: service.key }).catch(() => undefined);
      await Promise.race([action, tab.waitForTimeout(5_000)]);
    }
    steps.push(`${step} ${condition}: ${name}`);
    // Unavailable for 20 seconds; otherwise people act within a third of a second.
    await tab.waitForTimeout(condition === 'unavailable' ? 20_000 / stretch : random(300));
    for (const each of tabs) {
      const current = await check(each);
      if (each === tab) screen = current ?? screen;
    }
  }

  await impose('none', proxy, context);
  for (const each of tabs) await expectToRecover(each, service.key);
  for (const each of tabs) await check(each);
  const hits = Object.fromEntries(proxy.hits);
  const seconds = Math.round((Date.now() - started) / 1000);
  process.stdout.write(`${frames} frames checked in ${seconds} s; ${JSON.stringify(hits)}\n`);
  for (const fault of conditions.filter((each) => each !== 'none' && each !== 'offline')) {
    expect(proxy.hits.get(fault), `requests that met: ${fault}`).toBeGreaterThan(0);
  }
  await expectNoViolations(page, 'after the walk');
  proxy.close();
});

async function impose(condition: Condition, proxy: FaultProxy, context: BrowserContext) {
  proxy.fault = condition === 'offline' ? 'none' : condition;
  await context.setOffline(condition === 'offline');
}

async function signInIfAsked(tab: Page, key: string): Promise<void> {
  if (!(await tab.locator('#key').isVisible())) return;
  await tab.locator('#key').fill(key);
  await tab.keyboard.press('Enter');
  await expect(tab.locator('#key')).toHaveCount(0);
}

/** Once nothing fails any more, the list is complete and unmarked. */
async function expectToRecover(tab: Page, key: string): Promise<void> {
  await tab.bringToFront();
  await signInIfAsked(tab, key);
  await tab.keyboard.press('Escape');
  // Without filters.
  await tab.getByRole('link', { name: 'Clientele' }).click();
  await searchField(tab).fill('peculiar sons');
  await expect(tab.getByText('8 matches', { exact: true })).toBeVisible();
  await expect(table(tab)).toHaveAttribute('aria-busy', 'false');
}

function shuffle<T>(items: readonly T[], random: (below: number) => number): T[] {
  return items
    .map((item) => ({ item, at: random(1e6) }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

/** Mulberry32: the same numbers for the same seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
