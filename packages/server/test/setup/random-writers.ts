/** Several concurrent writers that do everything PostgreSQL allows to the table of customers. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { isConnectionError } from '@clientele/directory';
import { RandomStatements } from './random-statements.ts';
import { Random } from '@clientele/sandbox/testing';

export interface RandomWritersOptions {
  connect(): Promise<pg.Client>;
  seed: number;
  writers: number;
  /** The approximate number of customers to keep in the table. */
  customers: number;
}

/** An action listed several times is chosen that much more often. */
const actions = [
  ...Array<'statement'>(16).fill('statement'),
  ...(['transaction', 'transaction', 'transaction', 'transaction', 'long', 'long'] as const),
  ...(['savepoints', 'savepoints', 'savepoints', 'prepare', 'prepare'] as const),
  ...(['endPrepared', 'endPrepared', 'endPrepared', 'rare'] as const),
  ...(['erase', 'erase', 'clearErasures', 'clearOldText'] as const),
];

type Action = (typeof actions)[number] | 'exceedLimit' | 'trim';

export class RandomWriters {
  /** How often each thing was done. */
  readonly done: Record<string, number> = {};
  readonly #options: RandomWritersOptions;
  readonly #statements: RandomStatements;
  readonly #prepared: string[] = [];
  #running: Promise<void>[] = [];
  #stopping = false;
  /** Writers wait for it before they begin something new. */
  #pause: Promise<unknown> | undefined;
  #busy = 0;

  constructor(options: RandomWritersOptions) {
    this.#options = options;
    this.#statements = new RandomStatements(options.customers, (kind) => this.#count(kind));
  }

  async start(): Promise<void> {
    const { writers, seed } = this.#options;
    this.#stopping = false;
    const clients = await Promise.all(
      Array.from({ length: writers }, () => this.#options.connect()),
    );
    // Rare actions happen at least once.
    const first: Action[][] = [
      ['exceedLimit'],
      ['trim'],
      ['prepare', 'endPrepared'],
      ['erase', 'clearErasures', 'clearOldText'],
    ];
    this.#running = clients.map((client, i) =>
      this.#write(client, new Random(seed + i), first[i] ?? []),
    );
    // stop() reports the error.
    for (const running of this.#running) running.catch(() => undefined);
  }

  /** Ends every transaction, including the prepared ones. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
    const client = await this.#options.connect();
    await this.#endAllPrepared(client);
    await client.end();
  }

  /** Runs the work while no transaction of a writer is open or prepared. */
  async paused(client: pg.Client, work: () => Promise<unknown>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pause = promise;
    try {
      while (this.#busy > 0) await sleep(2);
      await this.#endAllPrepared(client);
      await work();
    } finally {
      this.#pause = undefined;
      resolve();
    }
  }

  async #endAllPrepared(client: pg.Client): Promise<void> {
    for (const id of this.#prepared.splice(0)) {
      // After a crash it may not be prepared any more.
      await client.query(`commit prepared '${id}'`).catch(expectedFailure);
    }
  }

  async #write(client: pg.Client, random: Random, first: Action[]): Promise<void> {
    let own = client;
    while (!this.#stopping) {
      try {
        await own.query(`set lock_timeout = '2s'`);
        while (!this.#stopping) {
          await this.#pause;
          this.#busy += 1;
          try {
            await this[first.shift() ?? random.pick(actions)](own, random);
          } finally {
            this.#busy -= 1;
          }
        }
      } catch (error) {
        // Conflicts with other writers and operators are expected.
        this.#count(`failed with ${expectedFailure(error)}`);
        if (isConnectionError(error)) own = await this.#reconnect(own);
        else await own.query('rollback').catch(() => undefined);
      }
    }
    await own.end().catch(() => undefined);
  }

  /** After a restart of the database. */
  async #reconnect(broken: pg.Client): Promise<pg.Client> {
    await broken.end().catch(() => undefined);
    while (!this.#stopping) {
      try {
        return await this.#options.connect();
      } catch (error) {
        expectedFailure(error);
        await sleep(20);
      }
    }
    return broken;
  }

  #count(what: string): void {
    this.done[what] = (this.done[what] ?? 0) + 1;
  }

  /** Actions after which every search has to be counted again. */
  async rare(client: pg.Client, random: Random): Promise<void> {
    const choice = random.below(10);
    if (choice < 3) await this.exceedLimit(client, random);
    else if (choice < 5) await this.trim(client, random);
  }

  async statement(client: pg.Client, random: Random): Promise<void> {
    await this.#statements.run(client, random);
  }

  async #begin(client: pg.Client, random: Random): Promise<void> {
    await client.query(
      `begin isolation level ${random.chance(0.2) ? 'repeatable read' : 'read committed'}`,
    );
  }

  async #end(client: pg.Client, random: Random): Promise<void> {
    const how = random.chance(0.3) ? 'rollback' : 'commit';
    this.#count(how);
    await client.query(how);
  }

  async transaction(client: pg.Client, random: Random): Promise<void> {
    await this.#begin(client, random);
    for (let n = 1 + random.below(3); n > 0; n -= 1) await this.statement(client, random);
    await this.#end(client, random);
  }

  async savepoints(client: pg.Client, random: Random): Promise<void> {
    await this.#begin(client, random);
    await this.#withSavepoints(client, random);
    await this.#end(client, random);
  }

  async #withSavepoints(client: pg.Client, random: Random): Promise<void> {
    for (let n = 1 + random.below(3); n > 0; n -= 1) {
      await client.query('savepoint here');
      await this.statement(client, random);
      await client.query('savepoint deeper');
      await this.statement(client, random);
      this.#count('savepoint');
      if (random.chance(0.3)) await client.query('rollback to deeper');
      if (random.chance(0.3)) await client.query('rollback to here');
      else await client.query('release here');
    }
  }

  /** Stays open while the other writers commit. */
  async long(client: pg.Client, random: Random): Promise<void> {
    await this.#begin(client, random);
    for (let n = 2 + random.below(4); n > 0; n -= 1) {
      await this.statement(client, random);
      await sleep(random.below(60));
    }
    this.#count('long');
    await this.#end(client, random);
  }

  /** Makes more changes than the log lists for one transaction. */
  async exceedLimit(client: pg.Client, random: Random): Promise<void> {
    await this.#begin(client, random);
    await client.query(`set local clientele.changes_limit = ${random.below(12)}`);
    await this.#withSavepoints(client, random);
    this.#count('over the limit');
    await this.#end(client, random);
  }

  async prepare(client: pg.Client, random: Random): Promise<void> {
    // The cluster allows twenty, and all test files share it.
    if (this.#prepared.length >= 3) return;
    await this.#begin(client, random);
    await this.#withSavepoints(client, random);
    const id = randomUUID();
    try {
      await client.query(`prepare transaction '${id}'`);
    } finally {
      // Only now: another writer that ends it any earlier finds nothing to end, and nobody would end it later.
      // After a failure it may still be prepared, if the connection broke.
      this.#prepared.push(id);
    }
  }

  /** Commits or rolls back any of the prepared transactions. */
  async endPrepared(client: pg.Client, random: Random): Promise<void> {
    const [id] = this.#prepared.splice(random.below(this.#prepared.length), 1);
    if (id === undefined) return;
    // On a slow machine there are only a few, and both endings have to be tried.
    const missing = (['rollback prepared', 'commit prepared'] as const).find(
      (end) => !this.done[end],
    );
    const usual = random.chance(0.3) ? 'rollback prepared' : 'commit prepared';
    const how = missing ?? usual;
    this.#count(how);
    await client.query(`${how} '${id}'`).catch((error: unknown) => {
      // It may still be prepared.
      if (isConnectionError(error)) this.#prepared.push(id);
      throw error;
    });
  }

  async erase(client: pg.Client, random: Random): Promise<void> {
    await client.query(
      `select clientele.erase_customer(u.uuid) from (
         select uuid from public.customers order by random() limit $1 for update skip locked
       ) as u`,
      [1 + random.below(3)],
    );
    this.#count('erase');
  }

  /** Entries of the log lose their text, however new they are. */
  async clearErasures(client: pg.Client): Promise<void> {
    await client.query(`select clientele.clear_erasures('0 seconds')`);
    this.#count('clear erasures');
  }

  /** As if everything before the last time were a day old. */
  async clearOldText(client: pg.Client, random: Random): Promise<void> {
    await client.query(
      `delete from clientele.change_marks as m
       where m.at < (select max(n.at) from clientele.change_marks as n)`,
    );
    await client.query('insert into clientele.change_marks default values on conflict do nothing');
    await client.query('select clientele.clear_old_text($1)', [random.pick([1, 20, 10_000])]);
    this.#count('clear old text');
  }

  async trim(client: pg.Client, random: Random): Promise<void> {
    await client.query('begin');
    if (random.chance(0.5)) await this.statement(client, random);
    await client.query('select clientele.trim_changes($1)', [1 + random.below(100)]);
    if (random.chance(0.5)) await this.statement(client, random);
    this.#count('trim');
    await this.#end(client, random);
  }
}

/** Conflicts, somebody who was erased meanwhile, a table that was renamed or rewritten, a lost prepared transaction. */
const expectedCodes = /^(40001|40P01|55P03|23505|23514|42P01|42704|55000|0A000)$/;

/** Returns why it failed; throws errors that must not happen. */
export function expectedFailure(error: unknown): string {
  const { code = 'no connection' } = error as { code?: string };
  if (!expectedCodes.test(code) && !isConnectionError(error)) throw error;
  return code;
}
