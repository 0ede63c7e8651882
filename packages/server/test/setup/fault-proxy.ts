/** A TCP proxy in front of one node: slow, silent or closed, as a test wants it. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export class FaultProxy {
  /** Milliseconds by which every response is late. */
  delayMs = 0;
  #silent = false;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((near) => this.#forward(near));
  readonly #target: { host: string; port: number };

  private constructor(target: { host: string; port: number }) {
    this.#target = target;
  }

  static async open(host: string, port: number): Promise<FaultProxy> {
    const proxy = new FaultProxy({ host, port });
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Like a network that drops every packet: nothing is refused and nothing arrives. */
  set silent(silent: boolean) {
    this.#silent = silent;
    for (const socket of this.#sockets) {
      if (silent) socket.pause();
      else socket.resume();
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #forward(near: Socket): void {
    const far = connect(this.#target.port, this.#target.host);
    this.#join(near, far, () => 0);
    this.#join(far, near, () => this.delayMs);
  }

  #join(from: Socket, to: Socket, delay: () => number): void {
    this.#sockets.add(from);
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    from.on('data', (chunk: Buffer) => {
      const ms = delay();
      if (ms === 0) to.write(chunk);
      else setTimeout(() => to.write(chunk), ms).unref();
    });
    if (this.#silent) from.pause();
  }
}
