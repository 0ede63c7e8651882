// @vitest-environment happy-dom
/** The hooks in combination with providers, Suspense and StrictMode. */
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { render, renderHook, screen, waitFor } from '@testing-library/react';
import { Component, type ReactNode, StrictMode, Suspense } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { type CustomersService, customersQuery } from '@clientele/client';
import {
  useCustomer,
  useCustomers,
  useCustomersService,
  useSuspenseCustomer,
  useSuspenseCustomers,
} from '@clientele/client/react';
import { customer, directory, fifty, problem } from './directory.ts';
import { inside } from './rendered.tsx';

describe('the provider', () => {
  test('is named in the error if it is missing', () => {
    const quiet = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const client = new QueryClient();
    const wrapper = ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    );
    expect(() => renderHook(() => useCustomers(), { wrapper })).toThrow(
      'needs a <CustomersProvider>',
    );
    quiet.mockRestore();
  });

  test('rejects a second page size on one QueryClient, because the keys would collide', () => {
    const quiet = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const client = new QueryClient();
    render(null, { wrapper: inside(directory(fifty, { perPage: 10 }).service, client) });
    render(null, { wrapper: inside(directory(fifty, { perPage: 10 }).service, client) });
    expect(() =>
      render(null, { wrapper: inside(directory(fifty, { perPage: 20 }).service, client) }),
    ).toThrow('Two services with different perPage');
    quiet.mockRestore();
  });

  test('provides the service for custom queries', async () => {
    const { service } = directory(fifty);
    const { result } = renderHook(
      () =>
        useQuery({
          ...customersQuery(useCustomersService()),
          select: (list) => list.pagination.total,
        }),
      { wrapper: inside(service) },
    );
    await waitFor(() => expect(result.current.data).toBe(50));
  });
});

class Boundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};
  static getDerivedStateFromError = (error: Error) => ({ error });
  override render() {
    return this.state.error ? <p role="alert">{this.state.error.message}</p> : this.props.children;
  }
}

describe('with Suspense', () => {
  const show = (content: ReactNode, service: CustomersService, client?: QueryClient) => {
    const Wrapper = inside(service, client);
    return render(
      <Wrapper>
        <Boundary>
          <Suspense fallback={<p>loading</p>}>{content}</Suspense>
        </Boundary>
      </Wrapper>,
    );
  };
  function Names() {
    const { items, page, total, pageCount } = useSuspenseCustomers({ page: 2 });
    return <p>{`${items[0]!.name}, page ${page} of ${pageCount}, ${total} in all`}</p>;
  }
  function Name() {
    return <p>{useSuspenseCustomer(customer(9).uuid).customer.email}</p>;
  }

  test('useSuspenseCustomers shows the fallback, then the page', async () => {
    show(<Names />, directory(fifty).service);
    expect(screen.getByText('loading')).toBeTruthy();
    expect(await screen.findByText('Customer 26, page 2 of 2, 50 in all')).toBeTruthy();
  });

  test('useSuspenseCustomer shows the fallback, then the customer', async () => {
    show(<Name />, directory(fifty).service);
    expect(screen.getByText('loading')).toBeTruthy();
    expect(await screen.findByText('customer-9@example.com')).toBeTruthy();
  });

  test('errors go to the error boundary', async () => {
    const quiet = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const it = directory(fifty);
    it.answers = [problem(401, 'unauthenticated')];
    show(<Names />, it.service);
    expect((await screen.findByRole('alert')).textContent).toContain('401 unauthenticated');
    quiet.mockRestore();
  });
});

test('the hooks work with the double rendering of StrictMode', async () => {
  const Wrapper = inside(directory(fifty).service);
  const { result } = renderHook(
    () => ({ list: useCustomers(), detail: useCustomer(fifty[30]!.uuid) }),
    {
      wrapper: ({ children }) => (
        <StrictMode>
          <Wrapper>{children}</Wrapper>
        </StrictMode>
      ),
    },
  );
  await waitFor(() => expect(result.current.list.items).toHaveLength(25));
  await waitFor(() => expect(result.current.detail.customer?.name).toBe('Customer 31'));
});
