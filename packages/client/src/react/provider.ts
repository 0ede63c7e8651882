import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, createElement, type ReactElement, type ReactNode, useContext } from 'react';
import type { CustomersService } from '../service.ts';

const ServiceContext = createContext<CustomersService | undefined>(undefined);

/** The service's page size, which list keys omit, for each cache. */
const pageSizes = new WeakMap<QueryClient, number | undefined>();

/** The props of {@link CustomersProvider}. */
export interface CustomersProviderProps {
  service: CustomersService;
  children?: ReactNode;
}

/**
 * Provides the service to the hooks below it. Render it inside TanStack's `QueryClientProvider`.
 *
 * @throws if a service with a different `perPage` already uses the same `QueryClient`. List keys omit
 * the service's page size, so the two services would share cached pages of different sizes.
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
        'Use one service, and request the other page size with useCustomers({ perPage }).',
    );
  }
  return createElement(ServiceContext.Provider, { value: service }, children);
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
