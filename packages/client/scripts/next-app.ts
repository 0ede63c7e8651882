/** Builds the guide's app with Next.js, starts it, and looks at what it serves and what a user sees. */
import { execFile, spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@playwright/test';
import { launch, searchesAndGoesBack, startApi, urlOf } from './browse.ts';

const next = 'node_modules/next/dist/bin/next';

export async function checkNextApp(folder: string): Promise<void> {
  await using closing = new AsyncDisposableStack();
  const api = await startApi();
  closing.defer(() => api.close());
  // The key is there for the build, too: it must not get into what browsers load.
  const env = { ...process.env, CLIENTELE_URL: api.url, CLIENTELE_KEY: 'the-key' };
  const options = { cwd: folder, env: { ...env, NEXT_TELEMETRY_DISABLED: '1' } };
  // The samples are compiled with TypeScript by another check.
  const config = 'export default { typescript: { ignoreBuildErrors: true } };\n';
  await writeFile(join(folder, 'next.config.mjs'), config);
  await promisify(execFile)(process.execPath, [next, 'build'], options);
  const server = spawn(process.execPath, [next, 'start', '-H', '127.0.0.1', '-p', '0'], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closing.defer(() => void server.kill());
  const url = await urlOf(server.stdout);
  await servesTheList(url);
  await addsTheKey(url);
  await keepsTheKey(folder);
  api.searches.length = 0;
  const browser = await launch();
  closing.defer(() => browser.close());
  const page = await browser.newPage();
  await page.clock.install();
  await page.goto(url);
  await searchesAndGoesBack(page, api);
}

async function servesTheList(url: string): Promise<void> {
  const html = await (await fetch(url)).text();
  expect(html, 'the rows are in the HTML').toContain('<li>Anna Example</li>');
  expect(html).not.toContain('the-key');
}

/** The browser's own requests have no key. */
async function addsTheKey(url: string): Promise<void> {
  const response = await fetch(`${url}/v3/customers?page=1&search=bo`);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ data: [{ full_name: 'Bo Example' }] });
}

async function keepsTheKey(folder: string): Promise<void> {
  const assets = join(folder, '.next/static');
  const files = await readdir(assets, { recursive: true, withFileTypes: true });
  const scripts = files.filter((file) => file.isFile());
  expect(scripts.length).toBeGreaterThan(0);
  for (const { parentPath, name } of scripts) {
    expect(await readFile(join(parentPath, name), 'utf8'), name).not.toContain('the-key');
  }
}
