/** What a list answers in a snapshot of the caller's own, put together from its parts. */
import type { CustomerList } from '../../src/customers/list.ts';
import {
  type ListQuery,
  narrowed,
  type RunStatement,
  sorted,
  type Terms,
  type TimelineQuery,
} from '@clientele/directory';
import type { PageRange } from '../../src/responses/list-body.ts';
import type { FoundPage } from '../../src/maps/find-page.ts';
import { readFirstRows } from '../../src/maps/first-rows.ts';
import { totalOf } from '../../src/maps/rows-first.ts';
import type { Timeline } from '../../src/maps/timeline.ts';

type Searched = Pick<ListQuery, 'search' | 'filters' | 'sort'>;

async function termsOf(
  { searches }: CustomerList,
  { search, sort, filters }: Searched,
  signal: AbortSignal,
): Promise<Terms> {
  const terms = await searches.read(search, signal);
  if (terms.kind === 'customer') throw new Error('a search for an identifier has no map');
  return narrowed(sorted(terms, sort), filters);
}

const rangeOf = ({ page, perPage }: ListQuery): PageRange => ({
  offset: (page - 1) * perPage,
  limit: perPage,
});

/** Undefined when the map does not fit the snapshot. */
export async function pageWithin(
  list: CustomerList,
  run: RunStatement,
  query: ListQuery,
  signal: AbortSignal,
): Promise<FoundPage | undefined> {
  const { maps } = list;
  const search = await termsOf(list, query, signal);
  const state = await maps.cache.get(search, signal);
  const result = await maps.attemptWithin(run, search, state, rangeOf(query));
  return 'page' in result ? result.page : undefined;
}

/** Undefined when the map does not fit the snapshot. */
export async function timelineWithin(
  list: CustomerList,
  run: RunStatement,
  query: TimelineQuery,
  signal: AbortSignal,
): Promise<Timeline | undefined> {
  const { cache, timelines } = list.maps;
  // A timeline has no order.
  const { search: text, filters } = query;
  const search = await termsOf(list, { search: text, ...(filters && { filters }) }, signal);
  const state = await cache.get(search, signal);
  return (
    (await timelines.findAtOnce(run, search, query, state)) ??
    (await timelines.countWithin(run, search, query, state))
  );
}

/** Rows that are sent first, and their total, counted later. */
export async function firstRowsWithin(
  list: CustomerList,
  run: RunStatement,
  query: ListQuery,
  signal: AbortSignal,
) {
  const search = await termsOf(list, query, signal);
  const first = await readFirstRows(
    { query: run, slots: { waiting: 0 } },
    search,
    rangeOf(query),
    signal,
  );
  return first && { ...first, counted: () => totalOf(list.maps, search, first, signal) };
}
