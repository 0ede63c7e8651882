'use client';

import type { DataTag } from '@tanstack/react-query';

export { type FirstRows, keepingFirstRows, useFirstRows } from './first-rows.ts';
export type { HookOptions, SuspenseHookOptions } from './hook-options.ts';
export { CustomersProvider, type CustomersProviderProps, useCustomersService } from './provider.ts';
export type { RequestState } from './request-state.ts';
export { type CustomerResult, useCustomer, useSuspenseCustomer } from './use-customer.ts';
export {
  type CustomersResult,
  useCustomers,
  type UseCustomersParams,
  useSuspenseCustomers,
} from './use-customers.ts';
export { type RowsFirstResult, useCustomersRowsFirst } from './use-customers-rows-first.ts';
export {
  type TimelineResult,
  useCustomersTimeline,
  type UseTimelineParams,
} from './use-customers-timeline.ts';
export { type DebouncedSearch, useDebouncedSearch } from './use-debounced-search.ts';
export {
  type SuggestionsResult,
  useSuggestions,
  type UseSuggestionsOptions,
} from './use-suggestions.ts';
export { usePrefetchCustomers } from './use-prefetch-customers.ts';

/** With this entry installed, `getQueryData(key)` has the type of the cached data. */
declare module '../query-keys.ts' {
  interface KeyOf<Data> extends DataTag<object, Data> {}
}
