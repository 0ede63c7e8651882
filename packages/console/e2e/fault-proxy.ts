/** A proxy between the browser and the service, whose requests for customers fail on demand. */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export type Fault =
  | 'none'
  | 'slow'
  /** The rows of a list come before its total, as in a directory of millions. */
  | 'counting'
  /** The connection is lost after the rows. */
  | 'cut short'
  | 'unavailable'
  | 'limited'
  | 'signed out'
  | 'aborted';

export class FaultProxy {
  fault: Fault = 'none';
  /** How many requests met each fault. */
  readonly hits = new Map<Fault, number>();
  /** In milliseconds. */
  countingTime = 1_000;
  #counts = new AbortController();
  readonly #target: URL;
  readonly #server = createServer((incoming, outgoing) => void this.#answer(incoming, outgoing));

  constructor(target: string) {
    this.#target = new URL(target);
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends the counts under way. */
  endCounts(): void {
    this.#counts.abort();
    this.#counts = new AbortController();
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const fault = incoming.url?.startsWith('/v3/') ? this.fault : 'none';
    this.hits.set(fault, (this.hits.get(fault) ?? 0) + 1);
    const refuse = (status: number, headers = {}) => outgoing.writeHead(status, headers).end('{}');
    switch (fault) {
      case 'aborted':
        incoming.socket.destroy();
        return;
      case 'unavailable':
        refuse(503);
        return;
      case 'limited':
        refuse(429, { 'retry-after': '2' });
        return;
      case 'signed out':
        // Once, because signing in is limited to ten times a minute.
        this.fault = 'none';
        refuse(401);
        return;
      case 'slow':
        await pause(3_000);
        break;
      default:
    }
    const isInPieces = fault === 'counting' || fault === 'cut short';
    const prefersRows = incoming.headers['prefer'] === 'rows-first';
    if (isInPieces && prefersRows) await this.#forwardRowsFirst(fault, incoming, outgoing);
    else this.#forward(incoming, outgoing);
  }

  async #forwardRowsFirst(
    fault: 'counting' | 'cut short',
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> {
    const headers = Object.entries(incoming.headers).filter(([name]) => name !== 'host');
    const response = await fetch(new URL(incoming.url!, this.#target), {
      headers: headers.map(([name, value]) => [name, String(value)] as [string, string]),
    });
    const body = await response.text();
    outgoing.writeHead(response.status, { 'content-type': 'application/json' });
    const end = body.indexOf(',"pagination"');
    if (end === -1) {
      outgoing.end(body);
      return;
    }
    outgoing.write(body.slice(0, end));
    const { signal } = this.#counts;
    await pause(this.countingTime, undefined, { signal }).catch(() => undefined);
    if (fault === 'cut short') outgoing.destroy();
    else outgoing.end(body.slice(end));
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { hostname, port } = this.#target;
    const { url: path, method, headers } = incoming;
    const upstream = request({ hostname, port, path, method, headers }, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers);
      response.pipe(outgoing);
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  }
}
