/** Run by `pnpm pack:check` in a project with no other dependency than this package. */
import {
  createCustomersService,
  type Customer,
  isContractError,
  toCustomerPage,
  type WireCustomer,
} from '@clientele/client';

const anna: WireCustomer = {
  uuid: '00000000-0000-4000-8000-000000000001',
  full_name: 'Anna Example',
  email_address: 'anna@example.com',
  phone_number: null,
  company_name: null,
  is_verified: true,
  total_orders: 1,
  lifetime_value_cents: 1250,
  last_order_at: null,
  created_at: '2026-01-31T09:05:00.000Z',
};

const serve = (data: unknown) =>
  createCustomersService({
    baseUrl: 'https://customers.example',
    headers: { authorization: 'Bearer key' },
    fetch: async () => Response.json({ data, pagination: { page: 1, per_page: 25, total: 1 } }),
  });

const { items } = toCustomerPage(await serve([anna]).list({ search: 'anna' }));
const customer: Customer | undefined = items[0];
if (customer?.lifetimeValue !== 12.5) throw new Error('The list was not read correctly');

// The build decides whether bodies are checked, not the caller.
const [, , mode] = process.argv;
const failure = await serve('not a list')
  .list()
  .then(
    () => undefined,
    (error: unknown) => error,
  );
if (isContractError(failure) !== (mode === 'checked')) {
  throw new Error(`Expected bodies to be ${mode}; got ${String(failure)}`);
}
