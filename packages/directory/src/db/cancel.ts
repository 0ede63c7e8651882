import pg from 'pg';

/** What the driver's types leave out. */
interface Connected {
  host: string;
  port: number;
  processID: number;
  secretKey: number;
  ssl: boolean | object;
  sslNegotiation: 'postgres' | 'direct';
}

interface Connection {
  stream: { setTimeout(ms: number, listener: () => void): void; destroy(): void; end(): void };
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
  on(event: string, listener: () => void): this;
}

/**
 * Asks PostgreSQL to cancel what a connection is running, by the protocol's CancelRequest: a separate
 * connection, four numbers, no reply. It is encrypted if the connection is, and then sent in no other way: whoever
 * reads the numbers can cancel every query of that connection. It needs no privilege, unlike pg_cancel_backend(),
 * which the reader role may not use on a session that logged in as the owner.
 */
export function cancelBackend(client: pg.PoolClient): Promise<void> {
  const { host, port, processID, secretKey, ssl, sslNegotiation } = client as unknown as Connected;
  const Driver = pg.Connection as unknown as new (options: object) => Connection;
  const connection = new Driver({ ssl, sslNegotiation });
  const send = (): void => {
    connection.cancel(processID, secretKey);
    connection.stream.end();
  };
  return new Promise((resolve) => {
    connection.on('connect', () => {
      if (!ssl) send();
      else if (sslNegotiation !== 'direct') connection.requestSsl();
    });
    connection.on('sslconnect', send);
    // Best effort: closing the query's own connection is the fallback.
    connection.on('error', () => undefined);
    connection.on('end', resolve);
    const socket = connection.stream;
    socket.setTimeout(1_000, () => socket.destroy());
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
  });
}
