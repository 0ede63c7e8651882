/** What all queries share: when they are fresh, retried, and replaced by what was shown before. */
import { isApiError } from './errors.ts';
import { shareEqual } from './share-equal.ts';

/** The options that all customer queries share. */
export interface QueryPolicy {
  /** Five minutes. */
  staleTime: number;
  /** In browsers, retries network failures, timeouts and 5xx responses up to three times. */
  retry: (failureCount: number, error: Error) => boolean;
  /** 1, 2, then 4 seconds, or the `Retry-After` of the response if that is longer. */
  retryDelay: (failureCount: number, error: Error) => number;
  /** Rows that are unchanged after a refetch keep their identity, including their dates. */
  structuralSharing: (previous: unknown, next: unknown) => unknown;
}

/** Data to show until the requested data arrives. */
export type Placeholder<Data> = (
  previous: Data | undefined,
  previousQuery: { queryKey: readonly unknown[] } | undefined,
) => Data | undefined;

/** In seconds. A longer `Retry-After` is reported to the user instead of waited out. */
const longestWait = 30;

export const policy: QueryPolicy = {
  staleTime: 5 * 60 * 1000,
  structuralSharing: shareEqual,

  // TanStack Query's own default: three times in a browser, never while rendering on a server.
  retry(failureCount, error) {
    if (failureCount >= 3 || typeof window === 'undefined') return false;
    if (isApiError(error)) return error.status >= 500 && (error.retryAfter ?? 0) <= longestWait;
    // What `fetch` throws without a network, and for an `AbortSignal.timeout`.
    return error.name === 'TypeError' || error.name === 'TimeoutError';
  },

  retryDelay(failureCount, error) {
    const retryAfter = isApiError(error) ? (error.retryAfter ?? 0) : 0;
    return 1000 * Math.max(retryAfter, Math.min(2 ** failureCount, longestWait));
  },
};

/**
 * What was shown before, if its key differs in the third element only. A new function each time: given the
 * same one, TanStack would reuse the previous placeholder.
 */
export function placeholderFor<Data>(queryKey: readonly unknown[]): Placeholder<Data> {
  const rest = (key: readonly unknown[]) => JSON.stringify(key.slice(3));
  return (previous, query) =>
    query && rest(query.queryKey) === rest(queryKey) ? previous : undefined;
}
