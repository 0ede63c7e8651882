/**
 * Bounds what clients can hold open without sending requests: connections, responses that are not read, and idle
 * connections. Slow headers and idle connections otherwise end by Node's own timeouts (./create-server.ts).
 */
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Timeouts } from '@clientele/directory';

/** Each takes some kilobytes of memory. Beyond this, new ones are closed at once. */
const mostConnections = 4_000;
/** After there were more idle connections than this, they are closed sooner, for a minute. A balancer needs fewer. */
const manyIdle = 400;
const crowdedMs = 60_000;

export function boundConnections(app: FastifyInstance, timeouts: Timeouts): void {
  const { server } = app;
  server.maxConnections = mostConnections;
  /** Not those of injected requests, which are not sockets. */
  const open = new Set<Socket>();
  /** Since when connections have been idle, the longest first. */
  const idle = new Map<Socket, number>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      idle.delete(socket);
    });
  });
  app.addHook('onRequest', ({ raw: { socket } }, _reply, done) => {
    idle.delete(socket);
    done();
  });
  app.addHook('onSend', ({ raw: { socket } }, { raw }, _payload, done) => {
    if (!open.has(socket)) return done();
    // For the whole response: a client that reads a byte now and then makes progress, too. A reset also frees
    // what the kernel has buffered.
    const timer = setTimeout(() => socket.resetAndDestroy(), timeouts.response).unref();
    raw.once('close', () => {
      clearTimeout(timer);
      if (open.has(socket)) idle.set(socket, performance.now());
    });
    done();
  });
  let crowdedUntil = -Infinity;
  const sweep = (): void => {
    const now = performance.now();
    if (idle.size > manyIdle) crowdedUntil = now + crowdedMs;
    if (now > crowdedUntil) return;
    for (const [socket, since] of idle) {
      if (now - since < timeouts.idleAmongMany) return;
      socket.destroy();
    }
  };
  let timer: NodeJS.Timeout | undefined;
  app.addHook('onListen', (done) => {
    timer = setInterval(sweep, 1_000).unref();
    done();
  });
  app.addHook('onClose', (_app, done) => {
    clearInterval(timer);
    done();
  });
}
