/** A list as a client sees it that reads the body while it arrives. */
import http from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { WireCustomer, WireCustomerList } from '@clientele/contract';

export interface OpenList {
  status: number;
  headers: IncomingHttpHeaders;
  /** The first piece, unless it is everything. */
  first(): Promise<string | undefined>;
  /** Those of the first piece. */
  rows(): Promise<WireCustomer[]>;
  /** Rejects if the body was cut short. */
  whole(): Promise<WireCustomerList>;
  /** Everything that has arrived when the connection ends, however it ends. */
  text(): Promise<string>;
  readonly ended: boolean;
  hangUp(): void;
}

/** Resolves with the headers. */
export function openList(url: string, key: string, agent = new http.Agent()): Promise<OpenList> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, {
      agent,
      headers: { authorization: `Bearer ${key}`, prefer: 'rows-first' },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const pieces: string[] = [];
      const arrived = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<boolean>();
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        pieces.push(piece);
        arrived.resolve();
      });
      response.on('error', () => undefined);
      response.on('close', () => {
        arrived.resolve();
        ended.resolve(response.complete);
      });
      const first = async () => {
        await arrived.promise;
        const [piece = ''] = pieces;
        return piece.includes('"pagination"') ? undefined : piece;
      };
      resolve({
        status: response.statusCode!,
        headers: response.headers,
        first,
        rows: async () => (JSON.parse(`${await first()}}`) as WireCustomerList).data,
        async whole() {
          if (!(await ended.promise)) throw new Error('The body was cut short.');
          return JSON.parse(pieces.join('')) as WireCustomerList;
        },
        async text() {
          await ended.promise;
          return pieces.join('');
        },
        get ended() {
          return response.closed;
        },
        hangUp: () => request.destroy(),
      });
    });
  });
}
