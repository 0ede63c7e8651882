/**
 * Writers that record every acknowledged row. Each is bound to one node and keeps trying to write there, so
 * that a node that wrongly accepts writes is found out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '@clientele/sandbox/testing/cluster';
import pg from 'pg';

/** A customer whose name counts the writes: `Beat 17`. */
export const beatId = '99999999-0000-4000-8000-000000000000';

const pauseMs = 50;

export class Writers implements AsyncDisposable {
  /** When each write was acknowledged, by its number. */
  readonly acknowledged = new Map<number, number>();
  readonly #stopping = new AbortController();
  readonly #running: Promise<unknown>;
  readonly #cluster: Cluster;
  #attempts = 0;

  constructor(cluster: Cluster, nodes = cluster.nodes) {
    this.#cluster = cluster;
    this.#running = Promise.all(nodes.map((node) => this.#writeTo(cluster.ownerUrl(node))));
  }

  async #writeTo(url: string): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
      client.on('error', () => undefined);
      const end = (): void => void client.end().catch(() => undefined);
      signal.addEventListener('abort', end);
      try {
        await client.connect();
        while (!signal.aborted) {
          await this.#write(client);
          await sleep(pauseMs);
        }
      } catch {
        // A standby refuses the write, or the node is down.
        end();
        await sleep(2 * pauseMs);
      }
      signal.removeEventListener('abort', end);
    }
  }

  async #write(client: pg.Client): Promise<void> {
    const number = ++this.#attempts;
    await client.query(
      `with beat as (update customers set full_name = 'Beat ' || $1 where uuid = $2)
       insert into customers (full_name, email_address) values ('Written ' || $1, $3)`,
      [String(number), beatId, `written-${number}@mail.example`],
    );
    this.acknowledged.set(number, performance.now());
  }

  /** The longest time without an acknowledged write between two moments, in milliseconds. */
  longestGap(from: number, to: number): number {
    const times = [...this.acknowledged.values()].filter((time) => time > from && time < to);
    const moments = [from, ...times.toSorted((a, b) => a - b), to];
    return Math.max(...moments.slice(1).map((time, i) => time - moments[i]!));
  }

  /** For how long a beat had been outdated at a moment: the age of the oldest later one, or 0. */
  ageOf(beat: number, at: number): number {
    let oldest = at;
    for (let next = beat + 1; next <= this.#attempts; next += 1) {
      const time = this.acknowledged.get(next);
      if (time !== undefined && time < oldest) oldest = time;
      // Later writes were acknowledged later.
      if (time !== undefined) break;
    }
    return at - oldest;
  }

  /** The numbers of acknowledged writes that the leader does not have. */
  async lost(): Promise<number[]> {
    const leader = await this.#cluster.leader();
    // Writing continues while the rows are read.
    const acknowledged = [...this.acknowledged.keys()];
    const client = new pg.Client({ connectionString: this.#cluster.ownerUrl(leader) });
    await client.connect();
    const { rows } = await client.query<{ number: number }>(
      `select split_part(full_name, ' ', 2)::int as number from customers
       where full_name like 'Written %'`,
    );
    await client.end();
    const present = new Set(rows.map(({ number }) => number));
    return acknowledged.filter((number) => !present.has(number));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }
}
