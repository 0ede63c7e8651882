/** What operators do to a running directory, at random: everything that is allowed besides writing rows. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { addOrder, isConnectionError, orders, removeOrder } from '@clientele/directory';
import { expectedFailure, type RandomWriters } from './random-writers.ts';
import { Random } from '@clientele/sandbox/testing';

export interface RandomOperatorsOptions {
  connect(): Promise<pg.Client>;
  /** Connects to another database of the same cluster. */
  connectElsewhere(): Promise<pg.Client>;
  seed: number;
  /** Makes writers pause during most operations, which would wait too long for their locks. */
  writers: RandomWriters;
  /** The longest pause between two operations, in milliseconds. */
  pauseMs: number;
}

type Operation = (client: pg.Client, random: Random) => Promise<unknown>;

const operations: Record<string, Operation> = {
  'rewriting alter': (client, random) =>
    random.chance(0.5)
      ? client.query('alter table customers add column note uuid default gen_random_uuid()')
      : client.query(
          'alter table customers alter column total_orders type bigint using total_orders',
        ),
  'plain alter': (client, random) =>
    random.chance(0.5)
      ? client.query(`alter table customers add column remark text default 'none'`)
      : client.query('alter table customers alter column search_text set statistics 900'),
  'drop columns': (client) =>
    client.query('alter table customers drop column if exists note, drop column if exists remark'),
  'rename away and back': async (client, random) => {
    await client.query('alter table public.customers rename to customers_elsewhere');
    try {
      await sleep(random.below(20));
    } finally {
      await persist(client, () =>
        client.query('alter table if exists public.customers_elsewhere rename to customers'),
      );
    }
  },
  'disabled trigger': async (client, random) => {
    const trigger = random.pick(['log_inserts', 'log_updates', 'log_deletes', 'log_truncate']);
    await client.query(`alter table customers disable trigger ${trigger}`);
    try {
      await sleep(random.below(20));
    } finally {
      const how = trigger === 'log_inserts' ? 'enable' : 'enable always';
      await persist(client, () => client.query(`alter table customers ${how} trigger ${trigger}`));
    }
    // Until then, lists can have no order.
    for (const order of orders) await persist(client, () => addOrder(client, order));
  },
  'remove and add an order': async (client, random) => {
    const order = random.pick([...orders]);
    try {
      await removeOrder(client, order);
    } finally {
      await persist(client, () => addOrder(client, order));
    }
  },
  'truncate customers': async (client) => {
    await client.query('begin');
    // Most of the customers come back, so that the checks have something to find.
    await client.query('create temporary table kept on commit drop as table only public.customers');
    await client.query('truncate customers');
    await client.query(
      `insert into customers (uuid, full_name, email_address, phone_number, company_name, created_at)
       select uuid, full_name, email_address, phone_number, company_name, created_at from kept`,
    );
    await client.query('commit');
  },
  'truncate log': (client) => client.query('truncate clientele.changes'),
  'write and truncate log': async (client, random) => {
    const isolation = random.pick(['read committed', 'repeatable read']);
    await client.query(`begin isolation level ${isolation}`);
    await client.query(
      `insert into customers (full_name, email_address) values ('Anna Quixote', 'a@gmail.example')`,
    );
    await client.query('truncate clientele.changes');
    await client.query('commit');
  },
  'trim log': (client, random) =>
    client.query('select clientele.trim_changes($1, $2)', [
      random.pick([0, 1, 50, 500]),
      random.pick([null, 5, 100]),
    ]),
  'erase and clear': async (client, random) => {
    await client.query(
      'select clientele.erase_customer(c.uuid) from public.customers as c order by random() limit 3',
    );
    await sleep(random.below(50));
    await client.query('select clientele.analyze_erased()');
    await client.query(`select clientele.clear_erasures('0 seconds')`);
  },
  'vacuum full': (client, random) =>
    client.query(`vacuum full ${random.pick(['public.customers', 'clientele.changes'])}`),
  reindex: (client, random) =>
    client.query(`reindex table ${random.pick(['public.customers', 'clientele.changes'])}`),
  'bulk change': async (client, random) => {
    await client.query('begin');
    await client.query(`set local clientele.changes_limit = ${random.pick([50, 100_000])}`);
    await client.query(
      `update customers set full_name = 'Lee ' || full_name where length(full_name) < 20`,
    );
    await client.query('commit');
  },
  inheritance: async (client) => {
    await client.query('begin');
    await client.query('create table if not exists customers_inherited () inherits (customers)');
    await client.query(
      `insert into customers_inherited (full_name, email_address) values ('Anna Child', 'c@gmail.example')`,
    );
    await client.query('commit');
    await client.query(`update customers set company_name = 'Smith' where full_name like 'Anna %'`);
    await client.query(`delete from customers where full_name = 'Anna Child'`);
    await client.query('drop table customers_inherited');
  },
};

/** Tries until it has worked: the directory must not stay as it is. */
async function persist(client: pg.Client, work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await client.query('rollback');
      await work();
      return;
    } catch (error) {
      if (isConnectionError(error)) throw error;
      expectedFailure(error);
    }
  }
}

export class RandomOperators {
  /** How often each operation was done. */
  readonly done: Record<string, number> = {};
  readonly #options: RandomOperatorsOptions;
  #running: Promise<unknown> = Promise.resolve();
  #stop = new AbortController();

  constructor(options: RandomOperatorsOptions) {
    this.#options = options;
  }

  static readonly kinds = [...Object.keys(operations), 'held elsewhere', 'prepared elsewhere'];

  async start(): Promise<void> {
    this.#stop = new AbortController();
    const clients = [
      await this.#options.connect(),
      await this.#options.connectElsewhere(),
    ] as const;
    const running = Promise.all([this.#operate(clients[0]), this.#hold(clients[1])]);
    // stop() reports the error.
    running.catch(() => undefined);
    this.#running = running;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Each operation once in random order, again and again. */
  async #operate(client: pg.Client): Promise<void> {
    const random = new Random(this.#options.seed + 77);
    const { signal } = this.#stop;
    let left: string[] = [];
    // Each at least once, whenever the checks are over.
    const isComplete = () => Object.keys(operations).every((kind) => this.done[kind]);
    while (!signal.aborted || !isComplete()) {
      if (left.length === 0) left = Object.keys(operations);
      const [kind] = left.splice(random.below(left.length), 1);
      try {
        await client.query(`set lock_timeout = '300ms'`);
        const operate = () => operations[kind!]!(client, random);
        if (random.chance(0.2)) await operate();
        else await this.#options.writers.paused(client, operate);
        this.#count(kind!);
      } catch (error) {
        // Waiting for a lock, mostly. Another column of that name, a dropped one.
        if ((error as { code?: string }).code !== '42701') expectedFailure(error);
        if (isConnectionError(error)) return;
        this.#count(`failed: ${kind}`);
        await client.query('rollback');
      }
      if (!signal.aborted) await sleep(random.below(this.#options.pauseMs));
    }
    await persist(client, () => client.query('drop table if exists customers_inherited'));
    await client.end();
  }

  /** Transactions of another database stay open or prepared for a while. */
  async #hold(client: pg.Client): Promise<void> {
    const random = new Random(this.#options.seed + 78);
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const id = randomUUID();
      const prepared = random.chance(0.5);
      await client.query('begin');
      await client.query('select pg_current_xact_id()');
      if (prepared) await client.query(`prepare transaction '${id}'`);
      await sleep(random.below(5 * this.#options.pauseMs), undefined, { signal }).catch(
        () => undefined,
      );
      const how = random.chance(0.5) ? 'commit' : 'rollback';
      await client.query(prepared ? `${how} prepared '${id}'` : how);
      this.#count(prepared ? 'prepared elsewhere' : 'held elsewhere');
    }
    await client.end();
  }

  #count(what: string): void {
    this.done[what] = (this.done[what] ?? 0) + 1;
  }
}
