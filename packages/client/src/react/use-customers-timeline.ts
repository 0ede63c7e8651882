import { useQuery } from '@tanstack/react-query';
import type { Timeline } from '../model.ts';
import { customersTimelineQuery } from '../query-options.ts';
import type { TimelineParams } from '../service.ts';
import { useCustomersService } from './provider.ts';

/** The result of {@link useCustomersTimeline}. */
export interface TimelineResult {
  /** `undefined` until data arrives. */
  timeline: Timeline | undefined;
  /** There is no data yet, also because the hook is not enabled. */
  isPending: boolean;
  /** A request is in progress, possibly in the background while data is shown. */
  isFetching: boolean;
  /** A request waits for the network: the browser is offline. */
  isPaused: boolean;
  error: Error | null;
  refetch: () => Promise<unknown>;
  /** In milliseconds, like `Date.now()`. 0 until data arrives. */
  dataUpdatedAt: number;
}

/** The parameters of {@link useCustomersTimeline}. */
export interface UseTimelineParams extends Omit<TimelineParams, 'signal'> {
  /** With `false`, the hook sends no request. Defaults to `true`. */
  enabled?: boolean | undefined;
}

/**
 * Reads when the customers of a list joined. While an exact timeline loads, the inexact one is kept.
 *
 * @example
 * const { timeline } = useCustomersTimeline({ search, verified: true });
 */
export function useCustomersTimeline({
  enabled = true,
  ...params
}: UseTimelineParams = {}): TimelineResult {
  const service = useCustomersService();
  const query = useQuery({ ...customersTimelineQuery(service, params), enabled });
  return {
    timeline: query.data,
    isPending: query.isPending,
    isFetching: query.isFetching,
    isPaused: query.isPaused,
    error: query.error,
    refetch: query.refetch,
    dataUpdatedAt: query.dataUpdatedAt,
  };
}
