import { chromium } from '@playwright/test';
import { readFileSync } from 'node:fs';
const svc = JSON.parse(readFileSync('/tmp/ce/service.json', 'utf8').split('\n')[0]!);
const base = process.env.BASE ?? 'http://127.0.0.1:5199';
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ],
});
const want = process.argv[2] ? process.argv[2].split(',') : undefined;
async function shot(
  name: string,
  opts: {
    w?: number;
    h?: number;
    dark?: boolean;
    lang?: string;
    path?: string;
    signIn?: boolean;
    do?: (p: import('@playwright/test').Page) => Promise<void>;
  },
) {
  if (want && !want.includes(name)) return;
  const ctx = await browser.newContext({
    viewport: { width: opts.w ?? 1440, height: opts.h ?? 900 },
    colorScheme: opts.dark ? 'dark' : 'light',
    locale: opts.lang ?? 'en-GB',
    extraHTTPHeaders: {
      'x-forwarded-for': `10.0.${Math.floor(Math.random() * 255)}.${Math.floor(Math.random() * 255)}`,
    },
  });
  const page = await ctx.newPage();
  page.on('console', (m) => {
    if (['error', 'warning'].includes(m.type())) console.log(name, m.type(), m.text());
  });
  page.on('pageerror', (e) => console.log(name, 'PAGEERROR', e.message));
  await page.goto(base + (opts.path ?? '/'));
  if (opts.signIn !== false) {
    await page.locator('#key').fill(svc.key);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.customers, .detail h2, .problem');
  } else await page.waitForSelector('#key');
  await opts.do?.(page);
  await page.waitForTimeout(500);
  await page.screenshot({ path: `/tmp/ce/${name}.png` });
  await ctx.close();
}
await shot('list', {});
await shot('list-dark', { dark: true });
await shot('open', {
  path: '/?search=mull',
  do: async (p) => {
    await p.keyboard.press('j');
    await p.keyboard.press('Enter');
    await p.waitForSelector('.detail h2');
  },
});
await shot('open-dark', {
  dark: true,
  path: '/?search=mull',
  do: async (p) => {
    await p.keyboard.press('j');
    await p.keyboard.press('Enter');
    await p.waitForSelector('.detail h2');
  },
});
await shot('peculiar', { path: '/?search=peculiar+sons', lang: 'de-DE' });
await shot('peculiar-open', {
  path: '/?search=peculiar+sons&customer=00000000-0000-4000-8000-000000000003',
});
await shot('alone', { path: '/customers/00000000-0000-4000-8000-000000000006' });
await shot('signin', { signIn: false });
await shot('signin-dark', { signIn: false, dark: true });
await shot('nomatch', { path: '/?search=zzzqqq+smith' });
await shot('view', {
  do: async (p) => {
    await p.getByRole('button', { name: 'View' }).click();
  },
});
await shot('keys', {
  do: async (p) => {
    await p.keyboard.press('?');
  },
});
await shot('export', {
  path: '/?search=schmidt',
  do: async (p) => {
    await p.getByRole('button', { name: 'Export' }).click();
  },
});
await shot('narrow', { w: 390, h: 844 });
await shot('narrow-dark', { w: 390, h: 844, dark: true, path: '/?search=garcia' });
await shot('narrow-open', {
  w: 390,
  h: 844,
  path: '/?search=peculiar+sons&customer=00000000-0000-4000-8000-000000000006',
});
await shot('zoom', { w: 720, h: 450 });
await shot('dense', {
  path: '/?search=0132',
  do: async (p) => {
    await p.getByRole('button', { name: 'View' }).click();
    await p.getByLabel('Dense').check();
    await p.keyboard.press('Escape');
  },
});
await shot('tablet', { w: 1024, h: 768 });
await browser.close();
