/** The proxy passes bytes unchanged, and its faults look to a client like faults of the network. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FaultProxy } from '../src/testing/cluster/fault-proxy.ts';
import { promised } from '../src/testing/machine.ts';

let echo: Server;
let proxy: FaultProxy;
let client: Socket;
let received: string;

beforeEach(async () => {
  echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  proxy = await FaultProxy.listen((echo.address() as AddressInfo).port);
  received = '';
  client = connect(proxy.port, '127.0.0.1').on('error', () => undefined);
  client.setEncoding('latin1').on('data', (text: string) => (received += text));
  await once(client, 'connect');
});
afterEach(async () => {
  client.destroy();
  await proxy[Symbol.asyncDispose]();
  echo.close();
});

const closed = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => void socket.on('error', () => undefined).once('close', resolve));

/** Sends a text and returns the milliseconds until all of it has come back. */
async function roundTrip(text: string): Promise<number> {
  const start = performance.now();
  const length = received.length + text.length;
  client.write(text, 'latin1');
  while (received.length < length) await once(client, 'data');
  return performance.now() - start;
}

test('without a fault, bytes pass unchanged', async () => {
  const text = String.fromCodePoint(...Array.from({ length: 256 }, (_, i) => i)).repeat(400);
  await roundTrip(text);
  expect(received).toBe(text);
  expect(proxy.sent).toBeGreaterThan(0);
});

test('with slices, bytes pass unchanged', async () => {
  proxy.set({ kind: 'slices', bytes: 7 });
  await roundTrip('0123456789'.repeat(100));
  expect(received).toBe('0123456789'.repeat(100));
});

test('latency delays each response once, however long it is', async () => {
  proxy.set({ kind: 'latency', ms: 200 });
  const ms = await roundTrip('x'.repeat(200_000));
  expect(ms).toBeGreaterThan(190);
  expect(ms).toBeLessThan(promised(2_000));
});

test('in silence nothing arrives and the connection stays open; what was sent arrives afterwards', async () => {
  proxy.set({ kind: 'silence' });
  const late = roundTrip('late');
  const second = connect(proxy.port, '127.0.0.1').on('error', () => undefined);
  await once(second, 'connect');
  second.destroy();
  await sleep(100);
  expect([received, client.destroyed]).toEqual(['', false]);
  proxy.set({ kind: 'none' });
  await late;
  expect(received).toBe('late');
});

test('a reset ends open connections, and new ones work', async () => {
  await roundTrip('before');
  const failed = closed(client);
  proxy.reset();
  expect(await failed, 'closed by an error').toBe(true);
  client = connect(proxy.port, '127.0.0.1').on('error', () => undefined);
  client.setEncoding('latin1').on('data', (text: string) => (received += text));
  await roundTrip('after');
  expect(received).toBe('beforeafter');
});

test('a server that refuses connections looks like one that ends them', async () => {
  await using none = await FaultProxy.listen(1);
  expect(await closed(connect(none.port, '127.0.0.1')), 'closed by an error').toBe(true);
});
