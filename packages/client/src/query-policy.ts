/** What all queries share: when they are fresh, retried, and replaced by what was shown before. */
import { type CustomersError, isApiError } from './errors.ts';
import { shareEqual } from './share-equal.ts';

/** How often a failed request is repeated, as in TanStack Query: `false` for never, a number, or a function. */
export type Retry = boolean | number | ((failureCount: number, error: CustomersError) => boolean);

/** How many milliseconds to wait before a failed request is repeated, as in TanStack Query. */
export type RetryDelay = number | ((failureCount: number, error: CustomersError) => number);

/** The options that all customer queries share. */
export interface QueryPolicy {
  /** In milliseconds. The service's setting, or five minutes. */
  staleTime: number;
  /** The service's setting. Without one, that of the `QueryClient`. See {@link retryDefaults}. */
  retry?: Retry;
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

/** What a service may set for all its queries. */
export interface QuerySettings {
  /** For how many milliseconds data is fresh, and not requested again. Defaults to five minutes. */
  readonly staleTime?: number | undefined;
  /** Which failed requests are repeated. With `false`, none. Defaults to what the `QueryClient` says. */
  readonly retry?: Retry | undefined;
}

export const policyOf = ({ staleTime = 5 * 60 * 1000, retry }: QuerySettings): QueryPolicy => ({
  staleTime,
  // Even as `undefined` it would replace that of the `QueryClient`.
  ...(retry !== undefined && { retry }),
  structuralSharing: shareEqual,
});

/**
 * Which failed requests are repeated where the application does not say: network failures, timeouts and 5xx responses, up
 * to three times in browsers, and nothing on a server. The delays are 1, 2, then 4 seconds, or the `Retry-After` of the
 * response if that is longer. {@link CustomersProvider} sets it for its `QueryClient`.
 *
 * @example
 * queryClient.setQueryDefaults(customerKeys.all, retryDefaults); // without a provider
 */
export const retryDefaults: {
  retry: (failureCount: number, error: CustomersError) => boolean;
  retryDelay: (failureCount: number, error: CustomersError) => number;
} = { retry: mayPass, retryDelay };

/** TanStack Query's own default: three times in a browser, never while rendering on a server. */
function mayPass(failureCount: number, error: CustomersError): boolean {
  if (failureCount >= 3 || typeof window === 'undefined') return false;
  if (isApiError(error)) return error.status >= 500 && (error.retryAfter ?? 0) <= longestWait;
  // What `fetch` throws without a network, and for an `AbortSignal.timeout`.
  return error.name === 'TypeError' || error.name === 'TimeoutError';
}

function retryDelay(failureCount: number, error: CustomersError): number {
  const retryAfter = isApiError(error) ? (error.retryAfter ?? 0) : 0;
  return 1000 * Math.max(retryAfter, Math.min(2 ** failureCount, longestWait));
}

/**
 * What was shown before, if its key differs in the third element only. A new function each time: given the
 * same one, TanStack would reuse the previous placeholder.
 */
export function placeholderFor<Data>(queryKey: readonly unknown[]): Placeholder<Data> {
  const rest = (key: readonly unknown[]) => JSON.stringify(key.slice(3));
  return (previous, query) =>
    query && rest(query.queryKey) === rest(queryKey) ? previous : undefined;
}
