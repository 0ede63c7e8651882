// @vitest-environment happy-dom
import {
  dehydrate,
  type DehydratedState,
  HydrationBoundary,
  QueryClient,
  QueryClientProvider,
} from '@tanstack/react-query';
import { act } from '@testing-library/react';
import { type ReactNode, useState } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import { type CustomersService, customersQuery } from '@clientele/client';
import { CustomersProvider, useCustomers } from '@clientele/client/react';
import { customer, directory } from './directory.ts';

function Page({ service, state }: { service: CustomersService; state?: DehydratedState }) {
  const [client] = useState(() => new QueryClient());
  return (
    <QueryClientProvider client={client}>
      <HydrationBoundary state={state}>
        <CustomersProvider service={service}>
          <List />
        </CustomersProvider>
      </HydrationBoundary>
    </QueryClientProvider>
  );
}

function List(): ReactNode {
  const { items, total, isPending } = useCustomers();
  if (isPending) return <p>loading</p>;
  return (
    <ul aria-label={`${total} customers`}>
      {items.map((item) => (
        <li key={item.id}>{`${item.name}, since ${item.createdAt.toISOString()}`}</li>
      ))}
    </ul>
  );
}

const three = [customer(1), customer(2), customer(3)];

test('a page prefetched on the server is in the HTML and hydrates without a request or mismatch', async () => {
  const server = directory(three);
  const client = new QueryClient();
  await client.prefetchQuery(customersQuery(server.service));
  const state = JSON.stringify(dehydrate(client));
  const html = renderToString(<Page service={server.service} state={JSON.parse(state)} />);
  expect(html).toContain('Customer 3, since 2026-01-01T00:00:03.000Z');
  expect(server.requests, 'by the server').toHaveLength(1);

  const browser = directory(three);
  const consoleError = vi.spyOn(console, 'error');
  const mismatches: unknown[] = [];
  document.body.innerHTML = `<div id="root">${html}</div>`;
  const container = document.getElementById('root')!;
  const root = await act(async () =>
    hydrateRoot(container, <Page service={browser.service} state={JSON.parse(state)} />, {
      onRecoverableError: (error) => mismatches.push(error),
    }),
  );
  expect(container.innerHTML).toBe(html);
  expect(mismatches).toEqual([]);
  expect(consoleError).not.toHaveBeenCalled();
  expect(browser.requests, 'by the browser').toEqual([]);
  await act(async () => root.unmount());
});

test('without a prefetch, the server renders the pending state and sends no request', () => {
  const { service, requests } = directory(three);
  expect(renderToString(<Page service={service} />)).toBe('<p>loading</p>');
  expect(requests).toEqual([]);
});
