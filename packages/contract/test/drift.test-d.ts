/** Run by `pnpm types`: fails to compile if the TypeScript types and the schemas differ. */
import type { Static } from 'typebox';
import type {
  ParameterProblem,
  Problem,
  WireCustomer,
  WireCustomerDetail,
  WireCustomerList,
  WirePagination,
} from '@clientele/contract';
import type * as Schema from '@clientele/contract/schema';

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Flat<T> = T extends (infer E)[]
  ? Flat<E>[]
  : T extends object
    ? { [K in keyof T]: Flat<T[K]> }
    : T;
const same = <A, B>(_: Same<Flat<A>, Flat<B>>): void => undefined;

same<Static<typeof Schema.CustomerSchema>, WireCustomer>(true);
same<Static<typeof Schema.PaginationSchema>, WirePagination>(true);
same<Static<typeof Schema.CustomerListSchema>, WireCustomerList>(true);
same<Static<typeof Schema.CustomerDetailSchema>, WireCustomerDetail>(true);
same<Static<typeof Schema.ParameterProblemSchema>, ParameterProblem>(true);
same<Static<typeof Schema.ProblemSchema>, Problem>(true);

// Proof that the comparison can fail: a field of another type, missing, optional or nullable.
same<WirePagination, Omit<WirePagination, 'total'> & { total: string }>(false);
same<WirePagination, Omit<WirePagination, 'total'>>(false);
same<WirePagination, Omit<WirePagination, 'total'> & { total?: number }>(false);
same<WirePagination, Omit<WirePagination, 'total'> & { total: number | null }>(false);
