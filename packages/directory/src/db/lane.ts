/**
 * A lane: the connections for one kind of work. Waiting for one is bounded, a query that is too slow or
 * that no request waits for any more is cancelled on the server, and a lost connection is retried once.
 */
import type pg from 'pg';
import type { Timeouts } from '../settings/timeouts.ts';
import { tracer, type Attributes } from '../tracing/trace.ts';
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
import type { LaneOptions } from './lane-options.ts';
import { laneAttributes, withSpans } from './lane-spans.ts';
import { connect, type Login } from './login.ts';
import { currentKey } from './on-behalf.ts';
import { begin, end, runOn } from './prepared-statements.ts';
import { destroy, openPool } from './session.ts';
import { Slots } from './slots.ts';
import type { RunStatement, Statement } from './statement.ts';
import { poolerFault } from './take-session.ts';

export class Lane {
  readonly name: string;
  readonly slots: Slots;
  /** After how many milliseconds a query is given up. */
  readonly deadline: number;
  readonly #pool: pg.Pool;
  readonly #login: Login | undefined;
  readonly #timeouts: Timeouts;
  readonly #slotWait: number;
  /** The attributes of its spans. */
  readonly #about: Attributes;
  /** Connections that have run a query. */
  readonly #used = new WeakSet<pg.ClientBase>();
  /** Connections that broke. */
  readonly #broken = new WeakSet<pg.ClientBase>();
  readonly #open = new Set<pg.ClientBase>();
  /** Whether its node is out of service. */
  #cut = false;

  constructor(options: LaneOptions) {
    this.name = options.name;
    this.#about = laneAttributes(options);
    this.slots = options.slotsOf?.slots ?? new Slots(options.connections, options.limits);
    const { timeouts } = options;
    this.#timeouts = timeouts;
    this.deadline = options.statementTimeout + timeouts.cancelAfter;
    this.#slotWait = options.slotWait ?? timeouts.slot;
    this.#pool = openPool(options);
    this.#login = options.login;
    // A connection may break at any time, also between the pool and a query.
    this.#pool.on('connect', (client) => {
      this.#open.add(client.on('error', () => this.#broken.add(client)));
    });
    this.#pool.on('remove', (client) => this.#open.delete(client));
    // The pool removes an idle connection that breaks; the next query opens a new one.
    this.#pool.on('error', () => undefined);
  }

  /** The number of queries in about the last second. */
  get recent(): number {
    return this.slots.recent;
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

  /** Runs several statements in one snapshot. */
  snapshot<T>(work: (run: RunStatement) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#withSlot(async (run) => {
      await run(begin, []);
      try {
        return await work(run);
      } finally {
        // Nothing was written. If this fails, the connection is not used again.
        await run(end, []).catch(() => undefined);
      }
    }, signal);
  }

  /** Opens the connections, so that the first requests do not have to wait for them. */
  async warmUp(): Promise<void> {
    const clients: pg.PoolClient[] = [];
    try {
      while (clients.length < this.slots.size) clients.push(await this.#connect());
    } catch {
      // Queries will try again and report the cause.
    }
    for (const client of clients) client.release();
  }

  /** While it is cut, every query fails at once, as if the database were down, and nothing connects. */
  cut(cut: boolean): void {
    this.#cut = cut;
    if (cut) for (const client of this.#open) destroy(client);
  }

  close(): Promise<void> {
    setTimeout(() => this.cut(true), this.#timeouts.connect).unref(); // if the database does not respond
    return this.#pool.end();
  }

  async #withSlot<T>(
    work: (run: RunStatement) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const key = currentKey();
    const taken = this.slots.take(this.#slotWait, signal, key);
    tracer?.wait('wait for slot', this.#about, taken);
    if (!(await taken)) {
      throw signal?.aborted ? new QueryAbortedError() : new NoSlotError(this.name);
    }
    try {
      return await this.#retry(work, signal);
    } catch (error) {
      if (!isPassingConflict(error)) throw error;
      throw new DatabaseUnavailableError(undefined, { cause: error });
    } finally {
      this.slots.give(key);
    }
  }

  /**
   * Tries twice. A pooled connection may have died unnoticed, and so may the others in the pool: that
   * says nothing about the database, so losing a used connection does not count as a try.
   */
  async #retry<T>(
    work: (run: RunStatement) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    for (let tries = 2; ;) {
      let used = false;
      if (this.#cut) throw new DatabaseUnavailableError();
      try {
        const connected = this.#connect();
        tracer?.wait('connect', this.#about, connected);
        const client = await connected;
        used = this.#used.has(client);
        this.#used.add(client);
        return await this.#attempt(client, work, signal);
      } catch (error) {
        const unavailable = error instanceof DatabaseUnavailableError;
        if (!unavailable && !isPassingConflict(error)) throw error;
        if (!(unavailable && used)) tries -= 1;
        if (tries === 0) throw error;
      }
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    return connect(this.#pool, this.#login).catch((cause: unknown) => {
      // Whatever the cause (a changed password, a renamed database), the query is not at fault.
      throw new DatabaseUnavailableError(undefined, { cause: poolerFault(cause) ?? cause });
    });
  }

  async #attempt<T>(
    client: pg.PoolClient,
    work: (run: RunStatement) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    // A cancel request that arrives before its query has no effect, so do not start such a query.
    if (signal?.aborted) {
      client.release();
      throw new QueryAbortedError();
    }
    let ended: 'timeout' | 'abort' | undefined;
    let cancelled: Promise<boolean> | undefined;
    let lastResort: NodeJS.Timeout | undefined;
    const giveUp = (why: 'timeout' | 'abort'): void => {
      ended ??= why;
      cancelled ??= cancelBackend(client);
      // The cancel request may get lost: then the socket is closed, which ends the wait.
      const { aborted, cancelAfter } = this.#timeouts;
      const patience = why === 'abort' ? aborted : cancelAfter;
      lastResort ??= setTimeout(destroy, patience, client);
    };
    const timer = setTimeout(giveUp, this.deadline, 'timeout');
    const abort = (): void => giveUp('abort');
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await work(withSpans(runOn(client), this.#about));
    } catch (error) {
      const fault = poolerFault(error);
      const broken = fault !== undefined || this.#broken.has(client) || isConnectionError(error);
      if (broken) this.#broken.add(client);
      if (ended === 'abort') throw new QueryAbortedError(undefined, { cause: error });
      if (ended === 'timeout' || isTimeout(error)) {
        throw new QueryTimeoutError(undefined, { cause: error });
      }
      if (broken) throw new DatabaseUnavailableError(undefined, { cause: fault ?? error });
      throw error;
    } finally {
      clearTimeout(timer);
      clearTimeout(lastResort);
      signal?.removeEventListener('abort', abort);
      // A late cancel request must not hit the connection's next query.
      const isCancelLate = (await cancelled) === false;
      // Ending a snapshot may fail too: cancelled by us, or by a standby that has to catch up.
      const inTransaction = client.getTransactionStatus() !== 'I';
      const isUsable = !this.#broken.has(client) && ended !== 'timeout' && !inTransaction;
      client.release(!isUsable || isCancelLate);
    }
  }
}
