export {
  ApiError,
  type ApiErrorInit,
  ContractError,
  type CustomersError,
  type FetchError,
  isApiError,
  isContractError,
} from './errors.ts';
export type { CustomerFilters, ListSelection } from './filters.ts';
export type { Fetch, HeadersInput } from './http.ts';
export { limits } from './limits.ts';
export { toCustomer, toCustomerOf, toCustomerPage, toCustomers, toTimeline } from './mappers.ts';
export type {
  Customer,
  CustomerPage,
  HiddenField,
  InfiniteCustomers,
  Timeline,
  TimelineBucket,
  TimelineUnit,
} from './model.ts';
export { clearCustomers, type QueryClientLike } from './query-cache.ts';
export {
  type CustomerDetailKey,
  type CustomerInfiniteKey,
  customerKeys,
  type CustomerListKey,
  type CustomerTimelineKey,
  type InfinitePages,
  type KeyOf,
  type SuggestionsKey,
  type TimelineKeyParams,
} from './query-keys.ts';
export {
  type CustomerQueryOptions,
  customerQuery,
  customersInfiniteQuery,
  type CustomersInfiniteQueryOptions,
  type CustomersQueryOptions,
  customersQuery,
  type CustomersQueryParams,
  customersTimelineQuery,
  type CustomersTimelineQueryOptions,
  suggestionsQuery,
  type SuggestionsQueryOptions,
} from './query-options.ts';
export {
  type Placeholder,
  type QueryPolicy,
  type QuerySettings,
  type Retry,
  type RetryDelay,
  retryDefaults,
} from './query-policy.ts';
export { rowsFirst, type WireCustomerRows } from './rows-first.ts';
export {
  createCustomersService,
  type CustomersService,
  type CustomersServiceOptions,
  type ListCustomersParams,
  type TimelineParams,
} from './service.ts';
export type {
  ContactField,
  ParameterProblem,
  ParameterProblemCode,
  Problem,
  ProblemCode,
  Sort,
  SortField,
  WireCustomer,
  WireCustomerDetail,
  WireCustomerList,
  WirePagination,
  WireSuggestion,
  WireSuggestions,
  WireTimeline,
  WireTimelineBucket,
} from './wire.ts';
