import { createCustomersService, isApiError } from '@clientele/client';
import { CustomersProvider, useCustomers, usePrefetchCustomers } from '@clientele/client/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

// Same origin: the proxy in vite.config.ts adds the access key, which must not reach the browser.
const service = createCustomersService({ baseUrl: '', perPage: 10 });
const queryClient = new QueryClient();
const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' });
const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

function CustomerList() {
  const [search, setSearch] = useState('');
  const [page, setPage] = useState(1);
  const { items, total, pageCount, ...list } = useCustomers({ page, search });
  const prefetch = usePrefetchCustomers();

  const find = (text: string) => {
    setSearch(text);
    setPage(1);
  };

  return (
    <main aria-busy={list.isFetching}>
      <h1>Customers</h1>
      <input
        type="search"
        aria-label="Search"
        value={search}
        onChange={(e) => find(e.target.value)}
      />
      <p role="status">{list.isPending ? 'Loading…' : `${total} found`}</p>
      {list.error && <p role="alert">{explain(list.error)}</p>}
      <table style={{ opacity: list.isPlaceholderData ? 0.5 : 1 }}>
        <tbody>
          {items.map((customer) => (
            <tr key={customer.id}>
              <th scope="row">{customer.name}</th>
              <td>{customer.company}</td>
              <td>{customer.email}</td>
              <td>{money.format(customer.lifetimeValue)}</td>
              <td>{customer.lastOrderAt ? date.format(customer.lastOrderAt) : 'no order yet'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <button disabled={page <= 1} onClick={() => setPage(page - 1)}>
        Previous
      </button>
      {` Page ${page} of ${pageCount} `}
      <button
        disabled={page >= pageCount}
        onPointerEnter={() => prefetch({ page: page + 1, search })}
        onClick={() => setPage(page + 1)}
      >
        Next
      </button>
    </main>
  );
}

function explain(error: Error): string {
  if (isApiError(error, 'unauthenticated')) return 'The key is missing or revoked.';
  if (isApiError(error, 'rate-limited')) return `Please wait ${error.retryAfter ?? 60} seconds.`;
  return isApiError(error) ? error.message : 'The service cannot be reached.';
}

createRoot(document.getElementById('root')!).render(
  <QueryClientProvider client={queryClient}>
    <CustomersProvider service={service}>
      <CustomerList />
    </CustomersProvider>
  </QueryClientProvider>,
);
