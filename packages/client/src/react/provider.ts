import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useMemo,
} from 'react';
import { customerKeys } from '../query-keys.ts';
import { retryDefaults } from '../query-policy.ts';
import type { CustomersService } from '../service.ts';

const ServiceContext = createContext<CustomersService | undefined>(undefined);

/** For each cache, the page size that its list keys omit: that of its first service. */
const omittedSizes = new WeakMap<QueryClient, number | undefined>();

/** The props of {@link CustomersProvider}. */
export interface CustomersProviderProps {
  service: CustomersService;
  children?: ReactNode;
}

/**
 * Provides the service to the hooks below it. Render it inside TanStack's `QueryClientProvider`.
 *
 * A service with another `perPage` than the first one of a `QueryClient` is provided with
 * `perPageInKeys` set, so that the two never share cached pages. If the `QueryClient` has no `retry` or `retryDelay` for
 * customers, the provider sets {@link retryDefaults}.
 *
 * @example
 * <QueryClientProvider client={queryClient}>
 *   <CustomersProvider service={service}>
 *     <App />
 *   </CustomersProvider>
 * </QueryClientProvider>
 */
export function CustomersProvider({ service, children }: CustomersProviderProps): ReactElement {
  const queryClient = useQueryClient();
  const value = useMemo(() => {
    setRetryDefaults(queryClient);
    return withDistinctKeys(queryClient, service);
  }, [queryClient, service]);
  return createElement(ServiceContext.Provider, { value }, children);
}

/** For the hooks and for the application's own queries, where the application has set nothing else. */
function setRetryDefaults(queryClient: QueryClient): void {
  const { retry, retryDelay } = queryClient.defaultQueryOptions({ queryKey: customerKeys.all });
  queryClient.setQueryDefaults(customerKeys.all, {
    ...queryClient.getQueryDefaults(customerKeys.all),
    retry: retry ?? retryDefaults.retry,
    retryDelay: retryDelay ?? retryDefaults.retryDelay,
  });
}

function withDistinctKeys(queryClient: QueryClient, service: CustomersService): CustomersService {
  if (!omittedSizes.has(queryClient)) omittedSizes.set(queryClient, service.perPage);
  const { perPage, staleTime, retry } = service;
  if (omittedSizes.get(queryClient) === perPage) return service;
  return {
    perPage,
    perPageInKeys: true,
    staleTime,
    retry,
    list: (params) => service.list(params),
    get: (id, options) => service.get(id, options),
    suggestions: (search, options) => service.suggestions(search, options),
    timeline: (params) => service.timeline(params),
  };
}

/**
 * Returns the service of the nearest provider, for your own queries.
 *
 * @example
 * const service = useCustomersService();
 * const count = useQuery({ ...customersQuery(service), select: (list) => list.pagination.total });
 */
export function useCustomersService(): CustomersService {
  const service = useContext(ServiceContext);
  if (!service) throw new Error('This hook needs a <CustomersProvider> above it.');
  return service;
}
