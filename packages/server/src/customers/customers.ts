/** Customers, from whichever node answers. */
import type { Node, Nodes } from '../db/nodes.ts';
import type { ListQuery } from './list-query.ts';
import { CustomerList } from './list.ts';
import { CustomerLookup } from './lookup.ts';
import { SharedMaps } from './maps/shared-maps.ts';
import type { Held, MapTally } from './maps/tally.ts';
import { RequestCoalescer } from './request-coalescer.ts';

export interface Answer<T> {
  content: T;
  /** How old the data may have been when it was read, in milliseconds. Always zero with one node. */
  age: number;
}

/** What is kept for each node: page maps and batches belong to one. */
interface Reader {
  list: CustomerList;
  lookup: CustomerLookup;
}

export class Customers {
  readonly #nodes: Nodes;
  readonly #readers: Map<Node, Reader>;
  readonly #only: Reader | undefined;
  readonly #requests = new RequestCoalescer<Answer<Buffer>>();
  readonly tally: MapTally;

  /** The bytes are shared by the page maps of all nodes. */
  constructor(nodes: Nodes, mapBytes: number) {
    this.#nodes = nodes;
    const shared = new SharedMaps((database) =>
      nodes.usable.map((node) => node.database).filter((other) => other !== database),
    );
    this.tally = shared.tally;
    this.#readers = new Map(
      nodes.all.map((node) => [
        node,
        {
          list: new CustomerList(node.database, mapBytes / nodes.all.length, shared),
          lookup: new CustomerLookup(node.database.lookups),
        },
      ]),
    );
    this.#only = nodes.all.length === 1 ? this.#readers.get(nodes.all[0]!) : undefined;
  }

  /** The response body of a list. Identical requests that wait at the same time get the same bytes. */
  async page(query: ListQuery, signal: AbortSignal): Promise<Answer<Buffer>> {
    if (this.#only) return { content: await this.#only.list.page(query, signal), age: 0 };
    const { page, perPage, search } = query;
    return this.#requests.join(`${page} ${perPage} ${search}`, signal, (wanted) =>
      this.#nodes.answer((node) => this.#dated(node, ({ list }) => list.read(query, wanted))),
    );
  }

  /** Undefined for anything that is not the identifier of a customer. */
  async find(id: string, signal: AbortSignal): Promise<Answer<string | undefined>> {
    const answer = this.#only
      ? { content: await this.#only.lookup.find(id, signal), age: 0 }
      : await this.#nodes.answer(
          (node) => this.#dated(node, ({ lookup }) => lookup.find(id, signal)),
          { retryTimeouts: true },
        );
    this.tally.answers.lookup += 1;
    return answer;
  }

  /** Of all nodes. */
  get held(): Held {
    const sum = { searches: 0, bytes: 0, limitBytes: 0, evictions: 0 };
    for (const { list } of this.#readers.values()) {
      const { searches, bytes, limitBytes, evictions } = list.held;
      sum.searches += searches;
      sum.bytes += bytes;
      sum.limitBytes += limitBytes;
      sum.evictions += evictions;
    }
    return sum;
  }

  /** Whether the connections to every node have just been found to reach different databases. */
  get mismatched(): boolean {
    return [...this.#readers.values()].every(({ list }) => list.mismatched);
  }

  /** Keeps the maps of every node ready until the signal fires. */
  async upkeep(warmUp: boolean, signal: AbortSignal): Promise<void> {
    await Promise.all(
      Array.from(this.#readers.values(), ({ list }) =>
        list.upkeep({ warmUp, primary: this.#nodes.authority.writes, signal }),
      ),
    );
  }

  /** The age is taken before the data: what the probe learns meanwhile may be about later data. */
  async #dated<T>(node: Node, read: (reader: Reader) => Promise<T>): Promise<Answer<T>> {
    const { age } = node;
    return { content: await read(this.#readers.get(node)!), age };
  }
}
