/** Run by `pnpm types`: every TanStack Query API accepts the options and infers the right types. */
import {
  queryOptions,
  QueryClient,
  QueryObserver,
  useInfiniteQuery,
  useQueries,
  useQuery,
  useSuspenseInfiniteQuery,
  useSuspenseQuery,
} from '@tanstack/react-query';
import {
  type ApiError,
  createCustomersService,
  type Customer,
  type CustomerPage,
  clearCustomers,
  customerKeys,
  type CustomerListKey,
  type CustomersError,
  customerQuery,
  customersInfiniteQuery,
  customersQuery,
  customersTimelineQuery,
  type FetchError,
  type InfiniteCustomers,
  isApiError,
  isContractError,
  limits,
  type Problem,
  type ProblemCode,
  type Timeline,
  type TimelineUnit,
  type WireCustomerDetail,
  type WireCustomerList,
  type WireTimeline,
} from '@clientele/client';
import {
  useCustomer,
  useCustomers,
  useCustomersTimeline,
  useSuggestions,
  useSuspenseCustomers,
} from '@clientele/client/react';

const is = <T,>(_value: T): void => undefined;
const client = new QueryClient();
const service = createCustomersService({ baseUrl: '', fetch });

export async function fits(): Promise<void> {
  is<CustomerPage | undefined>(useQuery(customersQuery(service)).data);
  is<CustomerPage>(useSuspenseQuery(customersQuery(service, { page: 1 })).data);
  is<Customer | undefined>(useQuery(customerQuery(service, 'id', client)).data);
  is<Customer>(useSuspenseQuery(customerQuery(service, 'id')).data);
  is<number | undefined>(
    useQuery({ ...customersQuery(service), select: (list) => list.pagination.total }).data,
  );
  const [list, detail] = useQueries({
    queries: [customersQuery(service), customerQuery(service, 'id')],
  });
  is<CustomerPage | undefined>(list.data);
  is<Customer | undefined>(detail.data);
  is<WireCustomerList>(await client.fetchQuery(customersQuery(service)));
  is<WireCustomerDetail>(await client.ensureQueryData(customerQuery(service, 'id', client)));
  await client.prefetchQuery(customersQuery(service));
  is<WireCustomerList | undefined>(
    client.getQueryData(queryOptions(customersQuery(service)).queryKey),
  );
  new QueryObserver(client, customersQuery(service)).subscribe(({ data }) => {
    is<CustomerPage | undefined>(data);
  });
  clearCustomers(client);

  // Keys carry the type of their data. Constants, because a call would take the type from its context.
  const page = client.getQueryData(customersQuery(service).queryKey);
  const samePage = client.getQueryData(customerKeys.list(2, 'anna'));
  const customer = client.getQueryData(customerQuery(service, 'id').queryKey);
  const sameCustomer = client.getQueryData(customerKeys.detail('id'));
  is<WireCustomerList | undefined>(page ?? samePage);
  is<WireCustomerDetail | undefined>(customer ?? sameCustomer);
  // @ts-expect-error a list is not a customer
  is<WireCustomerDetail | undefined>(page);
  client.setQueryData(customersQuery(service).queryKey, (list) => {
    is<WireCustomerList | undefined>(list);
    return list;
  });
  is<CustomerListKey>(['customers', 'list', 1, '']);
  is<CustomerListKey>(['customers', 'list', 1, '', 50, { verified: true }]);
  is<CustomerListKey>(['customers', 'list', 1, '', { hasOrders: false }]);

  const infinite = customersInfiniteQuery(service, { search: 'anna' });
  is<InfiniteCustomers | undefined>(useInfiniteQuery(infinite).data);
  is<InfiniteCustomers>(useSuspenseInfiniteQuery(infinite).data);
  is<WireCustomerList[]>((await client.fetchInfiniteQuery(infinite)).pages);
  const cached = client.getQueryData(infinite.queryKey);
  is<WireCustomerList[] | undefined>(cached?.pages);

  const timeline = useQuery(customersTimelineQuery(service, { search: 'anna', exact: true })).data;
  is<Timeline | undefined>(timeline);
  is<TimelineUnit | undefined>(timeline?.unit);
  const wire = client.getQueryData(customerKeys.timeline('anna'));
  is<WireTimeline | undefined>(wire);
  // @ts-expect-error a timeline is not a list
  is<WireCustomerList | undefined>(wire);
}

export function narrows(error: unknown): void {
  if (isApiError(error)) {
    is<ApiError>(error);
    is<ProblemCode | undefined>(error.code);
    is<Problem | undefined>(error.problem);
    // @ts-expect-error codes are a closed set
    is<boolean>(error.code === 'no-such-code');
  }
  // @ts-expect-error codes are a closed set
  isApiError(error, 'no-such-code');
  if (isApiError(error, 'rate-limited')) {
    is<'rate-limited'>(error.code);
    is<Problem>(error.problem);
    // @ts-expect-error it has another code
    is<'customer-not-found'>(error.code);
  }
}

/** The three kinds of errors narrow by their code, and no fourth is left. */
export function explains(error: CustomersError): string {
  if (error.code === 'rate-limited') {
    is<ApiError>(error);
    return `Wait ${error.retryAfter} seconds`;
  }
  if (isApiError(error)) return String(error.status);
  if (isContractError(error)) return error.path;
  is<FetchError>(error);
  // @ts-expect-error only an ApiError has it
  void error.status;
  return error.message;
}

export function Hooks(): null {
  const list = useCustomers(
    { search: 'anna' },
    { staleTime: 0, retry: false, gcTime: maybeNumber },
  );
  is<CustomersError | null>(list.error);
  is<CustomersError | null>(useQuery(customersQuery(service)).error);
  is<[boolean, boolean, number]>([list.isSuccess, list.isEmpty, list.failureCount]);
  useCustomer('id', { retry: (count, error) => count < 2 && isContractError(error) });
  useSuggestions('anna', { enabled: list.isEmpty, refetchOnWindowFocus: 'always' });
  useCustomersTimeline({ search: 'anna' }, { refetchInterval: 60_000, meta: { quiet: true } });
  useSuspenseCustomers({}, { networkMode: 'offlineFirst' });
  // @ts-expect-error the result has to be that of the hook
  useCustomers({}, { select: () => 1 });
  // @ts-expect-error Suspense always throws
  useSuspenseCustomers({}, { throwOnError: true });
  return null;
}
const maybeNumber = undefined as number | undefined;

// Values that may be undefined can be passed, also with exactOptionalPropertyTypes.
const maybe = undefined as string | undefined;
void service.list({ search: maybe, signal: undefined });
void service.list({ verified: undefined, joinedFrom: maybe, joinedTo: new Date() });
// @ts-expect-error a filter is not text
void service.list({ verified: 'true' });
createCustomersService({ baseUrl: new URL('https://customers.example'), headers: undefined });
createCustomersService({ baseUrl: '', fetch: async () => Response.json({}) });
createCustomersService({ baseUrl: '', headers: async () => [['authorization', 'Bearer x']] });
// @ts-expect-error the base URL is required
createCustomersService({});

// The limits are literals, equal to the contract's.
is<100>(limits.perPage.max);
is<256>(limits.search.maxCodePoints);
