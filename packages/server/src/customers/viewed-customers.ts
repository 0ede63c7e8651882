/** Customers as one view shows them, from whichever node answers. Nothing is shared with other views. */
import type { WireSuggestion } from '@clientele/contract';
import type { Node, Nodes } from '../db/nodes.ts';
import { queryKey, type ListQuery, type TimelineQuery } from './list-query.ts';
import { CustomerList } from './list.ts';
import { CustomerLookup } from './lookup.ts';
import { RowsFirst } from './maps/rows-first.ts';
import { SharedMaps } from './maps/shared-maps.ts';
import type { Held, MapTally } from './maps/tally.ts';
import { RequestCoalescer } from './request-coalescer.ts';
import type { Suggestions } from './suggestions/suggestions.ts';
import type { View } from './view.ts';

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

export interface ViewedOptions {
  view: View;
  /** Shared by the page maps of all nodes. */
  mapBytes: number;
  tally: MapTally;
  /** Whether every read is followed by a commit of the audit. */
  audited: boolean;
}

export class ViewedCustomers {
  readonly #nodes: Nodes;
  readonly #readers: Map<Node, Reader>;
  readonly #only: Reader | undefined;
  readonly #requests = new RequestCoalescer<Answer<Buffer | RowsFirst>>();
  readonly #tally: MapTally;

  constructor(nodes: Nodes, { view, mapBytes, tally, audited }: ViewedOptions) {
    this.#nodes = nodes;
    this.#tally = tally;
    const lanesOf = ({ database }: Node) => (view === 'full' ? database : database.masked);
    const shared = new SharedMaps({ tally, audited });
    const each = mapBytes / nodes.all.length;
    this.#readers = new Map(
      nodes.all.map((node) => [
        node,
        {
          list: new CustomerList(lanesOf(node), each, shared, view),
          lookup: new CustomerLookup(lanesOf(node).lookups, view),
        },
      ]),
    );
    this.#only = nodes.all.length === 1 ? this.#readers.get(nodes.all[0]!) : undefined;
  }

  /** The response body of a list. Identical requests that wait at the same time get the same bytes. */
  async page(
    query: ListQuery,
    signal: AbortSignal,
    rowsFirst: boolean,
  ): Promise<Answer<Buffer | RowsFirst>> {
    if (this.#only) {
      const { list } = this.#only;
      const content = await (rowsFirst ? list.open(query, signal) : list.page(query, signal));
      return { content, age: 0 };
    }
    const read = (list: CustomerList, wanted: AbortSignal): Promise<Buffer | RowsFirst> =>
      rowsFirst ? list.readFirst(query, wanted) : list.read(query, wanted);
    return this.#requests.join(`${rowsFirst} ${queryKey(query)}`, signal, (wanted) =>
      this.#nodes.answer(async (node) => {
        const answer = await this.#dated(node, ({ list }) => read(list, wanted));
        if (answer.content instanceof RowsFirst) this.#nodes.finish(node, answer.content.ended);
        return answer;
      }),
    );
  }

  /** The response body of a timeline. */
  async timeline(query: TimelineQuery, signal: AbortSignal): Promise<Answer<Buffer>> {
    if (this.#only) return { content: await this.#only.list.timeline(query, signal), age: 0 };
    return this.#nodes.answer((node) =>
      this.#dated(node, ({ list }) => list.timeline(query, signal)),
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
    this.#tally.answers.lookup += 1;
    return answer;
  }

  /** One node counts them all. */
  async suggest(
    suggestions: Suggestions,
    search: string,
    signal: AbortSignal,
  ): Promise<Answer<WireSuggestion[]>> {
    const suggest = ({ list }: Reader) =>
      suggestions.suggest(search, {
        count: (text) => list.count(text, signal),
        countKnown: (text) => list.countKnown(text, signal),
      });
    if (this.#only) return { content: await suggest(this.#only), age: 0 };
    return this.#nodes.answer((node) => this.#dated(node, suggest));
  }

  /** Of each node. */
  get held(): Held[] {
    return Array.from(this.#readers.values(), ({ list }) => list.held);
  }

  /** How many bytes the maps of all nodes may have from now on. */
  set mapBytes(bytes: number) {
    for (const { list } of this.#readers.values()) list.mapBytes = bytes / this.#readers.size;
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

  /** Brings the maps of every node past all entries of the log. A node that fails counts again, later. */
  async catchUp(signal: AbortSignal): Promise<void> {
    const readers = [...this.#readers.values()];
    await Promise.allSettled(readers.map(({ list }) => list.catchUp(signal)));
  }

  /** Drops pages, and searches that may be about one person. */
  forget(): void {
    for (const { list } of this.#readers.values()) list.forget();
  }

  /** The age is taken before the data: what the probe learns meanwhile may be about later data. */
  async #dated<T>(node: Node, read: (reader: Reader) => Promise<T>): Promise<Answer<T>> {
    const { age } = node;
    return { content: await read(this.#readers.get(node)!), age };
  }
}
