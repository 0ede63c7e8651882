import { useQuery } from '@tanstack/react-query';
import { suggestionsQuery } from '../query-options.ts';
import type { WireSuggestion } from '../wire.ts';
import { type HookOptions, useOptions } from './hook-options.ts';
import { type RequestState, stateOf } from './request-state.ts';

/** The result of {@link useSuggestions}. */
export interface SuggestionsResult extends RequestState {
  /** The best one first. Empty until data arrives, and if there is no better idea. */
  suggestions: WireSuggestion[];
}

/** The options of {@link useSuggestions}. */
export interface UseSuggestionsOptions extends HookOptions {
  /** With `false`, the hook sends no request. Defaults to `true`. */
  enabled?: boolean | undefined;
}

/**
 * Reads searches to try instead of one that matches at most five customers, each with its exact number of matches. Enable
 * it once the list is known to have few, or none.
 *
 * @example
 * const { isEmpty } = useCustomers({ search });
 * const { suggestions } = useSuggestions(search, { enabled: isEmpty });
 */
export function useSuggestions(
  search: string,
  { enabled = true, ...options }: UseSuggestionsOptions = {},
): SuggestionsResult {
  const isSearch = search.trim() !== '';
  const query = useQuery({
    ...useOptions((service) => suggestionsQuery(service, search), options),
    enabled: enabled && isSearch,
  });
  return { suggestions: query.data ?? none, ...stateOf(query) };
}

/** A constant, so that effects depending on it do not run on each render. */
const none: WireSuggestion[] = Object.freeze<WireSuggestion[]>([]) as WireSuggestion[];
