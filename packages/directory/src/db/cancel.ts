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
 *
 * Returns whether PostgreSQL has closed that connection, which it does after it has signalled the session. Otherwise
 * the request may still be on its way, and would cancel whatever the session is running when it arrives.
 */
export function cancelBackend(client: pg.PoolClient): Promise<boolean> {
  const { host, port, processID, secretKey, ssl, sslNegotiation } = client as unknown as Connected;
  const Driver = pg.Connection as unknown as new (options: object) => Connection;
  const connection = new Driver({ ssl, sslNegotiation });
  const send = (): void => {
    connection.cancel(processID, secretKey);
    connection.stream.end();
  };
  return new Promise((resolve) => {
    let closedByServer = true;
    connection.on('connect', () => {
      if (!ssl) send();
      else if (sslNegotiation !== 'direct') connection.requestSsl();
    });
    connection.on('sslconnect', send);
    // Best effort: closing the query's own connection is the fallback.
    const giveUp = (): void => {
      closedByServer = false;
      connection.stream.destroy();
    };
    connection.on('error', giveUp);
    connection.on('end', () => resolve(closedByServer));
    connection.stream.setTimeout(1_000, giveUp);
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
  });
}
