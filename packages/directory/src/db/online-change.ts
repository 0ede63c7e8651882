/**
 * How sort orders, masking and search text are prepared while the directory is in use: one run at a time, in small
 * transactions that nobody waits behind for long. An interrupted run can be run again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { codeOf } from './error-code.ts';

/** `wait`: for another run. `fill`: customers that were compared, of an estimated number. */
export type ChangeProgress =
  | { step: 'wait' }
  | { step: 'fill'; done: number; of: number }
  | { step: 'index' };

/** `unfinished`: it was interrupted, or what keeps it was changed since, as by a restore. */
export type PreparedState = 'on' | 'unfinished' | 'off';

export interface ChangeOptions {
  onProgress?: (progress: ChangeProgress) => void;
  /** How long an index waits for open transactions, as a `lock_timeout`. Without an end by default. */
  patience?: string;
}

interface Batch {
  /** How many customers have been compared so far. */
  done: number;
  /** How many of this batch had to be written. */
  changed: number;
}

interface Index {
  schema: 'public' | 'clientele';
  name: string;
  /** What follows `on` in its definition. */
  on: string;
}

const lockId = 4_716_310_059;
/** Much less than a deadlock takes to be noticed, which could end the transaction of somebody else. */
const lockTimeout = '100ms';
/** Longer, because writers never leave a busy table free, but they wait behind us. */
const tableLockTimeout = '1s';
/** Those who waited behind us are done by the next try. */
const retries = { pauseMs: 500, attempts: 600 };

/** Runs work when no other change runs. The client has to be the tables' owner. */
export async function changeOnline<T>(
  client: pg.ClientBase,
  options: ChangeOptions,
  work: (change: OnlineChange) => Promise<T>,
): Promise<T> {
  // A session that waits for the lock would have a snapshot, and building an index would wait for that.
  for (let waits = false; !(await tryLock(client)); waits = true) {
    if (!waits) options.onProgress?.({ step: 'wait' });
    await sleep(retries.pauseMs);
  }
  try {
    await client.query('set statement_timeout = 0');
    return await work(new OnlineChange(client, options));
  } finally {
    await client.query('reset statement_timeout; reset lock_timeout');
    await client.query('select pg_advisory_unlock($1)', [lockId]);
  }
}

async function tryLock(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'select pg_try_advisory_lock($1) as locked',
    [lockId],
  );
  return rows[0]!.locked;
}

export class OnlineChange {
  readonly #client: pg.ClientBase;
  readonly #options: ChangeOptions;

  constructor(client: pg.ClientBase, options: ChangeOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** For work that locks the table of customers. `mayPass` are other codes of errors that pass. */
  async whenTableIsFree<T>(work: () => Promise<T>, mayPass: string[] = []): Promise<T> {
    return this.#retry(tableLockTimeout, work, mayPass);
  }

  /** For work that locks customers. */
  async whenFree<T>(work: () => Promise<T>): Promise<T> {
    return this.#retry(lockTimeout, work, []);
  }

  /** Runs batches until one finds nothing left. Returns how many customers had to be written. */
  async fill(batch: (customers: number) => Promise<Batch | undefined>): Promise<number> {
    const { rows } = await this.#client.query<{ customers: number }>(
      `select greatest(c.reltuples, 0)::float8 as customers
       from pg_class as c where c.oid = 'public.customers'::regclass`,
    );
    const { customers } = rows[0]!;
    for (let written = 0; ;) {
      const found = await this.whenFree(() => batch(customers));
      if (!found) return written;
      written += found.changed;
      const { done } = found;
      this.#options.onProgress?.({ step: 'fill', done, of: Math.max(customers, done) });
    }
  }

  /** Builds the index if it is missing, or if an interrupted run has left it unusable. */
  async buildIndex(index: Index): Promise<void> {
    const { schema, name, on } = index;
    const { rows } = await this.#client.query<{ valid: boolean }>(
      'select x.indisvalid as valid from pg_index as x where x.indexrelid = to_regclass($1)',
      [`${schema}.${name}`],
    );
    if (rows[0]?.valid) return;
    this.#options.onProgress?.({ step: 'index' });
    await this.dropIndex(index);
    await this.#client.query(`create index concurrently ${name} on ${on}`);
  }

  async dropIndex({ schema, name }: Pick<Index, 'schema' | 'name'>): Promise<void> {
    await this.maintain(`drop index concurrently if exists ${schema}.${name}`);
  }

  /** For statements that wait for transactions, while nobody waits behind them. */
  async maintain(statement: string): Promise<void> {
    await this.#client.query(`set lock_timeout = '${this.#options.patience ?? 0}'`);
    await this.#client.query(statement);
  }

  /** Tries again instead of waiting for locks: other sessions would wait behind ours. */
  async #retry<T>(timeout: string, work: () => Promise<T>, mayPass: string[]): Promise<T> {
    await this.#client.query(`set lock_timeout = '${timeout}'`);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        const passes = ['55P03', '40P01', ...mayPass].includes(codeOf(error) ?? '');
        if (!passes || attempt === retries.attempts) throw error;
        await sleep(retries.pauseMs);
      }
    }
  }
}
