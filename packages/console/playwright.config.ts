import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

const report = process.env['E2E_REPORT'];

/** The headless shell has no windows to draw, and takes half the time. */
const shell = '/usr/bin/chromium-headless-shell';
const browser = existsSync(shell) ? shell : '/usr/bin/chromium';

/** Runs the system's Chromium against the real server; see e2e/start-service.ts. */
export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/global-setup.ts',
  outputDir: '../../test-results/console',
  workers: 1,
  forbidOnly: Boolean(process.env['CI']),
  // They only end what hangs: a shared machine may stall for seconds.
  timeout: 600_000,
  expect: { timeout: 300_000 },
  reporter: [['list'], ...(report ? [['json', { outputFile: report }] as const] : [])],
  use: {
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    viewport: { width: 1440, height: 900 },
    launchOptions: {
      executablePath: process.env['CHROMIUM'] ?? browser,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
  projects: [
    { name: 'e2e', testMatch: '*.e2e.ts' },
    { name: 'screenshots', testMatch: 'screenshots.ts' },
  ],
});
