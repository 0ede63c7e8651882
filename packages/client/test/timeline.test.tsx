// @vitest-environment happy-dom
import { QueryClient } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import {
  ContractError,
  clearCustomers,
  customerKeys,
  customerQuery,
  customersTimelineQuery,
  toTimeline,
  type WireTimeline,
} from '@clientele/client';
import {
  CustomersProvider,
  useCustomersService,
  useCustomersTimeline,
} from '@clientele/client/react';
import { answering, rejection } from './answering.ts';
import { customer, directory } from './directory.ts';
import { inside } from './rendered.tsx';

const about: WireTimeline = {
  data: {
    total: 7,
    exact: false,
    unit: 'month',
    buckets: [
      { from: '2024-04-01T00:00:00.000Z', count: 4, above: 0 },
      { from: '2024-03-01T00:00:00.000Z', count: 3, above: 4 },
    ],
  },
};
const exact: WireTimeline = { data: { ...about.data, exact: true } };
const ok = () => Response.json(about);

describe('a request for a timeline', () => {
  test('sends the search, and other parameters only if they are set', async () => {
    const { service, url } = answering(ok, { perPage: 50 });
    expect(await service.timeline()).toEqual(about);
    expect(url().href).toBe('https://customers.example/v3/customers/timeline?search=');
    await service.timeline({ search: 'anna', verified: true, buckets: 60, exact: true });
    expect(url().search).toBe('?search=anna&verified=true&buckets=60&exact=true');
  });

  test.each<[body: unknown, message: string]>([
    [{}, 'data: expected object, got undefined'],
    [{ data: { ...about.data, total: '7' } }, 'data.total: expected integer, got string'],
    [{ data: { ...about.data, exact: undefined } }, 'data.exact: expected boolean, got undefined'],
    [{ data: { ...about.data, buckets: {} } }, 'data.buckets: expected array, got object'],
    [
      { data: { ...about.data, buckets: [about.data.buckets[0], { from: '', count: 1 }] } },
      'data.buckets[1].above: expected integer, got undefined',
    ],
  ])('in development, %j is a ContractError naming the path', async (body, message) => {
    const error = await rejection(answering(() => Response.json(body)).service.timeline());
    expect(error).toBeInstanceOf(ContractError);
    expect((error as Error).message).toBe(message);
  });
});

test('a timeline is mapped to dates, and an invalid one is an error naming the field', () => {
  expect(toTimeline(about)).toEqual({
    ...about.data,
    buckets: [
      { from: new Date(Date.UTC(2024, 3, 1)), count: 4, above: 0 },
      { from: new Date(Date.UTC(2024, 2, 1)), count: 3, above: 4 },
    ],
  });
  const buckets = [{ from: 'March', count: 3, above: 4 }];
  expect(() => toTimeline({ data: { ...about.data, buckets } })).toThrow(
    'from: expected an ISO 8601 timestamp, got string',
  );
});

describe('the cache key of a timeline', () => {
  const { service } = directory([]);

  test('has the trimmed search, whether it is exact, and other parameters only if they are set', () => {
    expect(customersTimelineQuery(service, { search: ' anna ' }).queryKey).toEqual([
      'customers',
      'timeline',
      true,
      'anna',
    ]);
    expect(
      customersTimelineQuery(service, { exact: false, buckets: 60, verified: true }).queryKey,
    ).toEqual(['customers', 'timeline', false, '', { verified: true, buckets: 60 }]);
  });

  test('starts with timelines(), and is none of lists()', () => {
    expect(customerKeys.timeline('anna').slice(0, 2)).toEqual(customerKeys.timelines());
    expect(customerKeys.timelines()).not.toEqual(customerKeys.lists());
  });
});

describe('the hook', () => {
  interface Params {
    search?: string;
    exact?: boolean;
    enabled?: boolean;
  }
  const open = (
    it: ReturnType<typeof directory>,
    initialProps: Params,
    client = new QueryClient(),
  ) =>
    renderHook((params: Params) => useCustomersTimeline(params), {
      wrapper: inside(it.service, client),
      initialProps,
    });

  test('keeps the inexact timeline until the exact one arrives, but none of another search', async () => {
    const it = directory([]);
    it.answers = [Response.json(about), Response.json(exact), new Promise(() => undefined)];
    const { result, rerender } = open(it, { search: 'anna', exact: false });
    expect(result.current).toMatchObject({ timeline: undefined, isPending: true });
    await waitFor(() => expect(result.current.timeline).toEqual(toTimeline(about)));
    rerender({ search: 'anna', exact: true });
    expect(result.current.timeline).toEqual(toTimeline(about));
    await waitFor(() => expect(result.current.timeline!.exact).toBe(true));
    rerender({ search: 'bert', exact: true });
    expect(result.current.timeline).toBeUndefined();
    expect(it.requests).toEqual([
      '/v3/customers/timeline?search=anna&exact=false',
      '/v3/customers/timeline?search=anna&exact=true',
      '/v3/customers/timeline?search=bert&exact=true',
    ]);
  });

  test('sends no request while it is not enabled', async () => {
    const it = directory([]);
    it.answers = [Response.json(about)];
    const { result, rerender } = open(it, { enabled: false });
    expect(result.current.isPending).toBe(true);
    expect(it.requests).toEqual([]);
    rerender({ enabled: true });
    await waitFor(() => expect(result.current.timeline).toBeDefined());
  });

  test('loses its data when the customers are cleared', async () => {
    const it = directory([]);
    it.answers = [Response.json(about)];
    const client = new QueryClient();
    const { result } = open(it, {}, client);
    await waitFor(() => expect(result.current.timeline).toBeDefined());
    clearCustomers(client);
    await waitFor(() => expect(result.current.timeline).toBeUndefined());
  });
});

test('a cached timeline does not disturb the search for a cached customer', async () => {
  const it = directory([customer(1)]);
  it.answers = [Response.json(about)];
  const client = new QueryClient();
  await client.fetchQuery(customersTimelineQuery(it.service));
  const found = await client.fetchQuery(customerQuery(it.service, customer(1).uuid, client));
  expect(found.data).toEqual(customer(1));
});

test('a service with another page size, below a second provider, reads timelines too', async () => {
  const client = new QueryClient();
  const outer = directory([], { perPage: 10 });
  const inner = directory([], { perPage: 20 });
  inner.answers = [Response.json(about)];
  const Outer = inside(outer.service, client);
  const { result } = renderHook(() => useCustomersService(), {
    wrapper: ({ children }) => (
      <Outer>
        <CustomersProvider service={inner.service}>{children}</CustomersProvider>
      </Outer>
    ),
  });
  expect(await result.current.timeline({ search: 'anna' })).toEqual(about);
});
