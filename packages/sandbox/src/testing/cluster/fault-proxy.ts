/** A TCP proxy before a server, whose connections become slow, silent or broken on demand. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** What happens to the bytes between client and server. */
export type Fault =
  | { kind: 'none' }
  /** Each part of a response arrives this much later. */
  | { kind: 'latency'; ms: number }
  /** Nothing passes in either direction, and nobody learns of it. What was sent arrives afterwards. */
  | { kind: 'silence' }
  /** Bytes arrive in pieces of this size. */
  | { kind: 'slices'; bytes: number };

export class FaultProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #fault: Fault = { kind: 'none' };
  /** Pending while the proxy is silent. */
  #open = Promise.withResolvers<void>();
  /** How many parts clients have sent. A statement is one part. */
  sent = 0;

  private constructor(targetPort: number) {
    this.#open.resolve();
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
      const far = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true });
      far.setNoDelay(true);
      this.#pump(near, far, false);
      this.#pump(far, near, true);
    });
  }

  static async listen(targetPort: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(targetPort);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  set(fault: Fault): void {
    const wasSilent = this.#fault.kind === 'silence';
    this.#fault = fault;
    if (fault.kind === 'silence' && !wasSilent) this.#open = Promise.withResolvers<void>();
    if (fault.kind !== 'silence') this.#open.resolve();
  }

  /** Resets every open connection. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  #pump(from: Socket, to: Socket, isResponse: boolean): void {
    let order = Promise.resolve();
    const then = (step: () => void | Promise<void>): void => {
      order = order.then(() => this.#open.promise).then(step);
    };
    this.#sockets.add(from);
    from.on('data', (bytes: Buffer) => {
      if (!isResponse) this.sent += 1;
      const fault = this.#fault;
      const due = performance.now() + (isResponse && fault.kind === 'latency' ? fault.ms : 0);
      then(() => write(to, bytes, due, fault.kind === 'slices' ? fault.bytes : bytes.length));
    });
    from.on('end', () => then(() => void to.end()));
    from.on('error', () => undefined);
    from.on('close', (failed) => {
      this.#sockets.delete(from);
      then(() => void (failed ? to.resetAndDestroy() : to.destroy()));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.set({ kind: 'none' });
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

async function write(to: Socket, bytes: Buffer, due: number, size: number): Promise<void> {
  const wait = due - performance.now();
  if (wait > 0) await sleep(wait);
  for (let from = 0; from < bytes.length; from += size) {
    if (from > 0) await setImmediate();
    if (to.writable) to.write(bytes.subarray(from, from + size));
  }
}
