import { useQuery } from '@tanstack/react-query';
import { suggestionsQuery } from '../query-options.ts';
import type { WireSuggestion } from '../wire.ts';
import { useCustomersService } from './provider.ts';

/** The result of {@link useSuggestions}. */
export interface SuggestionsResult {
  /** The best one first. Empty until data arrives, and if there is no better idea. */
  suggestions: WireSuggestion[];
  /** There is no data yet, also because the hook is not enabled. */
  isPending: boolean;
  /** A request is in progress. */
  isFetching: boolean;
  error: Error | null;
}

/** The options of {@link useSuggestions}. */
export interface UseSuggestionsOptions {
  /** With `false`, the hook sends no request. Defaults to `true`. */
  enabled?: boolean | undefined;
}

/**
 * Reads searches to try instead of one that matches nobody, each with its exact number of matches. Enable it once the
 * list is known to be empty.
 *
 * @example
 * const { items, isPending } = useCustomers({ search });
 * const isEmpty = !isPending && items.length === 0;
 * const { suggestions } = useSuggestions(search, { enabled: isEmpty });
 */
export function useSuggestions(
  search: string,
  { enabled = true }: UseSuggestionsOptions = {},
): SuggestionsResult {
  const isSearch = search.trim() !== '';
  const query = useQuery({
    ...suggestionsQuery(useCustomersService(), search),
    enabled: enabled && isSearch,
  });
  return {
    suggestions: query.data ?? none,
    isPending: query.isPending,
    isFetching: query.isFetching,
    error: query.error,
  };
}

/** A constant, so that effects depending on it do not run on each render. */
const none: WireSuggestion[] = Object.freeze<WireSuggestion[]>([]) as WireSuggestion[];
