/**
 * A minimal HTTP client with almost no overhead, comparable to pgbench on the other side. Node's client
 * adds tenths of a millisecond. Supports only GET and responses with a Content-Length.
 */
import { connect, type Socket } from 'node:net';

export interface HttpResponse {
  status: number;
  body: string;
}

export class HttpClient {
  readonly #host: string;
  readonly #port: number;
  readonly #head: string;
  readonly #sockets = new Set<Socket>();
  #idle: Socket[] = [];

  constructor(port: number, headers: Record<string, string>) {
    this.#host = '127.0.0.1';
    this.#port = port;
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#head = ` HTTP/1.1\r\nhost: ${this.#host}:${port}\r\n${lines.join('')}\r\n`;
  }

  get(path: string): Promise<HttpResponse> {
    const socket = this.#idle.pop() ?? this.#connect();
    return new Promise((resolve, reject) => {
      let received: Buffer = Buffer.alloc(0);
      let head: { end: number; status: number; length: number } | undefined;
      const receive = (chunk: Buffer): void => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        head ??= readHead(received);
        if (!head || received.length < head.end + head.length) return;
        settle();
        this.#idle.push(socket);
        resolve({ status: head.status, body: received.toString('utf8', head.end) });
      };
      const fail = (): void => {
        settle();
        reject(new Error(`connection closed before the response to ${path}`));
      };
      const settle = (): void => void socket.off('data', receive).off('close', fail);
      socket.on('data', receive).on('close', fail);
      socket.write(`GET ${path}${this.#head}`);
    });
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(): Socket {
    const socket = connect(this.#port, this.#host).setNoDelay(true);
    this.#sockets.add(socket);
    socket.on('error', () => undefined); // A close event follows, which rejects the request.
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#idle = this.#idle.filter((other) => other !== socket);
    });
    return socket;
  }
}

function readHead(received: Buffer) {
  const at = received.indexOf('\r\n\r\n');
  if (at === -1) return undefined;
  const [first, ...lines] = received.toString('latin1', 0, at).split('\r\n');
  const length = lines.find((line) => /^content-length:/i.test(line));
  if (length === undefined) throw new Error(`response without Content-Length: ${first}`);
  return {
    end: at + 4,
    status: Number(first!.split(' ')[1]),
    length: Number(length.slice('content-length:'.length)),
  };
}
