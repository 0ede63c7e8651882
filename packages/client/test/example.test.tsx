/** Runs examples/customer-list/app.tsx as it is, against the real server. */
import { Window } from 'happy-dom';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { populateGlobal } from 'vitest/runtime';
import { customer } from './directory.ts';
import { serve, type Served } from './served.ts';

// The server needs Node's globals, so the page's come on top of them here, before React is loaded.
// By ArrayBuffer the server tells bytes from objects, and its bytes are Node's.
const { ArrayBuffer } = globalThis;
const window = new Window();
populateGlobal(globalThis, window, { bindFunctions: true });
globalThis.ArrayBuffer = ArrayBuffer;
const { configure, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
// Machines that test are busy; what is awaited here takes milliseconds on an idle one.
configure({ asyncUtilTimeout: 10_000 });

let served: Served;
const asked: string[] = [];
const platformFetch = globalThis.fetch;

beforeAll(async () => {
  served = await serve();
  await served.server.database.insert(Array.from({ length: 23 }, (_, n) => customer(n + 1)));
  // What the proxy in the example's vite.config.ts does.
  globalThis.fetch = async (input, init) => {
    const path = input as string;
    asked.push(path);
    return platformFetch(`${served.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${served.server.key}` },
    });
  };
  document.body.innerHTML = '<div id="root"></div>';
  await import('../../../examples/customer-list/app.tsx');
});
afterAll(async () => {
  globalThis.fetch = platformFetch;
  await window.happyDOM.close();
  await served[Symbol.asyncDispose]();
});

const rows = () => screen.queryAllByRole('rowheader').map((cell) => cell.textContent);
const status = () => screen.getByRole('status').textContent;

test('the example lists, pages and searches', async () => {
  await waitFor(() => expect(status()).toBe('23 found'));
  expect(rows()).toEqual(Array.from({ length: 10 }, (_, n) => `Customer ${23 - n}`));
  const first = screen.getByRole('row', { name: /Customer 23/ });
  expect(within(first).getByText('€23.00')).toBeTruthy();
  expect(within(first).getByText('no order yet')).toBeTruthy();

  const next = screen.getByRole('button', { name: 'Next' });
  fireEvent.pointerEnter(next);
  await waitFor(() => expect(asked.at(-1)).toBe('/v3/customers?page=2&search=&perPage=10'));
  fireEvent.click(next);
  await waitFor(() => expect(rows()[0]).toBe('Customer 13'));
  fireEvent.click(next);
  await waitFor(() => expect(rows()).toEqual(['Customer 3', 'Customer 2', 'Customer 1']));
  expect((next as HTMLButtonElement).disabled, 'at the end').toBe(true);
  expect(
    asked.filter((url) => url.includes('page=2')),
    'prefetched, then not asked again',
  ).toHaveLength(1);

  fireEvent.change(screen.getByRole('searchbox', { name: 'Search' }), {
    target: { value: 'customer-7@' },
  });
  await waitFor(() => expect(rows()).toEqual(['Customer 7']));
  expect(status()).toBe('1 found');
  expect(screen.getByText(/Page 1 of 1/)).toBeTruthy();
});

test('the example says what is wrong when the key is refused', async () => {
  served.server.key = 'revoked';
  fireEvent.change(screen.getByRole('searchbox', { name: 'Search' }), {
    target: { value: 'other' },
  });
  await waitFor(() => {
    expect(screen.getByRole('alert').textContent).toBe('The key is missing or revoked.');
  });
});
