import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * A proxy in front of the database. After `cut`, open connections fall silent and no new one is accepted. A
 * connection that sends `silencedBy` falls silent, too.
 */
export async function openProxy(
  to: string,
  silencedBy?: string,
): Promise<{ url: string; cut(): void } & AsyncDisposable> {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    near.pipe(far).pipe(near);
    if (silencedBy !== undefined) {
      near.on('data', (sent) => {
        if (sent.includes(silencedBy)) far.unpipe().pause();
      });
    }
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

/** A proxy that chooses a server for each connection, by its number and its first message. */
export async function openBalancer(
  credentials: string,
  choose: (n: number, startup: string) => string,
): Promise<{ url: string } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const keep = (socket: Socket, other?: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      other?.destroy();
    });
  };
  // Either side may end what it sends before the other does.
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const n = connections++;
    keep(near);
    near.once('data', (startup: Buffer) => {
      near.pause();
      const target = new URL(choose(n, startup.toString('latin1')));
      const far = connect({
        port: Number(target.port),
        host: target.hostname,
        allowHalfOpen: true,
      });
      keep(far, near);
      near.on('close', () => far.destroy());
      far.write(startup);
      near.pipe(far).pipe(near);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(credentials);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
