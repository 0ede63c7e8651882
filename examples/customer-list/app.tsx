import { createCustomersService, isApiError, isContractError, limits } from '@clientele/client';
import {
  CustomersProvider,
  type CustomersResult,
  useCustomers,
  useDebouncedSearch,
  usePrefetchCustomers,
} from '@clientele/client/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';

// Same origin: the proxy in vite.config.ts adds the access key, which must not reach the browser.
const service = createCustomersService({ baseUrl: '', perPage: 10 });
const queryClient = new QueryClient();
const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' });
const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

function CustomerList() {
  const { page, search, goTo } = useListUrl();
  const { text, setText, searchNow } = useDebouncedSearch(search, (next) => goTo(1, next));
  const list = useCustomers({ page, search });
  const prefetch = usePrefetchCustomers();

  return (
    <main aria-busy={list.isFetching}>
      <h1>Customers</h1>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          searchNow();
        }}
      >
        <input
          type="search"
          aria-label="Search"
          value={text}
          maxLength={limits.search.maxCodePoints}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
      <Status {...list} />
      <table style={{ opacity: list.isPlaceholderData ? 0.5 : 1 }}>
        <tbody>
          {list.items.map((customer) => (
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
      <button disabled={page <= 1} onClick={() => goTo(page - 1, search)}>
        Previous
      </button>
      {list.pageCount > 0 && ` Page ${page} of ${list.pageCount} `}
      <button
        disabled={page >= list.pageCount}
        onPointerEnter={() => prefetch({ page: page + 1, search })}
        onClick={() => goTo(page + 1, search)}
      >
        Next
      </button>
    </main>
  );
}

/** An error comes first: without data, the total is 0, which is not the number of customers. */
function Status({ total, isPending, isPaused, error, refetch }: CustomersResult) {
  if (error) {
    return (
      <p role="alert">
        {explain(error)} <button onClick={() => void refetch()}>Try again</button>
      </p>
    );
  }
  if (isPaused)
    return <p role="status">You are offline. The list loads when you are back online.</p>;
  return <p role="status">{isPending ? 'Loading…' : `${total} found`}</p>;
}

function explain(error: Error): string {
  if (isContractError(error)) {
    return 'Another system answered instead of the service. Are you signed in to this network?';
  }
  if (!isApiError(error)) return 'The service cannot be reached. Check your connection.';
  if (error.status === 401) return 'The key is missing or revoked.';
  if (error.status === 429) return `Too many requests. Wait ${error.retryAfter ?? 60} seconds.`;
  return error.message;
}

/** The page and the search are kept in the URL, so that reloading and the Back button work. */
function useListUrl() {
  const params = new URLSearchParams(useSyncExternalStore(subscribe, () => location.search));
  return {
    page: Math.max(1, Number.parseInt(params.get('page') ?? '1', 10) || 1),
    search: params.get('search') ?? '',
    goTo: (page: number, search: string) => {
      history.pushState(null, '', `?${new URLSearchParams({ page: String(page), search })}`);
      dispatchEvent(new PopStateEvent('popstate'));
    },
  };
}

function subscribe(onChange: () => void) {
  addEventListener('popstate', onChange);
  return () => removeEventListener('popstate', onChange);
}

createRoot(document.getElementById('root')!).render(
  <QueryClientProvider client={queryClient}>
    <CustomersProvider service={service}>
      <CustomerList />
    </CustomersProvider>
  </QueryClientProvider>,
);
