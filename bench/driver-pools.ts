/** Both drivers behind one small face, each used as its documentation says. */
import pg from 'pg';
import postgres from 'postgres';
import { cancelBackend } from '../packages/server/src/db/cancel.ts';

export type Rows = Record<string, unknown>[];

export interface Connection {
  query(text: string, values?: unknown[]): Promise<Rows>;
  release(): void;
}

export interface Pool {
  query(text: string, values?: unknown[]): Promise<Rows>;
  /** A connection for the caller alone. */
  take(): Promise<Connection>;
  /** A query to be cancelled after some milliseconds, whether or not it has ended by then. */
  cancelled(text: string, afterMs: number): Promise<void>;
  end(): Promise<void>;
}

export interface OpenOptions {
  /** Leave the driver to do with notices what it does unasked. */
  notices?: boolean;
}

export type Open = (url: string, max: number, options?: OpenOptions) => Pool;

export const openPg: Open = (connectionString, max) => {
  const pool = new pg.Pool({ connectionString, max });
  pool.on('error', () => undefined);
  // As our statements do: parameters go with a prepared statement that has a name.
  const prepared = (text: string, values?: unknown[]) =>
    values ? { name: `named-${text.length}`, text, values } : text;
  return {
    query: async (text, values) => (await pool.query(prepared(text, values))).rows as Rows,
    async take() {
      const client = await pool.connect();
      client.on('error', () => undefined);
      return {
        query: async (text, values) => (await client.query(prepared(text, values))).rows as Rows,
        release: () => client.release(),
      };
    },
    // The driver has no cancel for pools. This is the server's: the connection is kept until the
    // cancel has gone through.
    async cancelled(text, afterMs) {
      const client = await pool.connect();
      const answer = client.query(text).catch(() => undefined);
      await pause(afterMs);
      await Promise.all([answer, cancelBackend(client)]);
      client.release();
    },
    end: () => pool.end(),
  };
};

export const openPostgres =
  (settings: object): Open =>
  (url, max, options) => {
    const quiet = options?.notices ? {} : { onnotice: () => undefined };
    const sql = postgres(url, { max, ...quiet, ...settings });
    const on =
      (target: Pick<typeof sql, 'unsafe'>) =>
      async (text: string, values?: unknown[]): Promise<Rows> =>
        target.unsafe(text, values as never[], { prepare: values !== undefined });
    return {
      query: on(sql),
      async take() {
        const reserved = await sql.reserve();
        return { query: on(reserved), release: () => reserved.release() };
      },
      // cancel() returns nothing that could be awaited.
      async cancelled(text, afterMs) {
        const query = sql.unsafe(text);
        const answer = query.execute().catch(() => undefined);
        await pause(afterMs);
        query.cancel();
        await answer;
      },
      end: () => sql.end(),
    };
  };

/** Timers are too coarse for cancelling a query just as it ends. */
async function pause(ms: number): Promise<void> {
  const end = performance.now() + ms;
  while (performance.now() < end) await new Promise(setImmediate);
}
