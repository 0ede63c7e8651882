/** One PostgreSQL server of the cluster: its connections, and what the probe knows about it. */
import { openDatabase, type ConnectionsConfig, type Database } from './database.ts';
import type { Timeouts } from '../settings/timeouts.ts';
import type { Login } from './login.ts';
import { nodeName } from '../settings/node-urls.ts';

/** How long a node is avoided after its connections reached different servers. */
const mismatchShownMs = 10_000;

export class Node {
  readonly url: string;
  readonly login: Login | undefined;
  readonly name: string;
  readonly timeouts: Timeouts;
  readonly database: Database;
  role: 'primary' | 'replica' | 'unknown' = 'unknown';
  /** Requests that it is answering, and those that it has been given so far. */
  inFlight = 0;
  requests = 0;
  /** Consecutive probes that failed. */
  failures = 0;
  /** It refuses connections, so trying is useless; a node that only is slow may answer. */
  down = false;
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
  readonly #isOneOfSeveral: boolean;
  #mismatchedUntil = -Infinity;
  #returning = false;

  constructor(config: ConnectionsConfig, isOneOfSeveral: boolean) {
    this.url = config.url;
    this.login = config.login;
    this.timeouts = config.timeouts;
    this.#isOneOfSeveral = isOneOfSeveral;
    this.name = nodeName(config.url);
    // The primary has to take over from the replicas at any time.
    this.database = openDatabase(config, isOneOfSeveral);
  }

  /** How old its data may be, in milliseconds. The only node is compared with nothing. */
  get age(): number {
    if (this.role === 'primary' || !this.#isOneOfSeveral) return 0;
    return performance.now() - this.asOf;
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
    this.database.cut(true);
  }

  /** Takes it back, after opening its connections unless requests are waiting for any node. */
  async readmit(atOnce: boolean): Promise<void> {
    if (this.#returning) return;
    this.#returning = true;
    this.database.cut(false);
    if (!atOnce) await this.database.warmUp();
    this.#returning = false;
    if (this.failures === 0) this.ejected = false;
    else this.database.cut(true);
  }
}
