/** Customers, as much of each as the caller may see, from whichever node answers. */
import type { SortField, WireSuggestion } from '@clientele/contract';
import {
  type ListQuery,
  type Node,
  type Nodes,
  OrderOffError,
  queryKey,
  timelineKey,
  type TimelineQuery,
  type View,
} from '@clientele/directory';
import { AvailableOrders } from './available-orders.ts';
import { followErasures, keepClearingOldText } from './forgetting.ts';
import { RowsFirst, type Content } from '../responses/list-body.ts';
import { CustomerList } from './list.ts';
import { Masking } from './masking.ts';
import { keepPublishing } from './publish.ts';
import { RequestCoalescer } from '../responses/request-coalescer.ts';
import { Suggestions } from './suggestions/suggestions.ts';
import { MapTally, type Held } from '../responses/tally.ts';

/** Once there are masked callers, their maps get this share of the memory for maps. */
const maskedShare = 1 / 3;

export interface Dated<T> {
  content: T;
  /** Where the data may be old: everything written by then is included. An ISO 8601 date, or `unknown`. */
  asOf: string | undefined;
}

/** What one view has: nothing is shared with the other. */
interface Viewed {
  /** Page maps and batches belong to one node. */
  lists: Map<Node, CustomerList>;
  pages: RequestCoalescer<Dated<Content | RowsFirst>>;
  timelines: RequestCoalescer<Dated<Content>>;
}

export class Customers {
  readonly tally = new MapTally();
  readonly #nodes: Nodes;
  readonly #mapBytes: number;
  readonly #audited: boolean;
  readonly #masking: Masking;
  readonly #orders: AvailableOrders;
  readonly #suggestions: Suggestions;
  readonly #full: Viewed;
  /** Created for the first masked caller. */
  #masked: Viewed | undefined;
  #upkeep: ((viewed: Viewed) => Promise<unknown>) | undefined;

  /** `audited`: whether every read is followed by a commit of the audit. */
  constructor(nodes: Nodes, mapBytes: number, audited = false) {
    this.#nodes = nodes;
    this.#mapBytes = mapBytes;
    this.#audited = audited;
    this.#full = this.#newView('full', mapBytes);
    this.#masking = new Masking(nodes.authority.lookups);
    this.#orders = new AvailableOrders(nodes.authority.lookups);
    this.#suggestions = new Suggestions(nodes.authority.upkeep);
  }

  /**
   * A page of a list. Identical requests that wait at the same time get the same bytes. With `rowsFirst`, in two pieces
   * where the search has to be counted first.
   */
  async page(
    query: ListQuery,
    view: View,
    signal: AbortSignal,
    rowsFirst = false,
  ): Promise<Dated<Content | RowsFirst>> {
    await this.#orders.expect(query.sort);
    const { lists, pages } = await this.#viewed(view);
    const key = `${rowsFirst} ${queryKey(query)}`;
    const read = (list: CustomerList, wanted: AbortSignal): Promise<Content | RowsFirst> =>
      rowsFirst ? list.rowsFirst(query, wanted) : list.page(query, wanted);
    try {
      return await pages.join(key, signal, (wanted) =>
        this.#nodes.answer(async (node) => {
          const answer = await dated(node, read(lists.get(node)!, wanted));
          if (answer.content instanceof RowsFirst) this.#nodes.finish(node, answer.content.ended);
          return answer;
        }),
      );
    } catch (error) {
      if (error instanceof OrderOffError) await this.#orders.expectStill(query.sort);
      throw error;
    }
  }

  /** What lists can be sorted by, as far as that is known now. */
  async sortFields(): Promise<SortField[]> {
    return ['created_at', ...(await this.#orders.read().catch(() => []))];
  }

  /** When the customers of a list joined. */
  async timeline(query: TimelineQuery, view: View, signal: AbortSignal): Promise<Dated<Content>> {
    const { lists, timelines } = await this.#viewed(view);
    return timelines.join(timelineKey(query), signal, (wanted) =>
      this.#nodes.answer((node) => dated(node, lists.get(node)!.timeline(query, wanted))),
    );
  }

  /** One customer. Undefined for anything that is not the identifier of one. */
  async find(
    id: string,
    view: View,
    signal: AbortSignal,
  ): Promise<Dated<Content<string> | undefined>> {
    const { lists } = await this.#viewed(view);
    return this.#nodes.answer((node) => dated(node, lists.get(node)!.find(id, signal)), {
      retryTimeouts: true,
    });
  }

  /** Searches to try instead of one that matches nobody. One node counts them all. */
  async suggest(search: string, view: View, signal: AbortSignal): Promise<Dated<WireSuggestion[]>> {
    const { lists } = await this.#viewed(view);
    return this.#nodes.answer((node) => {
      const list = lists.get(node)!;
      const counts = {
        count: (text: string) => list.count(text, signal),
        countKnown: (text: string) => list.countKnown(text, signal),
      };
      return dated(node, this.#suggestions.suggest(search, counts));
    });
  }

  /** Of all views and nodes. */
  get held(): Held {
    const sum = { searches: 0, bytes: 0, limitBytes: 0, evictions: 0 };
    for (const { maps } of this.#all) {
      const { held } = maps;
      sum.searches += held.searches;
      sum.bytes += held.bytes;
      sum.limitBytes += held.limitBytes;
      sum.evictions += held.evictions;
    }
    return sum;
  }

  /** Whether the connections to every node have just been found to reach different databases. */
  get mismatched(): boolean {
    return [...this.#full.lists.values()].every(({ maps }) => maps.mismatched);
  }

  /** Keeps the maps of every node ready until the signal fires. */
  async upkeep(warmUp: boolean, signal: AbortSignal): Promise<void> {
    const primary = this.#nodes.authority.writes;
    this.#upkeep = ({ lists }) =>
      Promise.all(
        Array.from(lists.values(), ({ maps, searches }) =>
          maps.upkeep({ warmUp, primary, searches, signal }),
        ),
      );
    // Without an answer, the first masked caller starts it.
    const masked = this.#viewed('masked').catch(() => undefined);
    await Promise.all([
      this.#upkeep(this.#full),
      masked,
      keepPublishing(this.#nodes, signal),
      followErasures(this.#nodes, this, signal),
      keepClearingOldText(this.#nodes, signal),
      this.#suggestions.upkeep(signal),
    ]);
  }

  /**
   * Brings all maps past what was erased, so that the log can lose the text of it. A node that fails counts again,
   * later.
   */
  async catchUp(signal: AbortSignal): Promise<void> {
    await Promise.allSettled(this.#all.map(({ maps }) => maps.catchUp(signal)));
  }

  /** Drops everything that may be about one person. */
  forget(): void {
    for (const list of this.#all) list.forget();
    this.#suggestions.forget();
    // RegExp.input and its like keep the text that was matched last.
    /./.exec('-');
  }

  get #all(): CustomerList[] {
    return [this.#full, this.#masked].flatMap((viewed) => [...(viewed?.lists.values() ?? [])]);
  }

  /** @throws {ProblemError} `masking-not-ready` */
  async #viewed(view: View): Promise<Viewed> {
    if (view === 'full') return this.#full;
    await this.#masking.expectReady();
    if (!this.#masked) {
      const bytes = maskedShare * this.#mapBytes;
      const { lists } = this.#full;
      const left = (this.#mapBytes - bytes) / lists.size;
      for (const { maps } of lists.values()) maps.maxBytes = left;
      this.#masked = this.#newView('masked', bytes);
      void this.#upkeep?.(this.#masked);
    }
    return this.#masked;
  }

  /** Its lists share the memory, and what one of them has counted. */
  #newView(view: View, mapBytes: number): Viewed {
    const options = { view, tally: this.tally, audited: this.#audited };
    const nodes = this.#nodes.all;
    const lists = new Map<Node, CustomerList>();
    let beside: CustomerList['maps'] | undefined;
    for (const node of nodes) {
      const lanes = view === 'full' ? node.database : node.database.masked;
      const list = new CustomerList(lanes, mapBytes / nodes.length, { ...options, beside });
      lists.set(node, list);
      beside = list.maps;
    }
    return { lists, pages: new RequestCoalescer(), timelines: new RequestCoalescer() };
  }
}

/** Data may be this old, in milliseconds, without the response saying so. */
const unremarkableAge = 2_000;

/** The age is taken before the data: what the probe learns meanwhile may be about later data. */
function dated<T>({ age }: Node, reading: Promise<T>): Promise<Dated<T>> {
  const asOf = age > unremarkableAge ? instant(age) : undefined;
  return reading.then((content) => ({ content, asOf }));
}

const instant = (age: number): string =>
  Number.isFinite(age) ? new Date(Date.now() - age).toISOString() : 'unknown';
