import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { customersCopyText } from './formats.ts';

/** Puts customers of a seed into the table, all or none. */
export async function copyCustomers(
  client: pg.ClientBase,
  seed: number,
  count: number,
  from = 0,
): Promise<void> {
  const copy = copyFrom(
    `copy public.customers (uuid, full_name, email_address, phone_number, company_name,
       is_verified, total_orders, lifetime_value_cents, last_order_at, created_at)
     from stdin`,
  );
  await pipeline(customersCopyText(seed, from, count), client.query(copy));
}
