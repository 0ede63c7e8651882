/**
 * A lane: the connections kept for one kind of work. Waiting for one is bounded, a query that is too
 * slow or that nobody waits for is cancelled on the server, and a lost connection is tried once more.
 */
import pg from 'pg';
import { timeouts } from '../config.ts';
import { cancelBackend } from './cancel.ts';
import {
  DatabaseUnavailableError,
  isConnectionError,
  isPassingConflict,
  isTimeout,
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
  /** Milliseconds that a query may wait for a connection. */
  slotWait?: number;
  /** Settings for each session, such as plan_cache_mode. */
  settings?: Record<string, string>;
}

/** A statement has a name of its own, under which each connection prepares it once. */
export interface Statement {
  name: string;
  text: string;
}

export type RunStatement = <Row extends object>(
  statement: Statement,
  values: unknown[],
) => Promise<Row[]>;

const begin = { name: 'begin', text: 'begin isolation level repeatable read read only' };
const end = { name: 'end', text: 'rollback' };

/** Every query of the server runs as this role, whoever the URL signs in. */
export const readerRole = 'clientele_reader';

export class Lane {
  readonly name: string;
  readonly slots: Slots;
  readonly #pool: pg.Pool;
  readonly #deadline: number;
  /** Queries of about the last second, and when that was reckoned. */
  #recent = 0;
  #reckoned = 0;
  readonly #slotWait: number;
  /** Connections that have run a query. */
  readonly #kept = new WeakSet<pg.ClientBase>();
  /** Connections that broke. */
  readonly #broken = new WeakSet<pg.ClientBase>();

  constructor(options: LaneOptions) {
    this.name = options.name;
    this.slots = new Slots(options.connections);
    this.#deadline = options.statementTimeout + timeouts.cancelAfter;
    this.#slotWait = options.slotWait ?? timeouts.slot;
    this.#pool = new pg.Pool({
      connectionString: withSettings(options.url, {
        role: readerRole,
        default_transaction_read_only: 'on',
        statement_timeout: String(options.statementTimeout),
        jit: 'off',
        // Places are compared bit by bit: no operator's setting may round them.
        extra_float_digits: '1',
        ...options.settings,
      }),
      application_name: `clientele ${options.name}`,
      max: options.connections,
      connectionTimeoutMillis: timeouts.connect,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      types: { getTypeParser },
    });
    // A connection may break at any moment, also on its way from the pool to a query and back.
    this.#pool.on('connect', (client) => client.on('error', () => this.#broken.add(client)));
    // An idle connection that breaks leaves the pool by itself; the next query makes a new one.
    this.#pool.on('error', () => undefined);
  }

  /** How many queries there were in about the last second. */
  get recent(): number {
    return this.#recent * Math.exp((this.#reckoned - performance.now()) / 1_000);
  }

  get connections(): { open: number; idle: number } {
    return { open: this.#pool.totalCount, idle: this.#pool.idleCount };
  }

  /** Values may be a function, which is called when a connection is free. */
  query<Row extends object>(
    statement: Statement,
    values: unknown[] | (() => unknown[]),
    signal?: AbortSignal,
  ): Promise<Row[]> {
    return this.#withSlot(
      (run) => run<Row>(statement, typeof values === 'function' ? values() : values),
      signal,
    );
  }

  /** Several statements that see the database at one and the same instant. */
  snapshot<T>(work: (run: RunStatement) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#withSlot(async (run) => {
      await run(begin, []);
      try {
        return await work(run);
      } finally {
        // Nothing was written. A connection that is gone needs no end, one that stays open goes.
        await run(end, []).catch(() => undefined);
      }
    }, signal);
  }

  /** Opens what connections it can, so that the first requests do not have to wait for them. */
  async warmUp(): Promise<void> {
    const clients: pg.PoolClient[] = [];
    try {
      while (clients.length < this.slots.size) clients.push(await this.#connect());
    } catch {
      // Queries will try again, and tell.
    }
    for (const client of clients) client.release();
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #withSlot<T>(
    work: (run: RunStatement) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    if (!(await this.slots.take(this.#slotWait, signal))) {
      throw signal?.aborted ? new QueryAbortedError() : new NoSlotError();
    }
    this.#recent = this.recent + 1;
    this.#reckoned = performance.now();
    try {
      return await this.#persist(work, signal);
    } catch (error) {
      if (!isPassingConflict(error)) throw error;
      throw new DatabaseUnavailableError(undefined, { cause: error });
    } finally {
      this.slots.give();
    }
  }

  /**
   * Tries twice. A connection that has served before may have died unnoticed in the pool, and so may
   * the others beside it: that says nothing of the database and is no try.
   */
  async #persist<T>(
    work: (run: RunStatement) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    for (let tries = 2; ;) {
      let kept = false;
      try {
        const client = await this.#connect();
        kept = this.#kept.has(client);
        this.#kept.add(client);
        return await this.#attempt(client, work, signal);
      } catch (error) {
        const unavailable = error instanceof DatabaseUnavailableError;
        if (!unavailable && !isPassingConflict(error)) throw error;
        if (!(unavailable && kept)) tries -= 1;
        if (tries === 0) throw error;
      }
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    return this.#pool.connect().catch((cause: unknown) => {
      // Whatever it is (a changed password, a renamed database), no query is at fault.
      throw new DatabaseUnavailableError(undefined, { cause });
    });
  }

  async #attempt<T>(
    client: pg.PoolClient,
    work: (run: RunStatement) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    // A cancel that comes before its query is lost, so such a query does not start.
    if (signal?.aborted) {
      client.release();
      throw new QueryAbortedError();
    }
    let ended: 'timeout' | 'abort' | undefined;
    let cancelled: Promise<void> | undefined;
    const giveUp = (why: 'timeout' | 'abort'): void => {
      ended ??= why;
      cancelled ??= cancelBackend(client);
    };
    const timer = setTimeout(giveUp, this.#deadline, 'timeout');
    // The cancel itself may get lost: then the socket goes, and with it the wait.
    const lastResort = setTimeout(destroy, this.#deadline + timeouts.cancelAfter, client);
    const abort = (): void => giveUp('abort');
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await work(async <Row extends object>(statement: Statement, values: unknown[]) => {
        const { rows } = await client.query<Row>({ ...statement, values });
        return rows;
      });
    } catch (error) {
      const broken = this.#broken.has(client) || isConnectionError(error);
      if (broken) this.#broken.add(client);
      if (ended === 'abort') throw new QueryAbortedError(undefined, { cause: error });
      if (ended === 'timeout' || isTimeout(error)) {
        throw new QueryTimeoutError(undefined, { cause: error });
      }
      if (broken) throw new DatabaseUnavailableError(undefined, { cause: error });
      throw error;
    } finally {
      clearTimeout(timer);
      clearTimeout(lastResort);
      signal?.removeEventListener('abort', abort);
      // A late cancel must not hit the connection's next query.
      await cancelled;
      // The end of a snapshot may fail too, cancelled by us or by a standby that has to catch up.
      const inTransaction = client.getTransactionStatus() !== 'I';
      client.release(this.#broken.has(client) || ended === 'timeout' || inTransaction);
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
