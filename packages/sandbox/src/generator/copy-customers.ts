import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { wireFields } from '@clientele/contract/customer-fields';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { customersCsv } from './formats.ts';

/** Copies generated customers into the table, in one statement. */
export const copyCustomers = (
  client: pg.ClientBase,
  seed: number,
  count: number,
  from = 0,
): Promise<void> => copyCsv(client, Readable.from(customersCsv(seed, from, count)));

/** Copies a CSV file of generated customers into the table with a plain COPY, without validation. */
export async function copyCsv(client: pg.ClientBase, csv: Readable): Promise<void> {
  const copy = `copy public.customers (${wireFields.join(', ')}) from stdin (format csv, header)`;
  await pipeline(csv, client.query(copyFrom(copy)));
}
