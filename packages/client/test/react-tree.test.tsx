// @vitest-environment happy-dom
/** The hooks in combination with providers, Suspense and StrictMode. */
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { render, renderHook, screen, waitFor } from '@testing-library/react';
import { Component, type ReactNode, StrictMode, Suspense, useEffect } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { type CustomersService, customersQuery } from '@clientele/client';
import {
  CustomersProvider,
  useCustomer,
  useCustomers,
  useCustomersService,
  usePrefetchCustomers,
  useSuspenseCustomer,
  useSuspenseCustomers,
} from '@clientele/client/react';
import { customer, type Directory, directory, fifty, problem } from './directory.ts';
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

  test('can change to a service with another page size, whose pages are cached separately', async () => {
    const client = new QueryClient();
    const ten = directory(fifty, { perPage: 10 });
    const twenty = directory(fifty, { perPage: 20 });
    const Names = () => useCustomers().items.map(({ name }) => <li key={name}>{name}</li>);
    const tree = ({ service }: Directory) => (
      <QueryClientProvider client={client}>
        <CustomersProvider service={service}>
          <Names />
        </CustomersProvider>
      </QueryClientProvider>
    );
    const { rerender } = render(tree(ten));
    expect(await screen.findAllByRole('listitem')).toHaveLength(10);
    rerender(tree(twenty));
    await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(20));
    rerender(tree(ten));
    expect(screen.getAllByRole('listitem'), 'cached').toHaveLength(10);
    expect(ten.requests).toEqual(['/v3/customers?page=1&search=&perPage=10']);
    expect(twenty.requests).toEqual(['/v3/customers?page=1&search=&perPage=20']);
    expect(client.getQueryData(customersQuery(ten.service).queryKey)!.data).toHaveLength(10);
  });

  test('keeps two page sizes apart at the same time, also in custom queries and prefetches', async () => {
    const client = new QueryClient();
    const sizes = [10, undefined, 20].map((perPage) => {
      const wrapper = inside(directory(fifty, { perPage }).service, client);
      return renderHook(
        () => {
          const prefetch = usePrefetchCustomers();
          useEffect(() => prefetch(), [prefetch]);
          return useQuery(customersQuery(useCustomersService())).data?.items.length;
        },
        { wrapper },
      ).result;
    });
    await waitFor(() => expect(sizes.map(({ current }) => current)).toEqual([10, 25, 20]));
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
