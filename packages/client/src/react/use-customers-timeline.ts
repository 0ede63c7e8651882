import { useQuery } from '@tanstack/react-query';
import type { Timeline } from '../model.ts';
import { customersTimelineQuery } from '../query-options.ts';
import type { TimelineParams } from '../service.ts';
import { type HookOptions, useOptions } from './hook-options.ts';
import { type RequestState, stateOf } from './request-state.ts';

/** The result of {@link useCustomersTimeline}. */
export interface TimelineResult extends RequestState {
  /** `undefined` until data arrives. */
  timeline: Timeline | undefined;
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
export function useCustomersTimeline(
  { enabled = true, ...params }: UseTimelineParams = {},
  options?: HookOptions,
): TimelineResult {
  const timeline = useOptions((service) => customersTimelineQuery(service, params), options);
  const query = useQuery({ ...timeline, enabled });
  return { timeline: query.data, ...stateOf(query) };
}
