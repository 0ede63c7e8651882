/** Re-exports the wire types. The build replaces this file's declarations with the contract's. */
export type {
  ContactField,
  limits,
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
} from '@clientele/contract';
