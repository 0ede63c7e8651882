import type { WireCustomer } from '@clientele/contract';

/** Enough customers for lists, searches and lookups to return something. */
export const customers: Partial<WireCustomer>[] = Array.from({ length: 60 }, (_, i) => ({
  uuid: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
  full_name: `Customer ${i}`,
  email_address: `customer-${i}@mail.example`,
  is_verified: i % 2 === 0,
  total_orders: i,
  lifetime_value_cents: i * 100,
  created_at: new Date(Date.UTC(2026, 0, 1, 0, i)).toISOString(),
}));

const ids = customers.map(({ uuid }) => `/v3/customers/${uuid}`);

/** A mix of lists, searches and lookups. */
export const reads: string[] = ids
  .slice(0, 20)
  .flatMap((lookup, i) => [
    '/v3/customers',
    lookup,
    `/v3/customers?search=customer-${i}`,
    ids[i + 20]!,
    `/v3/customers?page=2&perPage=${i + 1}`,
  ]);
