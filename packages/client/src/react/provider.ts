import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, createElement, type ReactElement, type ReactNode, useContext } from 'react';
import type { CustomersService } from '../service.ts';

const ServiceContext = createContext<CustomersService | undefined>(undefined);

/** The page size behind the four-part keys of each cache. */
const pageSizes = new WeakMap<QueryClient, number | undefined>();

/** The props of {@link CustomersProvider}. */
export interface CustomersProviderProps {
  service: CustomersService;
  children?: ReactNode;
}

/**
 * Hands the service to the hooks below it. Goes inside TanStack's `QueryClientProvider`.
 *
 * @throws when another service with another `perPage` already uses the same `QueryClient`: list
 * keys leave the service's page size out, so the two would be shown each other's pages.
 * @example
 * <QueryClientProvider client={queryClient}>
 *   <CustomersProvider service={service}>
 *     <App />
 *   </CustomersProvider>
 * </QueryClientProvider>
 */
export function CustomersProvider({ service, children }: CustomersProviderProps): ReactElement {
  const queryClient = useQueryClient();
  if (!pageSizes.has(queryClient)) pageSizes.set(queryClient, service.perPage);
  if (pageSizes.get(queryClient) !== service.perPage) {
    throw new Error(
      'Two services with different perPage share one QueryClient. ' +
        'Keep one service and ask for the other size by useCustomers({ perPage }).',
    );
  }
  return createElement(ServiceContext.Provider, { value: service }, children);
}

/**
 * The service of the provider above, for queries of your own.
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
