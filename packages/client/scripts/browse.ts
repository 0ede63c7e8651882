/** Uses a built app in Chromium, through Vite's proxy, on a good day and on bad ones. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import type { WireCustomerList } from '@clientele/contract';
import { buildCustomer } from '@clientele/client/testing';
import { type Browser, chromium, expect, type Page } from '@playwright/test';

/** Starts `vite preview` in the folder and goes through what a user meets. Throws at the first fault. */
export async function browse(folder: string, messages: { signedOut: string }): Promise<void> {
  const api = await startApi();
  const env = { ...process.env, CLIENTELE_URL: api.url, CLIENTELE_KEY: 'the-key' };
  const args = ['node_modules/vite/bin/vite.js', 'preview', '--host', '127.0.0.1', '--port', '0'];
  const vite = spawn(process.execPath, args, {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.clock.install();
    await page.goto(await urlOf(vite.stdout));
    await searchesAndGoesBack(page, api);
    await saysThatItIsOffline(page, api);
    await explains(page, api, 'signed-out', messages.signedOut);
    await explains(page, api, 'captive-portal', 'Another system answered instead of the service.');
  } finally {
    await browser.close();
    vite.kill();
    api.close();
  }
}

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });

const field = (page: Page) => page.getByRole('searchbox', { name: 'Search' });
const status = (page: Page) => page.getByRole('status');
const alert = (page: Page) => page.getByRole('alert');

export async function searchesAndGoesBack(page: Page, api: Api): Promise<void> {
  await expect(status(page)).toHaveText('2 found');
  await expect(page.getByText('Anna Example')).toBeVisible();
  // By the page's own clock: a busy machine may take longer for a key than a search waits for it.
  await page.clock.pauseAt(Date.now() + 60_000);
  await field(page).press('b');
  await page.clock.runFor(100);
  await field(page).press('o');
  await page.clock.resume();
  await expect(status(page)).toHaveText('1 found');
  await expect(page).toHaveURL(/\?page=1&search=bo$/);
  expect(api.searches, 'one search for two keystrokes').toEqual(['', 'bo']);
  await page.goBack();
  await expect(field(page)).toHaveValue('');
  await expect(status(page)).toHaveText('2 found');
}

async function saysThatItIsOffline(page: Page, api: Api): Promise<void> {
  const before = api.searches.length;
  await page.context().setOffline(true);
  await field(page).fill('anna');
  await expect(status(page)).toHaveText(/^You are offline/);
  await expect(page.getByText('Example'), 'no rows of the previous search').toHaveCount(0);
  await page.context().setOffline(false);
  await expect(status(page)).toHaveText('1 found');
  await expect(page.getByText('Anna Example')).toBeVisible();
  expect(api.searches.slice(before)).toEqual(['anna']);
}

async function explains(page: Page, api: Api, mode: Mode, message: string): Promise<void> {
  const before = api.searches.length;
  api.mode = mode;
  await page.reload();
  await expect(alert(page)).toContainText(message);
  await expect(page.getByText('found'), 'not "0 found"').toHaveCount(0);
  expect(api.searches, 'not retried').toHaveLength(before + 1);
  api.mode = 'working';
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(status(page)).toHaveText('1 found');
  await expect(alert(page)).toHaveCount(0);
}

type Mode = 'working' | 'signed-out' | 'captive-portal';
export interface Api {
  url: string;
  mode: Mode;
  /** The search of each request. */
  searches: string[];
  close(): void;
}

/** An API with two customers that requires the key. */
export async function startApi(): Promise<Api> {
  const server = createServer(({ url, headers }, response) => {
    const search = new URL(url!, api.url).searchParams.get('search') ?? '';
    api.searches.push(search);
    if (api.mode === 'captive-portal') {
      response.setHeader('content-type', 'text/html').end('<h1>Welcome to our Wi-Fi</h1>');
    } else if (api.mode === 'signed-out' || headers.authorization !== 'Bearer the-key') {
      response.writeHead(401).end();
    } else sendList(response, search);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api: Api = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mode: 'working',
    searches: [],
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return api;
}

function sendList(response: ServerResponse, search: string): void {
  const names = ['Anna Example', 'Bo Example'].filter((name) =>
    name.toLowerCase().includes(search),
  );
  const list: WireCustomerList = {
    data: names.map((full_name, n) => buildCustomer({ full_name, is_verified: true }, n)),
    pagination: { page: 1, per_page: 10, total: names.length },
  };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(list));
}

/** The address that a server prints when it listens. */
export async function urlOf(stdout: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stdout)) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(stripVTControlCharacters(line)) ?? [];
    if (url) return url;
  }
  throw new Error('The server did not start');
}
