export {
  ApiError,
  type ApiErrorInit,
  ContractError,
  isApiError,
  isContractError,
} from './errors.ts';
export type { Fetch, HeadersInput } from './http.ts';
export { limits } from './limits.ts';
export { toCustomer, toCustomerOf, toCustomerPage } from './mappers.ts';
export type { Customer, CustomerPage, HiddenField, InfiniteCustomers } from './model.ts';
export { clearCustomers, type QueryClientLike } from './query-cache.ts';
export {
  type CustomerDetailKey,
  type CustomerInfiniteKey,
  customerKeys,
  type CustomerListKey,
  type InfinitePages,
  type KeyOf,
  type SuggestionsKey,
} from './query-keys.ts';
export {
  type CustomerQueryOptions,
  customerQuery,
  customersInfiniteQuery,
  type CustomersInfiniteQueryOptions,
  type CustomersQueryOptions,
  customersQuery,
  type CustomersQueryParams,
  type QueryPolicy,
  suggestionsQuery,
  type SuggestionsQueryOptions,
} from './query-options.ts';
export {
  createCustomersService,
  type CustomersService,
  type CustomersServiceOptions,
  type ListCustomersParams,
} from './service.ts';
export type {
  ContactField,
  ParameterProblem,
  ParameterProblemCode,
  Problem,
  ProblemCode,
  WireCustomer,
  WireCustomerDetail,
  WireCustomerList,
  WirePagination,
  WireSuggestion,
  WireSuggestions,
} from './wire.ts';
