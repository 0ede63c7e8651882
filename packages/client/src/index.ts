export {
  ApiError,
  type ApiErrorInit,
  ContractError,
  isApiError,
  isContractError,
} from './errors.ts';
export type { Fetch, HeadersInput } from './http.ts';
export { toCustomer, toCustomerPage } from './mappers.ts';
export type { Customer, CustomerPage } from './model.ts';
export { clearCustomers, type QueryClientLike } from './query-cache.ts';
export { type CustomerDetailKey, customerKeys, type CustomerListKey } from './query-keys.ts';
export {
  type CustomerQueryOptions,
  customerQuery,
  type CustomersQueryOptions,
  customersQuery,
  type CustomersQueryParams,
  type QueryPolicy,
} from './query-options.ts';
export {
  createCustomersService,
  type CustomersService,
  type CustomersServiceOptions,
  type ListCustomersParams,
} from './service.ts';
export type {
  ParameterProblem,
  ParameterProblemCode,
  Problem,
  ProblemCode,
  WireCustomer,
  WireCustomerDetail,
  WireCustomerList,
  WirePagination,
} from './wire.ts';
