/** What one node answers about customers, in one view: lists, lookups and timelines. */
import type { WireCustomer } from '@clientele/contract';
import {
  type Filters,
  hiddenMember,
  type ListQuery,
  narrowed,
  passes,
  type ReadLanes,
  SearchReader,
  sorted,
  type Terms,
  type TimelineQuery,
  uuidBytes,
  type View,
} from '@clientele/directory';
import {
  listBody,
  nobody,
  type Content,
  type PageRange,
  type RowsFirst,
} from '../responses/list-body.ts';
import { CustomerLookup } from './lookup.ts';
import { PageMaps, type PageMapsOptions } from '../maps/page-maps.ts';
import { MapTally } from '../responses/tally.ts';

export class CustomerList {
  readonly searches: SearchReader;
  readonly maps: PageMaps;
  readonly #lookup: CustomerLookup;
  readonly #view: View;
  readonly #tally: MapTally;

  constructor(database: ReadLanes, mapBytes: number, options: PageMapsOptions = {}) {
    const { view = 'full', tally = new MapTally() } = options;
    this.#lookup = new CustomerLookup(database.lookups, view);
    this.searches = new SearchReader(database.rows, view);
    this.maps = new PageMaps(database, mapBytes, { ...options, tally });
    this.#view = view;
    this.#tally = tally;
  }

  /** Any page of any search, and the exact total, from one snapshot. */
  async page(query: ListQuery, signal: AbortSignal): Promise<Content> {
    const search = await this.searches.read(query.search, signal);
    if (search.kind === 'customer') return this.#readOne(search.uuid, query, signal);
    const found = await this.maps.findPage(listedBy(search, query), rangeOf(query), signal);
    this.#tally.answers[found.source] += 1;
    return found;
  }

  /** The same in two pieces where the search has to be counted first, and that takes longer than reading the rows. */
  async rowsFirst(query: ListQuery, signal: AbortSignal): Promise<Content | RowsFirst> {
    const search = await this.searches.read(query.search, signal);
    if (search.kind === 'customer') return this.#readOne(search.uuid, query, signal);
    const found = await this.maps.findRowsFirst(listedBy(search, query), rangeOf(query), signal);
    this.#tally.answers['rows' in found ? 'cold_count' : found.source] += 1;
    return found;
  }

  /** The list of one customer, or of nobody. */
  async #readOne(uuid: string, query: ListQuery, signal: AbortSignal): Promise<Content> {
    const found = await this.#lookup.find(uuid, signal);
    const customer = found && isListed(found, query.filters) ? found : undefined;
    this.#tally.answers.lookup += 1;
    const total = customer ? 1 : 0;
    const shown = query.page === 1 ? customer : undefined;
    return {
      body: listBody(rangeOf(query), shown ?? '', total, this.#view),
      total,
      shown: shown ? uuidBytes(uuid) : nobody,
    };
  }

  /** One customer. Undefined for anything that is not the identifier of one. */
  async find(id: string, signal: AbortSignal): Promise<Content<string> | undefined> {
    const found = await this.#lookup.find(id, signal);
    this.#tally.answers.lookup += 1;
    if (found === undefined) return undefined;
    const body = `{${hiddenMember[this.#view]}"data":${found}}`;
    return { body, total: 1, shown: uuidBytes(id) };
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

  /** When the customers of a list joined. */
  async timeline(query: TimelineQuery, signal: AbortSignal): Promise<Content> {
    const search = await this.searches.read(query.search, signal);
    const data =
      search.kind === 'terms'
        ? await this.maps.timeline(narrowed(search, query.filters), query, signal)
        : this.maps.timelineOfInstants(await this.#joined(search.uuid, query, signal), query);
    return { body: Buffer.from(JSON.stringify({ data })), total: data.total, shown: nobody };
  }

  /** When one customer joined who passes the filters, or nobody. */
  async #joined(uuid: string, { filters }: TimelineQuery, signal: AbortSignal): Promise<number[]> {
    const found = await this.#lookup.find(uuid, signal);
    const customer = found === undefined ? undefined : (JSON.parse(found) as WireCustomer);
    const isListed = customer && (!filters || passes(customer, filters));
    return isListed ? [Date.parse(customer.created_at)] : [];
  }

  /** Drops pages, and searches that may be about one person. */
  forget(): void {
    this.searches.forget();
    this.maps.forget();
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
