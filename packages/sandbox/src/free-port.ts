import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Returns a free port on the loopback address. */
export async function freePort(): Promise<number> {
  return (await bind(0))!;
}

/** Returns the preferred port if it is free, else any other. */
export async function firstFreePort(preferred: number): Promise<number> {
  return (await bind(preferred)) ?? freePort();
}

/** Port 0 means any port, so it is always free. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await bind(port)) !== undefined;
}

/** Listens for a moment and returns the port, or `undefined` if it is taken. */
async function bind(port: number): Promise<number | undefined> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return undefined;
  }
  const { port: bound } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return bound;
}
