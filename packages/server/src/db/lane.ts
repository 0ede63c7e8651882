/**
 * A lane: the connections kept for one kind of work. Waiting for one is bounded, a query that is too
 * slow or that nobody waits for is cancelled on the server, and a lost connection is tried once more.
 */
import pg from 'pg';
import { timeouts } from '../config.ts';
import { cancelBackend } from './cancel.ts';
import {
  codeOf,
  DatabaseUnavailableError,
  isConnectionError,
  isPassingConflict,
  NoSlotError,
  QueryAbortedError,
  QueryTimeoutError,
} from './errors.ts';
import { Slots } from './slots.ts';

export interface LaneOptions {
  name: string;
  url: string;
  connections: number;
  /** Milliseconds; the server ends a statement at this age. */
  statementTimeout: number;
  /** Settings for each session, such as plan_cache_mode. */
  settings?: Record<string, string>;
}

/** A statement has a name of its own, under which each connection prepares it once. */
export interface Statement {
  name: string;
  text: string;
}

/** Every query of the server runs as this role, whoever the URL signs in. */
export const readerRole = 'clientele_reader';

export class Lane {
  readonly name: string;
  readonly slots: Slots;
  readonly #pool: pg.Pool;
  readonly #deadline: number;

  constructor(options: LaneOptions) {
    this.name = options.name;
    this.slots = new Slots(options.connections);
    this.#deadline = options.statementTimeout + timeouts.cancelAfter;
    this.#pool = new pg.Pool({
      connectionString: withSettings(options.url, {
        role: readerRole,
        default_transaction_read_only: 'on',
        statement_timeout: String(options.statementTimeout),
        jit: 'off',
        ...options.settings,
      }),
      application_name: `clientele ${options.name}`,
      max: options.connections,
      connectionTimeoutMillis: timeouts.connect,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      types: { getTypeParser },
    });
    // An idle connection that breaks leaves the pool by itself; the next query makes a new one.
    this.#pool.on('error', () => undefined);
  }

  get connections(): { open: number; idle: number } {
    return { open: this.#pool.totalCount, idle: this.#pool.idleCount };
  }

  async query<Row extends object>(
    statement: Statement,
    values: unknown[],
    signal?: AbortSignal,
  ): Promise<Row[]> {
    if (!(await this.slots.take(timeouts.slot, signal))) {
      throw signal?.aborted ? new QueryAbortedError() : new NoSlotError();
    }
    try {
      return await this.#attempt<Row>(statement, values, signal).catch((error: unknown) => {
        if (!isConnectionError(error) && !isPassingConflict(error)) throw error;
        return this.#attempt<Row>(statement, values, signal);
      });
    } catch (error) {
      if (isConnectionError(error) || isPassingConflict(error)) {
        throw new DatabaseUnavailableError(undefined, { cause: error });
      }
      throw error;
    } finally {
      this.slots.give();
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #attempt<Row extends object>(
    statement: Statement,
    values: unknown[],
    signal: AbortSignal | undefined,
  ): Promise<Row[]> {
    const client = await this.#pool.connect();
    let ended: 'timeout' | 'abort' | undefined;
    let cancelled: Promise<void> | undefined;
    let broken = false;
    const end = (why: 'timeout' | 'abort'): void => {
      ended ??= why;
      cancelled ??= cancelBackend(client);
    };
    const timer = setTimeout(end, this.#deadline, 'timeout');
    // The cancel itself may get lost: then the socket goes, and with it the wait.
    const lastResort = setTimeout(() => {
      broken = true;
      destroy(client);
    }, this.#deadline + timeouts.cancelAfter);
    const abort = (): void => end('abort');
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    const lost = (): void => {
      broken = true;
    };
    client.on('error', lost);
    try {
      const result = await client.query<Row>({ ...statement, values });
      return result.rows;
    } catch (error) {
      broken ||= isConnectionError(error);
      if (ended === 'abort') throw new QueryAbortedError(undefined, { cause: error });
      if (ended === 'timeout' || codeOf(error) === '57014') {
        throw new QueryTimeoutError(undefined, { cause: error });
      }
      throw error;
    } finally {
      clearTimeout(timer);
      clearTimeout(lastResort);
      signal?.removeEventListener('abort', abort);
      client.off('error', lost);
      // A late cancel must not hit the connection's next query.
      await cancelled;
      client.release(broken || ended === 'timeout');
    }
  }
}

function destroy(client: pg.PoolClient): void {
  (
    client as unknown as { connection: { stream: { destroy(): void } } }
  ).connection.stream.destroy();
}

const int8: number = pg.types.builtins.INT8;

/** int8 as a number: the table's checks keep every count and amount in the safe range. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return oid === int8
    ? Number
    : (pg.types.getTypeParser(oid, format) as (value: string) => unknown);
}

/** Settings ride on the connection's start: no round trip, and in force before the first query. */
export function withSettings(url: string, settings: Record<string, string>): string {
  const target = new URL(url);
  const ours = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const theirs = target.searchParams.get('options') ?? '';
  target.searchParams.set('options', [theirs, ...ours].join(' ').trim());
  return target.href;
}
