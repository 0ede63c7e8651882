/** The list: any page of any search, and the exact total, from one snapshot. */
import type { WireCustomer } from '@clientele/contract';
import type { ReadLanes } from '../db/database.ts';
import { passes, type Filters } from './filters.ts';
import { queryKey, timelineKey, type ListQuery, type TimelineQuery } from './list-query.ts';
import { CustomerLookup } from './lookup.ts';
import type { PageRange } from './maps/find-page.ts';
import { listBody } from './maps/list-body.ts';
import { PageMaps } from './maps/page-maps.ts';
import { findRowsFirst, mayComeFirst, type RowsFirst } from './maps/rows-first.ts';
import { SharedMaps } from './maps/shared-maps.ts';
import type { Held, MapTally } from './maps/tally.ts';
import { timelineOfInstants, type Timeline } from './maps/timeline.ts';
import { catchUp, keepMapsReady, type UpkeepOptions } from './maps/upkeep.ts';
import { RequestCoalescer } from './request-coalescer.ts';
import { narrowed, SearchReader, sorted, type Terms } from './search.ts';
import type { View } from './view.ts';

export class CustomerList {
  readonly searches: SearchReader;
  readonly maps: PageMaps;
  readonly #lookup: CustomerLookup;
  readonly #tally: MapTally;
  readonly #view: View;
  readonly #requests = new RequestCoalescer<Buffer>();
  readonly #rowsFirst = new RequestCoalescer<Buffer | RowsFirst>();
  readonly #timelines = new RequestCoalescer<Buffer>();

  /** Lists on other nodes of the same cluster are given the same `shared`. */
  constructor(
    database: ReadLanes,
    mapBytes: number,
    shared = new SharedMaps(),
    view: View = 'full',
  ) {
    this.#lookup = new CustomerLookup(database.lookups, view);
    this.searches = new SearchReader(database.rows, view);
    this.maps = new PageMaps(database, mapBytes, shared, view);
    this.#tally = shared.tally;
    this.#view = view;
  }

  get held(): Held {
    return this.maps.held;
  }

  set mapBytes(bytes: number) {
    this.maps.maxBytes = bytes;
  }

  /** Whether the connections have just been found to reach different databases. */
  get mismatched(): boolean {
    return this.maps.mismatched;
  }

  /** Keeps the maps ready until the signal fires. */
  upkeep(options: Omit<UpkeepOptions, 'searches'>): Promise<void> {
    return keepMapsReady(this.maps, { ...options, searches: this.searches });
  }

  /** Brings the maps past all entries of the log. */
  catchUp(signal: AbortSignal): Promise<void> {
    return catchUp(this.maps, signal);
  }

  /** Drops pages, and searches that may be about one person. */
  forget(): void {
    this.searches.forget();
    this.maps.forget();
  }

  /** The response body. Identical requests that wait at the same time get the same bytes. */
  page(query: ListQuery, signal: AbortSignal): Promise<Buffer> {
    return this.#requests.join(queryKey(query), signal, (wanted) => this.read(query, wanted));
  }

  /** The same in two pieces where the search has to be counted first, and that takes longer than reading the rows. */
  open(query: ListQuery, signal: AbortSignal): Promise<Buffer | RowsFirst> {
    return this.#rowsFirst.join(queryKey(query), signal, (wanted) => this.readFirst(query, wanted));
  }

  /** The same, read for this caller alone. */
  async readFirst(query: ListQuery, signal: AbortSignal): Promise<Buffer | RowsFirst> {
    const search = await this.searches.read(query.search, signal);
    if (search.kind === 'customer') return this.#readOne(search.uuid, query, signal);
    const [listed, range] = [listedBy(search, query), rangeOf(query)];
    const isCold = mayComeFirst(range) && this.maps.isCold(listed);
    const found = isCold
      ? await findRowsFirst(this.maps, listed, range, signal)
      : await this.maps.findPage(listed, range, signal);
    this.#tally.answers['rows' in found ? 'cold_count' : found.source] += 1;
    return 'rows' in found ? found : found.body;
  }

  /** The response body, read for this caller alone. */
  async read(query: ListQuery, signal: AbortSignal): Promise<Buffer> {
    const search = await this.searches.read(query.search, signal);
    if (search.kind === 'customer') return this.#readOne(search.uuid, query, signal);
    const found = await this.maps.findPage(listedBy(search, query), rangeOf(query), signal);
    this.#tally.answers[found.source] += 1;
    return found.body;
  }

  /** The list of one customer, or of nobody. */
  async #readOne(uuid: string, query: ListQuery, signal: AbortSignal): Promise<Buffer> {
    const found = await this.#lookup.find(uuid, signal);
    const customer = found && isListed(found, query.filters) ? found : undefined;
    this.#tally.answers.lookup += 1;
    const customers = query.page === 1 ? (customer ?? '') : '';
    return listBody(rangeOf(query), { customers, total: customer ? 1 : 0 }, this.#view);
  }

  /** The exact number of matches. */
  async count(text: string, signal: AbortSignal): Promise<number> {
    const search = await this.#readTerms(text, signal);
    return (await this.maps.findPage(search, { offset: 0, limit: 1 }, signal)).total;
  }

  /** The same by a cached map. Undefined if there is none. */
  async countKnown(text: string, signal: AbortSignal): Promise<number | undefined> {
    const search = await this.#readTerms(text, signal);
    return this.maps.isCounted(search) ? this.count(text, signal) : undefined;
  }

  async #readTerms(text: string, signal: AbortSignal): Promise<Terms> {
    const search = await this.searches.read(text, signal);
    if (search.kind === 'customer') throw new Error('a search for an identifier has no map');
    return search;
  }

  /** When the customers of a list joined, as a response body. */
  timeline(query: TimelineQuery, signal: AbortSignal): Promise<Buffer> {
    return this.#timelines.join(timelineKey(query), signal, (wanted) =>
      this.readTimeline(query, wanted),
    );
  }

  /** The same, read for this caller alone. */
  async readTimeline(query: TimelineQuery, signal: AbortSignal): Promise<Buffer> {
    const search = await this.searches.read(query.search, signal);
    const data =
      search.kind === 'terms'
        ? await this.maps.timeline(narrowed(search, query.filters), query, signal)
        : await this.#timelineOf(search.uuid, query, signal);
    return Buffer.from(JSON.stringify({ data }));
  }

  /** Of one customer, or of nobody. */
  async #timelineOf(uuid: string, query: TimelineQuery, signal: AbortSignal): Promise<Timeline> {
    const found = await this.#lookup.find(uuid, signal);
    const customer = found === undefined ? undefined : (JSON.parse(found) as WireCustomer);
    const isListed = customer && (!query.filters || passes(customer, query.filters));
    return timelineOfInstants(isListed ? [Date.parse(customer.created_at)] : [], query);
  }
}

const listedBy = (search: Terms, { filters, sort }: ListQuery): Terms =>
  narrowed(sorted(search, sort), filters);

/** Whether a customer, as JSON, passes the filters. */
const isListed = (customer: string, filters: Filters | undefined): boolean =>
  !filters || passes(JSON.parse(customer) as WireCustomer, filters);

const rangeOf = ({ page, perPage }: ListQuery): PageRange => ({
  offset: (page - 1) * perPage,
  limit: perPage,
});
