/** Run by `pnpm types`: every TanStack Query API accepts the options and infers the right types. */
import {
  queryOptions,
  QueryClient,
  QueryObserver,
  useQueries,
  useQuery,
  useSuspenseQuery,
} from '@tanstack/react-query';
import {
  type ApiError,
  createCustomersService,
  type Customer,
  type CustomerPage,
  clearCustomers,
  customerQuery,
  customersQuery,
  isApiError,
  type ProblemCode,
  type WireCustomerDetail,
  type WireCustomerList,
} from '@clientele/client';

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
}

export function narrows(error: unknown): void {
  if (isApiError(error)) {
    is<ApiError>(error);
    is<ProblemCode | undefined>(error.code);
    // @ts-expect-error codes are a closed set
    is<boolean>(error.code === 'no-such-code');
  }
  // @ts-expect-error codes are a closed set
  isApiError(error, 'no-such-code');
}

// Values that may be undefined can be passed, also with exactOptionalPropertyTypes.
const maybe = undefined as string | undefined;
void service.list({ search: maybe, signal: undefined });
createCustomersService({ baseUrl: new URL('https://customers.example'), headers: undefined });
createCustomersService({ baseUrl: '', fetch: async () => Response.json({}) });
createCustomersService({ baseUrl: '', headers: async () => [['authorization', 'Bearer x']] });
// @ts-expect-error the base URL is required
createCustomersService({});
