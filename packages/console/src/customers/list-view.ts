/**
 * Decides what the list may show: rows and numbers belong to the search in the field, or they are
 * marked as the previous one's. A pure function of these inputs, so every state can be tested.
 */
import { isApiError } from '@clientele/client';
import { listKey, type Filters } from '../filters.ts';
import { retryAt } from '../ui/explain.ts';
import type { ShownList } from './shown-list.ts';

/** One page of one search with some filters. */
export interface ListRequest {
  search: string;
  filters: Filters;
  page: number;
  perPage: number;
}

export interface ListInputs {
  /** What the search field asks for. It differs from `requested` until typing pauses. */
  wanted: ListRequest;
  /** What the address asks for. */
  requested: ListRequest;
  /** The answer to `requested`, if it has arrived. */
  answer: ShownList | undefined;
  /** Its rows, if they have arrived before their total. */
  first: ShownList | undefined;
  /** The last answer before it. */
  previous: ShownList | undefined;
  /** The state of `requested`. A request that is retried has failures before it has an error. */
  query: {
    isPaused: boolean;
    failures: number;
    error: Error | null;
    failedAt: number;
  };
  isOnline: boolean;
  /** The server accepts no request yet. */
  isBlocked: boolean;
  /** How long the user has been waiting, in milliseconds. */
  waitedMs: number;
}

export interface ListView {
  /** The rows on screen. */
  rows: ShownList | undefined;
  /** How the rows differ from the wanted ones: by their search or filters, or only by their page. */
  previous: 'search' | 'page' | null;
  /** Placeholders instead of rows. */
  skeleton: boolean;
  /** The number of matches and pages of the wanted search, once they are known. */
  total: number | undefined;
  pageCount: number | undefined;
  /** The last page to which one can turn: while counting, at most the next one. Undefined while another search loads. */
  lastPage: number | undefined;
  /** The rows are the wanted ones, and nobody knows yet how many there are. */
  isCounting: boolean;
  canExport: boolean;
  loading: 'loading' | 'slow' | 'retrying' | null;
  /** Why there are no rows or, if there are, why they could not be refreshed. */
  problem: 'offline' | Error | null;
  /** When the server accepts the next request, like `Date.now()`; 0 if it set no time. */
  retryAt: number;
}

/** A shorter wait shows no loading sign, which would flicker. */
export const noticeableMs = 150;
export const slowMs = 1_500;

/** The service sends no later row before the total: docs/api.md. */
const lastFirstRow = 500;

const nothing: ListView = {
  rows: undefined,
  previous: null,
  skeleton: false,
  total: undefined,
  pageCount: undefined,
  lastPage: undefined,
  isCounting: false,
  canExport: false,
  loading: null,
  problem: null,
  retryAt: 0,
};

export function listView(inputs: ListInputs): ListView {
  const { wanted, requested, query, isOnline } = inputs;
  const isSent = differenceOf(requested, wanted) === null;
  // What is typed while the server refuses requests is not sent, and the refusal stays on screen.
  const error = isSent || inputs.isBlocked ? query.error : null;
  // Signed out: the sign-in page replaces the list, and no customer stays on screen until then.
  if (isApiError(error) && error.status === 401) return nothing;

  const rows = inputs.answer ?? inputs.first ?? inputs.previous;
  const previous = rows ? differenceOf(requestOf(rows), wanted) : null;
  const isMissing = !rows || previous !== null;
  const isOffline = !isOnline || (isSent && query.isPaused);
  const problem = isMissing && isOffline ? 'offline' : error;
  const retry = error ? retryAt(error, query.failedAt) : 0;
  if (isMissing && problem) return { ...nothing, problem, retryAt: retry };

  const loading = loadingSign(inputs.waitedMs, isSent ? query.failures : 0);
  const total = previous === 'search' ? undefined : rows?.total;
  const pageCount = total === undefined ? undefined : Math.ceil(total / wanted.perPage);
  return {
    rows,
    previous,
    skeleton: !rows && loading !== null,
    total,
    pageCount,
    lastPage: pageCount ?? (previous === 'search' ? undefined : lastUncounted(wanted, rows)),
    isCounting: !isMissing && total === undefined && !error,
    canExport: !isMissing && total !== undefined && total > 0,
    loading,
    problem,
    retryAt: retry,
  };
}

const requestOf = ({ searchText, filters, page, perPage }: ShownList): ListRequest => ({
  search: searchText,
  filters,
  page,
  perPage,
});

function differenceOf(one: ListRequest, other: ListRequest): ListView['previous'] {
  if (listKey(one) !== listKey(other)) return 'search';
  return one.page === other.page && one.perPage === other.perPage ? null : 'page';
}

/** The next page, if the rows fill theirs and it would come before its total as well. */
function lastUncounted({ page, perPage }: ListRequest, rows: ShownList | undefined) {
  const isFull = rows?.page === page && rows.items.length === perPage;
  return isFull && (page + 1) * perPage <= lastFirstRow ? page + 1 : rows && page;
}

function loadingSign(waitedMs: number, failures: number): ListView['loading'] {
  if (waitedMs < noticeableMs) return null;
  if (failures > 0) return 'retrying';
  return waitedMs < slowMs ? 'loading' : 'slow';
}
