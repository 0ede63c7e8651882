import type { CustomersError } from '../errors.ts';

/** What every hook returns about its request. */
export interface RequestState {
  /** There is no data yet, also because the hook is not enabled. */
  isPending: boolean;
  /** Data has arrived, and the last request did not fail. */
  isSuccess: boolean;
  /** A request is in progress, possibly in the background while data is shown. */
  isFetching: boolean;
  /** A request waits for the network: the browser is offline. */
  isPaused: boolean;
  /** How often the current request has failed. While it is retried, `error` is still null. */
  failureCount: number;
  error: CustomersError | null;
  refetch: () => Promise<unknown>;
  /** In milliseconds, like `Date.now()`. 0 until data arrives. */
  dataUpdatedAt: number;
}

/** Reads each of them, because TanStack renders again only for what was read. */
export const stateOf = ({
  isPending,
  isSuccess,
  isFetching,
  isPaused,
  failureCount,
  error,
  refetch,
  dataUpdatedAt,
}: RequestState): RequestState => ({
  isPending,
  isSuccess,
  isFetching,
  isPaused,
  failureCount,
  error,
  refetch,
  dataUpdatedAt,
});
