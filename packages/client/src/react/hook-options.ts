import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { CustomersError } from '../errors.ts';
import type { QueryPolicy, QuerySettings, RetryDelay } from '../query-policy.ts';
import type { CustomersService } from '../service.ts';
import { useCustomersService } from './provider.ts';

/**
 * Options of TanStack Query that the Suspense hooks pass on. Those that are not set have the value of the service, then
 * that of the `QueryClient`; `staleTime` has that of the service, or five minutes.
 */
export interface SuspenseHookOptions extends QuerySettings {
  /** How many milliseconds to wait before a failed request is repeated. */
  retryDelay?: RetryDelay | undefined;
  /** How many milliseconds unused data stays in the cache. */
  gcTime?: number | undefined;
  /** Requests the data again every so many milliseconds. */
  refetchInterval?: number | false | undefined;
  /** Does so as well while the window has no focus. */
  refetchIntervalInBackground?: boolean | undefined;
  /** Whether data that is no longer fresh is requested again when a component mounts. */
  refetchOnMount?: boolean | 'always' | undefined;
  /** The same, when the window gets the focus. */
  refetchOnWindowFocus?: boolean | 'always' | undefined;
  /** The same, when the network is back. */
  refetchOnReconnect?: boolean | 'always' | undefined;
  /** Whether requests wait for the network. */
  networkMode?: 'online' | 'always' | 'offlineFirst' | undefined;
  /** For the handlers of your `QueryCache`. */
  meta?: Record<string, unknown> | undefined;
}

/** Options of TanStack Query that the hooks pass on, as the last argument. */
export interface HookOptions extends SuspenseHookOptions {
  /** Whether the hook throws errors to the nearest error boundary instead of returning them. */
  throwOnError?: boolean | ((error: CustomersError) => boolean) | undefined;
}

/** The query of the nearest service, with the options of the hook. */
export function useOptions<Query extends QueryPolicy>(
  make: (service: CustomersService, queryClient: QueryClient) => Query,
  own: HookOptions = {},
): Query {
  return { ...make(useCustomersService(), useQueryClient()), ...defined(own) };
}

/** Without what is `undefined`, which would replace what is set. */
const defined = (options: object): object =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
