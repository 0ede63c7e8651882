/** `clientele demo` serves customers with one command and cleans up when it stops. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, watch } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { clientele, isAlive, startClientele, type Executable } from './setup/executable.ts';
import { httpGet } from './setup/load.ts';
import { promised } from '@clientele/sandbox/testing/machine';

/** Used as TMPDIR, to find files that were left behind. */
let scratch: string;
let home: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'clientele-demo-'));
  await chmod(scratch, 0o1777); // PostgreSQL may run as another user.
  home = await mkdtemp(join(tmpdir(), 'clientele-kept-'));
  await chmod(home, 0o755);
});
afterAll(async () => {
  for (const folder of [scratch, home]) await rm(folder, { recursive: true });
});

const startDemo = (...options: string[]): Executable =>
  startClientele(['demo', ...options], { TMPDIR: scratch });

interface Summary {
  url: string;
  key: string;
  customers: number;
  database_url: string;
}

async function startSmallDemo(...options: string[]) {
  const demo = startDemo('--json', '--quiet', '--customers', '20', '--port', '0', ...options);
  const [line] = await demo.said(/^\{.*\}$/m);
  const summary = JSON.parse(line) as Summary;
  // A busy machine may refuse the first requests.
  const total = await vi.waitFor(
    async () => (await httpGet(`${summary.url}/v3/customers`, summary.key)).body.pagination!.total,
    { timeout: 300_000, interval: 100 },
  );
  return { demo, ...summary, total, [Symbol.asyncDispose]: () => demo[Symbol.asyncDispose]() };
}

async function postmaster(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postmaster.pid'), 'utf8'), 10);
}

async function temporaryPostmaster(): Promise<number> {
  const [folder] = await readdir(scratch);
  return postmaster(join(scratch, folder!, 'data'));
}

test('the printed curl command works within 20 seconds of the start, and Ctrl-C leaves nothing behind', async () => {
  const start = performance.now();
  await using demo = startDemo();
  const [curl] = await demo.said(/^ +curl .*$/m);
  const shell = spawn('sh', ['-c', curl], { stdio: ['ignore', 'pipe', 'ignore'] });
  const body = JSON.parse(await text(shell.stdout)) as { data: unknown[] };
  const seconds = (performance.now() - start) / 1000;
  expect(body.data.length).toBeGreaterThan(0);
  expect(seconds, 'seconds until the curl command succeeded').toBeLessThan(promised(20));
  expect(demo.output()).toMatch(/^10,000 customers on PostgreSQL 1\d/m);

  const server = await temporaryPostmaster();
  demo.kill('SIGINT');
  expect((await demo.exited).code).toBe(0);
  expect(isAlive(server), 'PostgreSQL is still running').toBe(false);
  expect(await readdir(scratch)).toEqual([]);
});

test('every column sorts, and a masked key works, without another command', async () => {
  await using running = await startSmallDemo();
  for (const sort of ['-lifetime_value_cents', 'total_orders', '-last_order_at', 'created_at']) {
    const sorted = await httpGet(`${running.url}/v3/customers?sort=${sort}`, running.key);
    expect([sort, sorted.status]).toEqual([sort, 200]);
  }
  const masked = ['keys', 'create', '--name', 'masked', '--scope', 'customers:list'];
  const { stdout, stderr } = await clientele(masked, { DATABASE_URL: running.database_url });
  expect(stderr).not.toContain('Preparing');
  const list = await httpGet(`${running.url}/v3/customers`, stdout.trim());
  expect(list).toMatchObject({ status: 200, body: { hidden: ['email_address', 'phone_number'] } });
});

test('SIGKILL leaves nothing behind either', async () => {
  await using running = await startSmallDemo();
  expect(running.total).toBe(20);
  const server = await temporaryPostmaster();
  const changes = watch(scratch);
  running.demo.kill('SIGKILL');
  for await (const _ of changes) if ((await readdir(scratch)).length === 0) break;
  expect(isAlive(server), 'PostgreSQL is still running').toBe(false);
});

test('a signal at any moment of the start leaves nothing behind', async () => {
  for (const ms of [0, 300, 1_500]) {
    await using demo = startDemo('--port', '0');
    await demo.said(/^Starting/m);
    await sleep(ms); // There is no event to wait for: any moment must work.
    demo.kill('SIGINT');
    expect((await demo.exited).code).toBe(0);
    expect(await readdir(scratch), `${ms} ms after its start`).toEqual([]);
  }
});

test('--keep keeps the customers and the key for the next start, and only the owner can read the key', async () => {
  const folder = join(home, 'kept');
  await using first = await startSmallDemo('--keep', folder);
  const server = await postmaster(join(folder, 'postgres'));
  first.demo.kill('SIGTERM');
  expect((await first.demo.exited).code).toBe(0);
  expect(isAlive(server), 'PostgreSQL is still running').toBe(false);
  expect((await stat(join(folder, 'key'))).mode & 0o777).toBe(0o600);

  await using second = await startSmallDemo('--keep', folder, '--customers', '30');
  expect(second.key).toBe(first.key);
  expect(second.total).toBe(20);
  const again = await postmaster(join(folder, 'postgres'));
  second.demo.kill('SIGHUP');
  expect((await second.demo.exited).code).toBe(0);
  expect(isAlive(again), 'PostgreSQL is still running').toBe(false);
  expect(await readdir(scratch)).toEqual([]);
});

test('a port in use is reported, and nothing starts', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const onPort = await clientele(['demo', '--port', String(port)], { TMPDIR: scratch });
  taken.close();
  expect(onPort).toMatchObject({ code: 1, stderr: expect.stringContaining('is already in use') });
  expect(await readdir(scratch)).toEqual([]);
});
