/** Several concurrent writers that do everything PostgreSQL allows to the table of customers. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { RandomStatements } from './random-statements.ts';
import { Random } from './random.ts';

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
    const first: Action[][] = [['exceedLimit'], ['trim'], ['prepare', 'endPrepared']];
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
    for (const id of this.#prepared.splice(0)) await client.query(`commit prepared '${id}'`);
    await client.end();
  }

  async #write(client: pg.Client, random: Random, first: Action[]): Promise<void> {
    await client.query(`set lock_timeout = '2s'`);
    while (!this.#stopping) {
      try {
        await this[first.shift() ?? random.pick(actions)](client, random);
      } catch (error) {
        // Conflicts between writers are expected.
        const code = (error as { code?: string }).code ?? '';
        if (!['40001', '40P01', '55P03', '23505'].includes(code)) throw error;
        this.#count(`failed with ${code}`);
        await client.query('rollback');
      }
    }
    await client.end();
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
    await client.query(`prepare transaction '${id}'`);
    this.#prepared.push(id);
  }

  /** Commits or rolls back any of the prepared transactions. */
  async endPrepared(client: pg.Client, random: Random): Promise<void> {
    const [id] = this.#prepared.splice(random.below(this.#prepared.length), 1);
    if (id === undefined) return;
    const how = random.chance(0.3) ? 'rollback prepared' : 'commit prepared';
    this.#count(how);
    await client.query(`${how} '${id}'`);
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
