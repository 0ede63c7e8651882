/** Clients that hold connections: until when, and what others notice of it. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CustomersDatabase } from '../customers-database.ts';
import { keepSending, readPaths, tally, times, type Sent, type Target } from './load.ts';

const unread = (times: number): string =>
  'GET /openapi.json HTTP/1.1\r\nHost: directory.example\r\n\r\n'.repeat(times);

/** How many sockets send which bytes, and never read. */
const slowClients = {
  'slow headers': [[2_000, 'GET /v3/customers HTTP/1.1\r\nX-Slow: ']],
  // Most responses fit into the buffers of the kernel, some do not.
  'slow readers': [
    [490, unread(1)],
    [10, unread(600)],
  ],
} as const;

export async function slowSockets(
  target: Target,
  database: CustomersDatabase,
  kind: keyof typeof slowClients,
) {
  const client = await target.newClient();
  const paths = await readPaths(database);
  const reads = async (ms: number): Promise<Sent[]> => {
    const all = [0, 1].map((turn) => keepSending(client, paths, { ms, turn, pauseMs: 2 }));
    return (await Promise.all(all)).flat();
  };
  await reads(1_000);
  const quiet = times(await reads(5_000)).p99;
  const before = await openFiles(target);
  const sockets: Socket[] = [];
  for (const [count, bytes] of slowClients[kind]) {
    for (let i = 0; i < count; i += 100) {
      const batch = Array.from({ length: Math.min(100, count - i) }, () => open(target, bytes));
      sockets.push(...(await Promise.all(batch)));
    }
  }
  const start = performance.now();
  const reading = reads(16_000);
  const opened = (await openFiles(target)) - before;
  let goneMs = Infinity;
  while (performance.now() - start < 60_000 && goneMs === Infinity) {
    await sleep(100);
    if ((await openFiles(target)) - before < 5) goneMs = performance.now() - start;
  }
  const got = await reading;
  for (const socket of sockets) socket.destroy();
  const busy = times(got).p99;
  return { opened, goneMs, quiet, busy, ratio: busy / quiet, others: tally(got) };
}

const open = ({ port }: Target, bytes: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', reject);
    socket.on('connect', () => {
      socket.off('error', reject).on('error', () => undefined);
      socket.write(bytes);
      resolve(socket);
    });
  });

async function openFiles({ origin }: Target): Promise<number> {
  const response = await fetch(`${origin}/metrics`, { headers: { connection: 'close' } });
  return Number(/^process_open_fds (\d+)$/m.exec(await response.text())![1]);
}
