/** The wire types, under their own names. The build puts the contract's declarations in this place. */
export type {
  ParameterProblem,
  ParameterProblemCode,
  Problem,
  ProblemCode,
  WireCustomer,
  WireCustomerDetail,
  WireCustomerList,
  WirePagination,
} from '@clientele/contract';
