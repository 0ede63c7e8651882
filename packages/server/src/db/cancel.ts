import { connect } from 'node:net';
import type pg from 'pg';

/**
 * Asks PostgreSQL to cancel what a connection is running, by the protocol's CancelRequest: a separate
 * connection, four numbers, no reply. It needs no privilege, unlike pg_cancel_backend(), which the
 * reader role may not use on a session that logged in as the owner.
 */
export function cancelBackend(client: pg.PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as {
    host: string;
    port: number;
    processID: number;
    secretKey: number;
  };
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(80_877_102, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    socket.setTimeout(1_000, () => socket.destroy());
    socket.on('connect', () => socket.end(request));
    // Best effort: the statement timeout and closing the socket are the fallback.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
}
