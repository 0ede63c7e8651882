/** Clients that hold connections without using them are disconnected, and others do not notice. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';
import { promised } from '@clientele/sandbox/testing/machine';
import { customers } from './setup/customers.ts';
import { makeKey, startService, type Service } from './setup/executable.ts';
import { percentile, startLoad, failures } from './setup/load.ts';

let database: TestDatabase;
let service: Service;
let key: string;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.insert(customers);
  key = await makeKey(database.url);
  service = await startService({ DATABASE_URL: database.url });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** Sockets that send these bytes and never read. */
async function openSockets(count: number, bytes: string): Promise<Socket[]> {
  const open = () =>
    new Promise<Socket>((resolve, reject) => {
      const socket = connect(service.port, '127.0.0.1').pause();
      socket.on('error', reject);
      socket.on('connect', () => {
        socket.off('error', reject).on('error', () => undefined);
        socket.write(bytes);
        resolve(socket);
      });
    });
  const sockets: Socket[] = [];
  // Not all at once: the kernel's queue of new connections is limited.
  while (sockets.length < count) {
    const batch = Math.min(100, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: batch }, open))));
  }
  return sockets;
}

/** The service's open files and sockets, as its metrics report them. */
async function openFiles(): Promise<number> {
  const response = await fetch(`${service.url}/metrics`, { headers: { connection: 'close' } });
  return Number(/^process_open_fds (\d+)$/m.exec(await response.text())![1]);
}

const startReads = () =>
  startLoad({
    targets: [service.url],
    paths: [...customers.map(({ uuid }) => `/v3/customers/${uuid}`), '/v3/customers'],
    key,
    clients: 2,
    pauseMs: 5,
  });

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: directory.example\r\n\r\n`;

interface SlowClients {
  what: string;
  within: number;
  /** How many sockets send which bytes. */
  sockets: [number, string][];
}
const cases: SlowClients[] = [
  {
    what: '500 slow readers',
    within: 15_000,
    sockets: [
      [490, request('/openapi.json')],
      // More responses than the buffers of the kernel can hold.
      [10, request('/openapi.json').repeat(800)],
    ],
  },
  {
    what: '2,000 slow headers',
    within: 6_500,
    sockets: [[2_000, 'GET /v3/customers HTTP/1.1\r\nX-Slow: ']],
  },
];

test.runIf(process.platform === 'linux').each(cases)(
  '$what are gone in $within ms, and other clients do not notice',
  async ({ sockets, within }) => {
    const before = await openFiles();
    const quiet = startReads();
    await sleep(2_000);
    await quiet.stop();
    const opened: Socket[] = [];
    for (const [count, bytes] of sockets) opened.push(...(await openSockets(count, bytes)));
    const start = performance.now();
    await using busy = startReads();
    const most = await openFiles();
    await vi.waitFor(async () => expect((await openFiles()) - before).toBeLessThan(8), {
      timeout: promised(within),
      interval: 100,
    });
    const ms = performance.now() - start;
    await busy.stop();
    for (const socket of opened) socket.destroy();
    const before50 = percentile(quiet.responses, 50);
    const after50 = percentile(busy.responses, 50);
    const seen = `${most - before} connections, gone after ${ms.toFixed(0)} ms, p50 and p99 ${before50}, ${percentile(quiet.responses, 99)} ms, then ${after50}, ${percentile(busy.responses, 99)} ms`;
    expect(ms, seen).toBeLessThan(promised(within));
    expect(failures(busy.responses), seen).toEqual({});
    expect(after50, seen).toBeLessThan(promised(2 * before50 + 20));
    expect(percentile(busy.responses, 99), seen).toBeLessThan(promised(1_000));
  },
);
