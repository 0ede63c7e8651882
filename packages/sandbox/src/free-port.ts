import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Any free port of the loopback address. */
export async function freePort(): Promise<number> {
  return (await bind(0))!;
}

/** The port that people know is easier to type; any other where it is taken. */
export async function firstFreePort(preferred: number): Promise<number> {
  return (await bind(preferred)) ?? freePort();
}

/** Port 0, which stands for any, is always free. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await bind(port)) !== undefined;
}

/** Listens for a moment. Undefined when the port is taken. */
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
