/** Runs the unmodified examples/customer-list/app.tsx against the real server. */
import { Window } from 'happy-dom';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { populateGlobal } from 'vitest/runtime';
import { customer } from './directory.ts';
import { serve, type Served } from './served.ts';

// The server needs Node's globals, so the DOM's are added to them here, before React is loaded.
// ArrayBuffer stays Node's: the server uses it to recognize binary data.
const { ArrayBuffer } = globalThis;
const window = new Window({ url: 'https://app.example' });
populateGlobal(globalThis, window, { bindFunctions: true });
globalThis.ArrayBuffer = ArrayBuffer;
const { configure, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
// Generous, because test machines are busy. On an idle one these waits take milliseconds.
configure({ asyncUtilTimeout: 300_000 });

let served: Served;
const requests: string[] = [];
const platformFetch = globalThis.fetch;

beforeAll(async () => {
  served = await serve();
  await served.server.database.insert(Array.from({ length: 23 }, (_, n) => customer(n + 1)));
  // Does what the proxy in the example's vite.config.ts does.
  globalThis.fetch = async (input, init) => {
    const path = input as string;
    requests.push(path);
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
  // The window stays open: React may still have something to render.
  await served[Symbol.asyncDispose]();
});

const rows = () => screen.queryAllByRole('rowheader').map((cell) => cell.textContent);
const status = () => screen.getByRole('status').textContent;

test('the example lists, paginates and searches', async () => {
  await waitFor(() => expect(status()).toBe('23 found'));
  expect(rows()).toEqual(Array.from({ length: 10 }, (_, n) => `Customer ${23 - n}`));
  const first = screen.getByRole('row', { name: /Customer 23/ });
  expect(within(first).getByText('€23.00')).toBeTruthy();
  expect(within(first).getByText('no order yet')).toBeTruthy();

  const next = screen.getByRole('button', { name: 'Next' });
  fireEvent.pointerEnter(next);
  await waitFor(() => expect(requests.at(-1)).toBe('/v3/customers?page=2&search=&perPage=10'));
  fireEvent.click(next);
  await waitFor(() => expect(rows()[0]).toBe('Customer 13'));
  fireEvent.click(next);
  await waitFor(() => expect(rows()).toEqual(['Customer 3', 'Customer 2', 'Customer 1']));
  expect((next as HTMLButtonElement).disabled, 'at the end').toBe(true);
  expect(
    requests.filter((url) => url.includes('page=2')),
    'prefetched, then not requested again',
  ).toHaveLength(1);

  for (const value of ['c', 'customer', 'customer-7@']) {
    fireEvent.change(screen.getByRole('searchbox', { name: 'Search' }), { target: { value } });
  }
  await waitFor(() => expect(rows()).toEqual(['Customer 7']));
  expect(
    requests.filter((url) => !url.includes('search=&')),
    'one request for three keystrokes',
  ).toEqual(['/v3/customers?page=1&search=customer-7%40&perPage=10']);
  expect(status()).toBe('1 found');
  expect(screen.getByText(/Page 1 of 1/)).toBeTruthy();
});

test('the example explains a rejected key', async () => {
  served.server.key = 'revoked';
  fireEvent.change(screen.getByRole('searchbox', { name: 'Search' }), {
    target: { value: 'other' },
  });
  await waitFor(() => {
    expect(screen.getByRole('alert').textContent).toContain('The key is missing or revoked.');
  });
  expect(screen.queryByText(/found/), 'not "0 found"').toBeNull();
});
