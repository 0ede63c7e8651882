import type { CustomersService } from '@clientele/client';
import { buildCustomer } from '@clientele/client/testing';
import { expect, test } from 'vitest';
import { exportCustomers } from '../src/customers/export-customers.ts';

/** A list of so many customers; `change` may take some away once a page was read. */
async function exportWhile(
  count: number,
  change: (customers: ReturnType<typeof buildCustomer>[], page: number) => void = () => undefined,
) {
  const customers = Array.from({ length: count }, (_, n) => buildCustomer({}, n + 1));
  const list: CustomersService['list'] = async ({ page = 1, perPage = 25 } = {}) => {
    const data = customers.slice((page - 1) * perPage, page * perPage);
    const envelope = { data, pagination: { page, per_page: perPage, total: customers.length } };
    change(customers, page);
    return envelope;
  };
  const writer = { start: '', line: ({ id }: { id: string }) => `${id}\n` };
  const { signal } = new AbortController();
  const service = { list } as CustomersService;
  const options = { search: '', filters: {}, writer, signal };
  return exportCustomers(service, options, () => undefined);
}

test('an export of a list that stays the same is whole', async () => {
  expect(await exportWhile(250)).toMatchObject({ rows: 250, total: 250, hasChanged: false });
});

test('an export that skipped a customer does not count as whole, although its numbers agree', async () => {
  const exported = await exportWhile(250, (customers, page) => {
    if (page === 1) customers.shift();
  });
  expect(exported).toMatchObject({ rows: 249, total: 249, hasChanged: true });
});

test('a total that is the first one again has changed all the same', async () => {
  const exported = await exportWhile(250, (customers, page) => {
    if (page === 1) customers.shift();
    if (page === 2) customers.push(buildCustomer({}, 251));
  });
  expect(exported).toMatchObject({ total: 250, hasChanged: true });
});
