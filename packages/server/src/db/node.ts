/** One PostgreSQL server of the cluster: its connections, and what the probe knows about it. */
import type { DatabaseConfig } from '../config.ts';
import { openDatabase, type Database } from './database.ts';
import { nodeName } from './node-urls.ts';

/** How long a node is avoided after its connections reached different servers. */
const mismatchShownMs = 10_000;

export class Node {
  readonly url: string;
  readonly name: string;
  readonly database: Database;
  role: 'primary' | 'replica' | 'unknown' = 'unknown';
  /** Requests that it is answering, and those that it has been given so far. */
  inFlight = 0;
  requests = 0;
  /** Consecutive probes that failed. */
  failures = 0;
  /** Out of service: nothing but the probe connects to it. */
  ejected = false;
  ejections = 0;
  /**
   * Whether its data belongs to the primary's history. A replica that has not been compared yet is unknown,
   * and one that has left that history is foreign: it answers nothing, because it would answer wrongly.
   */
  history: 'ours' | 'foreign' | 'unknown' = 'unknown';
  /** On the monotonic clock: it shows everything that the primary had written by then. */
  asOf = -Infinity;
  #mismatchedUntil = -Infinity;

  constructor({ url, connections }: DatabaseConfig) {
    this.url = url;
    this.name = nodeName(url);
    this.database = openDatabase({ url, connections });
  }

  /** How old its data may be, in milliseconds. */
  get age(): number {
    return this.role === 'primary' ? 0 : performance.now() - this.asOf;
  }

  /** Whether it responds, as far as known. */
  get responds(): boolean {
    return this.failures === 0 && !this.ejected && this.role !== 'unknown';
  }

  get mismatched(): boolean {
    return performance.now() < this.#mismatchedUntil;
  }

  /** Its connections reach different servers: avoided for a while. */
  mismatch(): void {
    this.#mismatchedUntil = performance.now() + mismatchShownMs;
  }

  /** Cuts its queries, so that their requests are answered by other nodes. */
  eject(): void {
    if (this.ejected) return;
    this.ejected = true;
    this.ejections += 1;
    // Nobody knows what happens to it before it returns.
    this.history = 'unknown';
    this.database.cut();
  }

  readmit(): void {
    this.ejected = false;
    this.database.restore();
  }
}
