/** `pnpm dev` serves customers with one command and leaves no process behind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat, utimes } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { bareStartSeconds, isAlive, startNode, type Executable } from './setup/executable.ts';
import { httpGet } from './setup/load.ts';
import { promised } from '@clientele/sandbox/testing/machine';

const inRepository = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

let folder: string;
let port: number;
let dev: Executable;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clientele-dev-'));
  await chmod(folder, 0o755); // PostgreSQL may run as another user.
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  ({ port } = probe.address() as AddressInfo);
  probe.close();
});
afterAll(async () => {
  await dev[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Resolves with the curl command that it prints. */
async function startDev(): Promise<string> {
  // In its own process group, as in a terminal, where Ctrl-C signals the whole group.
  dev = startNode(
    [inRepository('scripts/dev.ts')],
    { PORT: String(port) },
    { cwd: folder, detached: true },
  );
  const [curl] = await dev.said(/^ +curl .*$/m);
  return curl.trim();
}

async function pressCtrlC(): Promise<void> {
  const postmaster = await readFile(join(folder, '.dev/postgres/postmaster.pid'), 'utf8');
  const pids = [dev.pid, -dev.pid, Number.parseInt(postmaster, 10)];
  for (const pid of pids) expect(isAlive(pid), `${pid} before Ctrl-C`).toBe(true);
  process.kill(-dev.pid, 'SIGINT');
  expect((await dev.exited).code).toBe(0);
  for (const pid of pids) expect(isAlive(pid), `${pid} after Ctrl-C`).toBe(false);
  await expect(httpGet(`http://127.0.0.1:${port}/livez`)).rejects.toThrow('ECONNREFUSED');
}

async function paste(command: string): Promise<{ data: unknown[]; pagination: { total: number } }> {
  const shell = spawn('sh', ['-c', command], { cwd: '/', stdio: ['ignore', 'pipe', 'ignore'] });
  return JSON.parse(await text(shell.stdout)) as Awaited<ReturnType<typeof paste>>;
}

const keyFile = () => join(folder, '.dev/key');
const total = async (): Promise<number> => {
  const key = (await readFile(keyFile(), 'utf8')).trim();
  const { body } = await httpGet(`http://127.0.0.1:${port}/v3/customers`, key);
  return body.pagination!.total;
};

test('one command gives 10,000 customers, a key file that only the owner can read, and a working curl command', async () => {
  const curl = await startDev();
  expect((await paste(curl)).data.length).toBeGreaterThan(0);
  expect(await total()).toBe(10_000);
  expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
  const secret = (await readFile(keyFile(), 'utf8')).trim().split('_')[2]!;
  expect(dev.output()).not.toContain(secret);
});

test('saving a file restarts the server', async () => {
  const starts = () => dev.output().match(/Server listening/g)?.length ?? 0;
  expect(starts()).toBe(1);
  const now = new Date();
  await utimes(inRepository('packages/directory/src/settings/version.ts'), now, now);
  await vi.waitFor(() => expect(starts()).toBe(2), { timeout: 300_000, interval: 50 });
  expect(await total()).toBe(10_000);
});

test('Ctrl-C leaves no process, and the next start is fast and keeps the data and the key', async () => {
  const key = await readFile(keyFile(), 'utf8');
  await pressCtrlC();
  const start = performance.now();
  const curl = await startDev();
  const seconds = (performance.now() - start) / 1000;
  expect(seconds).toBeLessThan(promised(Math.max(5, 6 * (await bareStartSeconds()))));
  expect(await readFile(keyFile(), 'utf8')).toBe(key);
  expect(await total()).toBe(10_000);
  expect((await paste(curl)).data.length).toBeGreaterThan(0);
  await pressCtrlC();
});
