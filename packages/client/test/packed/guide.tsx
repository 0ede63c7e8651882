// @vitest-environment happy-dom
/**
 * What the user sees of the guide's samples: on a good day, offline, signed out, behind a captive
 * portal and without a connection. `scripts/guide-samples.ts` copies this file to the extracted samples.
 */
import { createCustomersService, type WireCustomerList } from '@clientele/client';
import { CustomersProvider } from '@clientele/client/react';
import { buildCustomer } from '@clientele/client/testing';
import {
  focusManager,
  onlineManager,
  QueryClient,
  QueryClientProvider,
} from '@tanstack/react-query';
import { act, cleanup, configure, fireEvent, render, screen } from '@testing-library/react';
import type { ComponentType, ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

// Generous, because test machines are busy. On an idle one these waits take milliseconds.
configure({ asyncUtilTimeout: 300_000 });

/**
 * Imports a sample, by a variable because the samples are not files in the repository, and separately
 * for each test because the app has one cache for its lifetime.
 */
const sample = (file: string) =>
  import(/* @vite-ignore */ `./${file}?${(imported += 1)}`) as Promise<
    Record<string, ComponentType<any>>
  >;
let imported = 0;
type Page = (props: { children: ReactNode }) => Promise<ReactNode>;

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const customers = Array.from({ length: 60 }, (_, n) => buildCustomer({ is_verified: true }, n));

const service = async (url: string): Promise<Response> => {
  const { pathname, searchParams } = new URL(url, 'https://customers.example');
  const one = /^\/v3\/customers\/(.+)$/.exec(pathname)?.[1];
  if (one) return Response.json({ data: customers.find(({ uuid }) => uuid === one) });
  const page = Number(searchParams.get('page'));
  const per_page = Number(searchParams.get('perPage') ?? 25);
  const found = customers.filter(({ full_name }) =>
    full_name.includes(searchParams.get('search') ?? ''),
  );
  return Response.json({
    data: found.slice((page - 1) * per_page, page * per_page),
    pagination: { page, per_page, total: found.length },
  } satisfies WireCustomerList);
};
const signedOut = async () => new Response('', { status: 401 });
const captivePortal = async () =>
  new Response('<h1>Welcome to our Wi-Fi</h1>', { headers: { 'content-type': 'text/html' } });
const unreachable = async () => Promise.reject(new TypeError('Failed to fetch'));

const requests: string[] = [];
function answer(respond: (url: string) => Promise<Response>): void {
  vi.stubGlobal('fetch', (url: string) => {
    requests.push(url);
    return respond(url);
  });
}

beforeEach(() => {
  requests.length = 0;
  window.history.replaceState(null, '', '/');
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => {
  cleanup();
  onlineManager.setOnline(true);
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** The list brings its own providers; the other samples are rendered inside some. */
async function show(file: string, name: string, props: object = {}): Promise<void> {
  const Sample = (await sample(file))[name]!;
  render(
    <QueryClientProvider client={new QueryClient()}>
      <CustomersProvider service={createCustomersService({ baseUrl: '' })}>
        <Sample {...props} />
      </CustomersProvider>
    </QueryClientProvider>,
  );
}

/** TanStack Query listens for the event only while a provider is mounted. */
function goOffline(): void {
  render(<QueryClientProvider client={new QueryClient()}>{null}</QueryClientProvider>);
  act(() => void window.dispatchEvent(new Event('offline')));
}
const goOnline = () => act(() => void window.dispatchEvent(new Event('online')));

const samples: [file: string, name: string, props: object, works: string][] = [
  ['app.tsx', 'App', {}, '60 found'],
  ['customer-detail.tsx', 'CustomerDetail', { id: id(7) }, 'Customer 7'],
  ['endless-list.tsx', 'EndlessList', { search: '' }, '25 of 60 customers'],
  ['suspense-list.tsx', 'SuspenseList', {}, 'Customer 24'],
  ['first-rows.tsx', 'FirstRows', { search: 'Customer 4' }, '11 found'],
];
/** A row or a count, even a count of 0: an outage must not look like an empty directory. */
const customersShown = () => screen.queryAllByText(/\d of|\d found|Customer \d/);

describe.each(samples)('%s', (file, name, props, works) => {
  test('shows customers', async () => {
    answer(service);
    await show(file, name, props);
    await screen.findByText(works);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test.each([
    ['signed out', signedOut, 'Please sign in again.'],
    ['behind a captive portal', captivePortal, 'Another system answered instead of the service.'],
  ])('says so at once when %s, and can try again', async (_when, respond, message) => {
    answer(respond);
    await show(file, name, props);
    expect((await screen.findByRole('alert')).textContent).toContain(message);
    expect(customersShown()).toEqual([]);
    expect(requests).toHaveLength(1);
    answer(service);
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByText(works);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('is loading while a failed connection is retried, and says so after 7 seconds', async () => {
    vi.useFakeTimers();
    answer(unreachable);
    await show(file, name, props);
    await act(() => vi.advanceTimersByTimeAsync(6900));
    expect(screen.queryByRole('alert'), 'at 6.9 s').toBeNull();
    expect(customersShown()).toEqual([]);
    await act(() => vi.advanceTimersByTimeAsync(500));
    expect(screen.getByRole('alert').textContent).toContain('The service cannot be reached.');
    expect(customersShown()).toEqual([]);
    expect(requests).toHaveLength(4);
  });

  test('says that the browser is offline, and loads when it is back online', async () => {
    answer(service);
    goOffline();
    await show(file, name, props);
    // Suspense has no state for it: the fallback stays.
    await screen.findByText(file === 'suspense-list.tsx' ? 'Loading…' : /^You are offline/);
    expect(customersShown()).toEqual([]);
    expect(requests).toEqual([]);
    goOnline();
    await screen.findByText(works);
    expect(screen.queryByText(/offline/)).toBeNull();
  });
});

describe('the list', () => {
  const type = (text: string) =>
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: text } });

  test('searches once after typing, from page 1, and keeps both in the URL', async () => {
    answer(service);
    await show('app.tsx', 'App');
    await screen.findByText('60 found');
    fireEvent.click(screen.getByRole('button', { name: 'Next' }));
    await screen.findByText('Customer 50');
    for (const text of ['C', 'Customer', 'Customer 4']) type(text);
    await screen.findByText('11 found');
    expect(requests.slice(2)).toEqual(['/v3/customers?page=1&search=Customer+4&perPage=50']);
    expect(window.location.search).toBe('?page=1&search=Customer+4');
  });

  test('starts with the page and the search of the URL', async () => {
    window.history.replaceState(null, '', '?page=2&search=Customer');
    answer(service);
    await show('app.tsx', 'App');
    await screen.findByText('Customer 55');
    expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe('Customer');
  });

  test('searched offline shows neither the count nor the rows of the previous search', async () => {
    answer(service);
    await show('app.tsx', 'App');
    await screen.findByText('60 found');
    goOffline();
    type('Customer 4');
    fireEvent.submit(screen.getByRole('search'));
    await screen.findByText(/^You are offline/);
    expect(customersShown()).toEqual([]);
    goOnline();
    await screen.findByText('11 found');
  });
});

describe('did you mean', () => {
  const asked = () => requests.filter((url) => url.includes('/suggestions'));
  const props = { search: 'shmidt', goTo: () => undefined };

  test('asks for suggestions once the list is known to be empty', async () => {
    answer(async (url) =>
      url.includes('/suggestions')
        ? Response.json({ data: [{ search: 'schmidt', total: 3 }] })
        : service(url),
    );
    await show('did-you-mean.tsx', 'DidYouMean', props);
    await screen.findByText('schmidt (3)');
    expect(asked()).toHaveLength(1);
  });

  test.each([
    ['signed out', signedOut, 1],
    ['behind a captive portal', captivePortal, 1],
    ['without a connection', unreachable, 4],
    ['during an outage', async () => new Response('', { status: 500 }), 4],
  ])('asks for none %s', async (_when, respond, expected) => {
    vi.useFakeTimers();
    answer(respond);
    await show('did-you-mean.tsx', 'DidYouMean', props);
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(asked()).toEqual([]);
    expect(requests).toHaveLength(expected);
  });
});

test('options are passed on: the sample asks again each minute', async () => {
  vi.useFakeTimers();
  answer(service);
  await show('new-customers.tsx', 'NewCustomers');
  await act(() => vi.advanceTimersByTimeAsync(121_000));
  expect(screen.getByText('60 new customers')).toBeTruthy();
  expect(requests).toHaveLength(3);
});

test('React Native: the network and the foreground of the device are those of the queries', async () => {
  const { connectToDevice } = (await sample('connect-to-device.ts')) as unknown as {
    connectToDevice: (netInfo: object, appState: object) => void;
  };
  let say = (_state: { isConnected: boolean | null }): void => undefined;
  let change = (_state: string): void => undefined;
  const netInfo = {
    addEventListener: (listener: typeof say) => ((say = listener), () => undefined),
  };
  const appState = {
    addEventListener: (_type: string, listener: typeof change) => {
      change = listener;
      return { remove: () => undefined };
    },
  };
  connectToDevice(netInfo, appState);
  answer(service);
  say({ isConnected: false });
  await show('customer-detail.tsx', 'CustomerDetail', { id: id(7) });
  await screen.findByText('You are offline.');
  act(() => say({ isConnected: true }));
  await screen.findByText('Customer 7');
  change('background');
  expect(focusManager.isFocused()).toBe(false);
  change('active');
  expect(focusManager.isFocused()).toBe(true);
});

test('the customer view sends no request until a customer is selected', async () => {
  answer(service);
  await show('customer-detail.tsx', 'CustomerDetail', { id: undefined });
  await screen.findByText('Select a customer.');
  expect(requests).toEqual([]);
});

test('the endless list appends pages', async () => {
  answer(service);
  await show('endless-list.tsx', 'EndlessList', { search: '' });
  await screen.findByText('25 of 60 customers');
  fireEvent.click(screen.getByRole('button', { name: 'More' }));
  await screen.findByText('50 of 60 customers');
  fireEvent.click(screen.getByRole('button', { name: 'More' }));
  await screen.findByText('60 of 60 customers');
  expect(screen.queryByRole('button')).toBeNull();
});

describe('server rendering', () => {
  const page = async () => {
    vi.stubEnv('CLIENTELE_URL', 'https://customers.example');
    vi.stubEnv('CLIENTELE_KEY', 'the-key');
    const { CustomersPage } = await sample('customers-page.tsx');
    return (CustomersPage as unknown as Page)({ children: <p>content</p> });
  };

  test('requests the list with the key', async () => {
    let sent: [url: string, init: RequestInit] | undefined;
    vi.stubGlobal('fetch', (...request: [url: string, init: RequestInit]) => {
      sent = request;
      return service(request[0]);
    });
    const client = new QueryClient();
    const html = renderToString(
      <QueryClientProvider client={client}>{await page()}</QueryClientProvider>,
    );
    expect(html).toBe('<p>content</p>');
    expect(sent![0]).toBe('https://customers.example/v3/customers?page=1&search=&perPage=50');
    expect(sent![1].headers).toEqual({ authorization: 'Bearer the-key' });
    expect(client.getQueryCache().getAll(), 'hydrated').toHaveLength(1);
  });

  test('fails if the service does', async () => {
    answer(signedOut);
    await expect(page()).rejects.toMatchObject({ name: 'ApiError', status: 401 });
  });
});
