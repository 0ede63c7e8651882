/**
 * A writer that knows how many of its customers there were at any moment: exactly while it pauses, and within the
 * writes that were under way while it does not.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { beatId } from '../cluster/setup/writers.ts';

const pauseMs = 50;

/** Ascending moments at which writes began and were acknowledged. */
interface Moments {
  begun: number[];
  done: number[];
}

export class CountedWriter implements AsyncDisposable {
  readonly faults: string[] = [];
  slowestMs = 0;
  readonly #client: pg.Client;
  readonly #inserts: Moments = { begun: [], done: [] };
  readonly #deletes: Moments = { begun: [], done: [] };
  readonly #stopping = new AbortController();
  #turn = Promise.resolve();
  #running: Promise<void> | undefined;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async start(url: string): Promise<CountedWriter> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    const writer = new CountedWriter(client);
    writer.#running = writer.#write();
    return writer;
  }

  get writes(): number {
    return this.#inserts.done.length + this.#deletes.done.length;
  }

  /** Nothing is written while `work` runs. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const written = this.#turn;
    this.#turn = promise;
    await written;
    try {
      return await work();
    } finally {
      resolve();
    }
  }

  /** The fewest and the most customers it can have had in a snapshot taken between two moments. */
  bounds(from: number, to: number): { least: number; most: number } {
    return {
      least: upTo(this.#inserts.done, from) - upTo(this.#deletes.begun, to),
      most: upTo(this.#inserts.begun, to) - upTo(this.#deletes.done, from),
    };
  }

  /** For how long a value of the beat had been outdated at a moment, in milliseconds. */
  ageOf(beat: number, at: number): number {
    return Math.max(0, at - (this.#inserts.done[beat] ?? at));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#client.end();
  }

  /** Every fourth customer is deleted again. */
  async #write(): Promise<void> {
    let earlier = '';
    for (let n = 1; !this.#stopping.signal.aborted; n += 1) {
      const previous = this.#turn;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#turn = promise;
      await previous;
      const id = randomUUID();
      await this.#run(this.#inserts, insert, [String(n), beatId, id]);
      if (n % 4 === 0) await this.#run(this.#deletes, remove, [earlier]);
      earlier = id;
      resolve();
      await sleep(pauseMs);
    }
  }

  async #run(moments: Moments, sql: string, values: string[]): Promise<void> {
    const begun = performance.now();
    moments.begun.push(begun);
    try {
      await this.#client.query(sql, values);
    } catch (error) {
      this.faults.push((error as Error).message);
    }
    const done = performance.now();
    moments.done.push(done);
    this.slowestMs = Math.max(this.slowestMs, done - begun);
  }
}

const insert = `
  with beat as (update customers set full_name = 'Beat ' || $1 where uuid = $2)
  insert into customers (uuid, full_name, email_address)
  values ($3, 'Written ' || $1, 'written-' || $1 || '@mail.example')`;
const remove = 'delete from customers where uuid = $1';

/** How many of the ascending moments have passed. */
const upTo = (moments: readonly number[], moment: number): number =>
  moments.findLastIndex((each) => each <= moment) + 1;
