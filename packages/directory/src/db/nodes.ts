/**
 * The nodes that an instance reads from. A request is answered by one node, its count included, and once
 * more by another one if that node fails. Keys, sessions and sign-outs go to the primary.
 */
import type { NodesConfig } from '../settings/database-settings.ts';
import type { Timeouts } from '../settings/timeouts.ts';
import {
  DatabaseMismatchError,
  DatabaseUnavailableError,
  isPassingConflict,
  NoSlotError,
  OrderOffError,
  QueryTimeoutError,
  UnloggedWritesError,
} from './errors.ts';
import type { Lane } from './lane.ts';
import { Login } from './login.ts';
import { Node } from './node.ts';
import { nodeUrls } from '../settings/node-urls.ts';
import { Watch } from './watch.ts';

export type Queries = Pick<Lane, 'query'>;

/** Where the latest keys and sessions are. */
export interface Authority {
  /** On a replica if the primary does not respond. */
  lookups: Queries;
  writes: Queries;
  upkeep: Queries;
  audit: Queries;
}

export type { Node };

/** Replicas whose data differs less in age than this, in milliseconds, are equally fresh. */
const alikeMs = 2_000;

/** Whether another node may answer what one could not. */
type MayHelp = (error: unknown, other: Node) => boolean;

export class Nodes {
  readonly all: readonly Node[];
  readonly authority: Authority;
  readonly login: Login;
  /** Requests that were given to a second node, and reads while there was no primary. */
  retries = 0;
  readsWithoutPrimary = 0;
  readonly #only: Node | undefined;
  readonly #watch: Watch | undefined;
  readonly #readFrom: NodesConfig['readFrom'];
  readonly #maxAgeMs: number;

  constructor({ database: config, timeouts }: { database: NodesConfig; timeouts: Timeouts }) {
    const urls = nodeUrls(config.url)!;
    this.login = new Login(config);
    const { login } = this;
    const each = { ...config, login, timeouts };
    this.all = urls.map((url) => new Node({ ...each, url }, urls.length > 1));
    this.#readFrom = config.readFrom;
    this.#maxAgeMs = 1_000 * config.maxLagSeconds;
    // One node is neither probed nor chosen.
    this.#only = this.all.length === 1 ? this.all[0] : undefined;
    this.#watch = this.#only ? undefined : new Watch(this.all);
    this.authority = this.#only?.database ?? this.#authority();
  }

  /** Looks at every node, and opens the connections. */
  async start(): Promise<void> {
    await this.#watch?.start();
    const there = this.#only ? this.all : this.all.filter(({ responds }) => responds);
    // One after another: many logins at once are slow, and a probe that waits behind them fails.
    for (const { database } of there) await database.warmUp();
  }

  /** Whether a node can answer, as far as known; without a query. */
  get ready(): boolean {
    return this.#only !== undefined || this.all.some((node) => node.responds && this.#isOurs(node));
  }

  /** The nodes that reads may go to now. */
  get usable(): Node[] {
    return this.#only ? [this.#only] : this.#readable(this.all);
  }

  get primary(): Node | undefined {
    if (this.#only) return this.#only;
    return this.all.find(
      ({ role, history, ejected }) => role === 'primary' && history === 'ours' && !ejected,
    );
  }

  /** `retryTimeouts` is for queries that take milliseconds wherever nothing is wrong. */
  answer<T>(work: (node: Node) => Promise<T>, { retryTimeouts = false } = {}): Promise<T> {
    if (this.#only) return work(this.#only);
    if (!this.primary) this.readsWithoutPrimary += 1;
    // A slow node has no free connection. If every node is busy, a second wait only makes it worse.
    const mayHelp: MayHelp = (error, other) =>
      isNodesFault(error, retryTimeouts) ||
      (error instanceof NoSlotError && hasFreeSlot(other, error.message));
    return this.#try((nodes) => this.#pick(nodes), work, mayHelp);
  }

  /** The rest of an answer, which no other node can give: it is of the snapshot that the first part was read in. */
  finish(node: Node, rest: Promise<unknown>): void {
    if (!this.#only) this.#run(node, () => rest).catch(() => undefined);
  }

  async #try<T>(
    choose: (nodes: readonly Node[]) => Node | undefined,
    work: (node: Node) => Promise<T>,
    mayHelp: MayHelp,
  ): Promise<T> {
    const node = choose(this.all);
    if (!node) throw new DatabaseUnavailableError();
    try {
      return await this.#read(node, work);
    } catch (error) {
      const others = this.all.filter((each) => each !== node);
      const other = this.#spared(error, node) ?? choose(others);
      if (!other || !mayHelp(error, other)) throw error;
      this.retries += 1;
      return await this.#read(other, work);
    }
  }

  #read<T>(node: Node, work: (node: Node) => Promise<T>): Promise<T> {
    node.requests += 1;
    return this.#run(node, work);
  }

  /** Replicas replay the same log, so a conflict with replay is likely on the others, too, but not here. */
  #spared(error: unknown, failed: Node): Node | undefined {
    const conflict = error instanceof DatabaseUnavailableError && isPassingConflict(error.cause);
    return conflict && this.primary !== failed ? this.primary : undefined;
  }

  async #run<T>(node: Node, work: (node: Node) => Promise<T>): Promise<T> {
    node.inFlight += 1;
    try {
      return await work(node);
    } catch (error) {
      if (error instanceof DatabaseMismatchError) node.mismatch();
      // A conflict with replay says nothing about the node.
      else if (error instanceof DatabaseUnavailableError && !isPassingConflict(error.cause)) {
        this.#watch!.suspect(node);
      }
      throw error;
    } finally {
      node.inFlight -= 1;
    }
  }

  /** The less busy of two random nodes: random choice alone would pile requests up on a slow one. */
  #pick(nodes: readonly Node[]): Node | undefined {
    const readable = this.#readable(nodes);
    const first = Math.floor(Math.random() * readable.length);
    const second = Math.floor(Math.random() * (readable.length - 1));
    const a = readable[first];
    const b = readable[second < first ? second : second + 1];
    return a && b && b.inFlight < a.inFlight ? b : a;
  }

  /** The nodes that reads may go to now. */
  #readable(nodes: readonly Node[]): Node[] {
    const ours = nodes.filter((node) => !node.ejected && !node.down && this.#isOurs(node));
    // A node that failed a moment ago is better than none.
    for (const among of [ours.filter((node) => node.responds && !node.mismatched), ours]) {
      const fresh = among.filter(
        ({ role, age }) =>
          age <= this.#maxAgeMs && (role !== 'primary' || this.#readFrom === 'all'),
      );
      if (fresh.length > 0) return fresh;
      const primaries = among.filter(({ role }) => role === 'primary');
      if (primaries.length > 0) return primaries;
      const freshest = Math.max(...among.map(({ asOf }) => asOf));
      // The last probes before the primary was lost do not say more exactly which replica is fresher.
      const alike = among.filter(({ asOf }) => asOf === freshest || asOf > freshest - alikeMs);
      if (alike.length > 0) return alike;
    }
    return [];
  }

  /** Without a primary, a replica cannot be compared, and is used as it is. */
  #isOurs({ history, role }: Node): boolean {
    return history === 'ours' || (history === 'unknown' && (role === 'unknown' || !this.primary));
  }

  #authority(): Authority {
    const primaryOrFreshest = (nodes: readonly Node[]): Node | undefined => {
      const ours = nodes.filter((node) => !node.ejected && !node.down && this.#isOurs(node));
      return ours.toSorted((a, b) => a.age - b.age)[0];
    };
    return {
      lookups: {
        query: (statement, values, signal) =>
          this.#try(
            primaryOrFreshest,
            ({ database }) => database.lookups.query(statement, values, signal),
            (error) => isNodesFault(error, true),
          ),
      },
      writes: this.#onPrimary('writes'),
      upkeep: this.#onPrimary('upkeep'),
      audit: this.#onPrimary('audit'),
    };
  }

  #onPrimary(lane: 'writes' | 'upkeep' | 'audit'): Queries {
    return {
      query: async (statement, values, signal) => {
        const { primary } = this;
        if (!primary) throw new DatabaseUnavailableError();
        return this.#run(primary, ({ database }) =>
          database[lane].query(statement, values, signal),
        );
      },
    };
  }

  async close(): Promise<void> {
    this.#watch?.close();
    await Promise.all(this.all.map(({ database }) => database.close()));
  }
}

const hasFreeSlot = ({ database }: Node, lane: string): boolean =>
  database.lanes.some(({ name, slots }) => name === lane && slots.taken < slots.size);

function isNodesFault(error: unknown, retryTimeouts: boolean): boolean {
  return (
    error instanceof DatabaseUnavailableError ||
    // A replica may not know yet that an order was added.
    error instanceof OrderOffError ||
    (error instanceof DatabaseMismatchError && !(error instanceof UnloggedWritesError)) ||
    (retryTimeouts && error instanceof QueryTimeoutError)
  );
}
