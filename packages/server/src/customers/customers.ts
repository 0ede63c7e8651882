/** Customers, as much of each as the caller may see. */
import type { SortField, WireSuggestion } from '@clientele/contract';
import { OrderOffError } from '../db/errors.ts';
import type { Nodes } from '../db/nodes.ts';
import { AvailableOrders } from './available-orders.ts';
import { followErasures, keepClearingOldText } from './forgetting.ts';
import type { ListQuery, TimelineQuery } from './list-query.ts';
import { keepPublishing } from './maps/publish.ts';
import type { RowsFirst } from './maps/rows-first.ts';
import { MapTally, type Held } from './maps/tally.ts';
import { Masking } from './masking.ts';
import { Suggestions } from './suggestions/suggestions.ts';
import type { View } from './view.ts';
import { ViewedCustomers, type Answer } from './viewed-customers.ts';

/** Once there are masked callers, their maps get this share of the memory for maps. */
const maskedShare = 1 / 3;

export class Customers {
  readonly #nodes: Nodes;
  readonly #mapBytes: number;
  readonly #audited: boolean;
  readonly #full: ViewedCustomers;
  readonly #masking: Masking;
  readonly #orders: AvailableOrders;
  readonly #suggestions: Suggestions;
  /** Created for the first masked caller. */
  #masked: ViewedCustomers | undefined;
  #upkeep: ((customers: ViewedCustomers) => Promise<void>) | undefined;
  readonly tally = new MapTally();

  /** `audited`: whether every read is followed by a commit of the audit. */
  constructor(nodes: Nodes, mapBytes: number, audited = false) {
    this.#nodes = nodes;
    this.#mapBytes = mapBytes;
    this.#audited = audited;
    this.#full = this.#viewed('full', mapBytes);
    this.#masking = new Masking(nodes.authority.lookups);
    this.#orders = new AvailableOrders(nodes.authority.lookups);
    this.#suggestions = new Suggestions(nodes.authority.upkeep);
  }

  /**
   * The response body of a list. Identical requests that wait at the same time get the same bytes. With `rowsFirst`, in
   * two pieces where the search has to be counted first.
   */
  async page(
    query: ListQuery,
    view: View,
    signal: AbortSignal,
    rowsFirst = false,
  ): Promise<Answer<Buffer | RowsFirst>> {
    await this.#orders.expect(query.sort);
    const customers = view === 'full' ? this.#full : await this.#maskedCustomers();
    try {
      return await customers.page(query, signal, rowsFirst);
    } catch (error) {
      if (error instanceof OrderOffError) await this.#orders.expectStill(query.sort);
      throw error;
    }
  }

  /** What lists can be sorted by, as far as that is known now. */
  async sortFields(): Promise<SortField[]> {
    return ['created_at', ...(await this.#orders.read().catch(() => []))];
  }

  /** The response body of a timeline. */
  async timeline(query: TimelineQuery, view: View, signal: AbortSignal): Promise<Answer<Buffer>> {
    const customers = view === 'full' ? this.#full : await this.#maskedCustomers();
    return customers.timeline(query, signal);
  }

  /** Undefined for anything that is not the identifier of a customer. */
  async find(id: string, view: View, signal: AbortSignal): Promise<Answer<string | undefined>> {
    const customers = view === 'full' ? this.#full : await this.#maskedCustomers();
    return customers.find(id, signal);
  }

  /** Searches to try instead of one that matches nobody. */
  async suggest(
    search: string,
    view: View,
    signal: AbortSignal,
  ): Promise<Answer<WireSuggestion[]>> {
    const customers = view === 'full' ? this.#full : await this.#maskedCustomers();
    return customers.suggest(this.#suggestions, search, signal);
  }

  /** Of all views and nodes. */
  get held(): Held {
    const sum = { searches: 0, bytes: 0, limitBytes: 0, evictions: 0 };
    for (const held of [this.#full.held, this.#masked?.held ?? []].flat()) {
      sum.searches += held.searches;
      sum.bytes += held.bytes;
      sum.limitBytes += held.limitBytes;
      sum.evictions += held.evictions;
    }
    return sum;
  }

  /** Whether the connections to every node have just been found to reach different databases. */
  get mismatched(): boolean {
    return this.#full.mismatched;
  }

  /** Keeps the maps of every node ready until the signal fires. */
  async upkeep(warmUp: boolean, signal: AbortSignal): Promise<void> {
    this.#upkeep = (customers) => customers.upkeep(warmUp, signal);
    // Without an answer, the first masked caller starts it.
    const masked = this.#maskedCustomers().catch(() => undefined);
    await Promise.all([
      this.#upkeep(this.#full),
      masked,
      keepPublishing(this.#nodes, signal),
      followErasures(this.#nodes, this, signal),
      keepClearingOldText(this.#nodes, signal),
      this.#suggestions.upkeep(signal),
    ]);
  }

  /** Brings all maps past what was erased, so that the log can lose the text of it. */
  async catchUp(signal: AbortSignal): Promise<void> {
    await this.#full.catchUp(signal);
    await this.#masked?.catchUp(signal);
  }

  /** Drops everything that may be about one person. */
  forget(): void {
    this.#full.forget();
    this.#masked?.forget();
    this.#suggestions.forget();
    // RegExp.input and its like keep the text that was matched last.
    /./.exec('-');
  }

  async #maskedCustomers(): Promise<ViewedCustomers> {
    await this.#masking.expectReady();
    if (!this.#masked) {
      const bytes = maskedShare * this.#mapBytes;
      this.#full.mapBytes = this.#mapBytes - bytes;
      this.#masked = this.#viewed('masked', bytes);
      void this.#upkeep?.(this.#masked);
    }
    return this.#masked;
  }

  #viewed(view: View, mapBytes: number): ViewedCustomers {
    const { tally } = this;
    return new ViewedCustomers(this.#nodes, { view, mapBytes, tally, audited: this.#audited });
  }
}
