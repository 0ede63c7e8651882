import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** 8080 where it is free, else any: a port that people know is easier to type. */
export async function freePort(): Promise<number> {
  return (await tryPort(8080)) ?? (await tryPort(0))!;
}

/** Undefined when it is taken. */
export async function tryPort(port: number): Promise<number | undefined> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return undefined;
  }
  const { port: free } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return free;
}
