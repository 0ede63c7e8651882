/** Shared setup of the hook tests. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, configure, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, vi } from 'vitest';
import type { CustomersService } from '@clientele/client';
import { CustomersProvider, useCustomers } from '@clientele/client/react';

// Generous, because test machines are busy. On an idle one these waits take milliseconds.
configure({ asyncUtilTimeout: 300_000 });

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** A wrapper with both providers. */
export function inside(service: CustomersService, client = new QueryClient()) {
  return ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>
      <CustomersProvider service={service}>{children}</CustomersProvider>
    </QueryClientProvider>
  );
}

export interface Params {
  page?: number;
  search?: string;
  perPage?: number;
}

export function renderList(
  service: CustomersService,
  initialProps: Params = {},
  client?: QueryClient,
) {
  return renderHook((params: Params) => useCustomers(params), {
    wrapper: inside(service, client),
    initialProps,
  });
}

type List = ReturnType<typeof renderList>['result'];
export const names = (list: List) => list.current.items.map(({ name }) => name);
export const arrived = (list: List) => waitFor(() => expect(list.current.isFetching).toBe(false));
