/** Raw bytes on a socket, for requests that no HTTP client would send. */
import { connect, type AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

export interface RawResponse {
  status: number;
  /** Names are lower case. */
  headers: Record<string, string>;
  body: string;
}

/** Makes the app listen on a free port, and returns the port. */
export async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

/**
 * Writes bytes (one per character of a string) and returns all responses received until the server
 * closes the connection. The last request has to make it close.
 */
export function exchange(port: number, bytes: string | Buffer): Promise<RawResponse[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(toBuffer(bytes)));
    socket.setTimeout(15_000, () => {
      socket.destroy();
      const soFar = Buffer.concat(chunks).toString('latin1');
      reject(new Error(`The server did not close the connection. It sent: ${soFar}`));
    });
    socket.on('data', (chunk) => chunks.push(chunk));
    // A reset also closes the connection.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(parse(Buffer.concat(chunks))));
  });
}

/** A GET with `Connection: close`. Lines are complete headers. */
export const getRequest = (target: string, ...lines: string[]): string =>
  ['GET ', target, ' HTTP/1.1\r\nHost: directory.example\r\nConnection: close\r\n']
    .concat(lines.map((line) => `${line}\r\n`))
    .join('')
    .concat('\r\n');

const toBuffer = (bytes: string | Buffer): Buffer =>
  typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;

function parse(bytes: Buffer): RawResponse[] {
  const responses: RawResponse[] = [];
  for (let rest = bytes; rest.length > 0;) {
    const end = rest.indexOf('\r\n\r\n');
    const [start = '', ...lines] = rest
      .subarray(0, Math.max(0, end))
      .toString('latin1')
      .split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(start)?.[1]);
    if (end === -1 || !status) throw new Error(`Not an HTTP response: ${rest.toString('latin1')}`);
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const bodyEnd = end + 4 + Number(headers['content-length'] ?? 0);
    responses.push({ status, headers, body: rest.toString('utf8', end + 4, bodyEnd) });
    rest = rest.subarray(bodyEnd);
  }
  return responses;
}
