import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy in front of the database. After `cut`, open connections fall silent and no new one is accepted. */
export async function openProxy(
  to: string,
): Promise<{ url: string; cut(): void } & AsyncDisposable> {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(to);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cut() {
      for (const socket of sockets) socket.unpipe().pause();
      server.close();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      if (server.listening) {
        server.close();
        await once(server, 'close');
      }
    },
  };
}
