/** Run by `pnpm pack:check` in a project with no other dependency than this package. */
import {
  createCustomersService,
  type Customer,
  isContractError,
  toCustomerPage,
  type WireCustomer,
} from '@clientele/client';
import { buildCustomer } from '@clientele/client/testing';

const anna: WireCustomer = buildCustomer({
  full_name: 'Anna Example',
  email_address: 'anna@example.com',
  lifetime_value_cents: 1250,
});

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
