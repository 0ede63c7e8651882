// @vitest-environment happy-dom
import { onlineManager, QueryClient } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { useCustomer } from '@clientele/client/react';
import { customer, directory, fifty } from './directory.ts';
import { arrived, inside, names, renderList } from './rendered.tsx';

const goOffline = () => act(() => void window.dispatchEvent(new Event('offline')));
const goOnline = () => act(() => void window.dispatchEvent(new Event('online')));
afterEach(() => onlineManager.setOnline(true));

test('a list opened offline is paused, not loading, and loads when the network is back', async () => {
  const { service, requests } = directory(fifty);
  const { result } = renderList(service);
  await arrived(result);
  goOffline();
  const other = renderList(service, { search: 'Customer 5' });
  expect(other.result.current).toMatchObject({
    items: [],
    isPending: true,
    isFetching: false,
    isPaused: true,
    error: null,
  });
  expect(requests, 'none while offline').toHaveLength(1);
  goOnline();
  await waitFor(() => expect(names(other.result)).toContain('Customer 50'));
  expect(other.result.current.isPaused).toBe(false);
});

test('a page opened offline keeps the previous page and is paused', async () => {
  const { service } = directory(fifty);
  const { result, rerender } = renderList(service, {}, new QueryClient());
  await arrived(result);
  goOffline();
  rerender({ page: 2 });
  expect(result.current).toMatchObject({ page: 1, isPlaceholderData: true, isPaused: true });
});

test('a customer opened offline is paused', async () => {
  const { service } = directory(fifty);
  const client = new QueryClient();
  const list = renderList(service, {}, client);
  await arrived(list.result);
  goOffline();
  const { result } = renderHook(() => useCustomer(customer(40).uuid), {
    wrapper: inside(service, client),
  });
  expect(result.current).toMatchObject({ isPending: true, isFetching: false, isPaused: true });
  goOnline();
  await waitFor(() => expect(result.current.customer?.name).toBe('Customer 40'));
});
