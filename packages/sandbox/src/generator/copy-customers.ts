import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { customersCopyText } from './formats.ts';

const copy = `copy public.customers (uuid, full_name, email_address, phone_number, company_name,
  is_verified, total_orders, lifetime_value_cents, last_order_at, created_at) from stdin`;

/** Copies generated customers into the table, in one statement. */
export async function copyCustomers(
  client: pg.ClientBase,
  seed: number,
  count: number,
  from = 0,
): Promise<void> {
  await pipeline(customersCopyText(seed, from, count), client.query(copyFrom(copy)));
}

/** Copies a CSV file of generated customers into the table with a plain COPY, without validation. */
export async function copyCsv(client: pg.ClientBase, csv: Readable): Promise<void> {
  await pipeline(csv, client.query(copyFrom(`${copy} (format csv, header)`)));
}
