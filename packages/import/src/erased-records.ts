/** The people whom a batch of a feed erases. */
import type { Contact } from '@clientele/directory';
import type pg from 'pg';
import type { Batch } from './batch-builder.ts';
import { opCodes } from './copy-line.ts';
import { columns } from './fields.ts';
import { stagingColumns } from './upsert.ts';

const names: readonly string[] = [...stagingColumns, ...columns];
const [op, uuid] = [names.indexOf('op'), names.indexOf('uuid')];

/** What the directory has about them, to keep them out later. */
export async function readErased(client: pg.ClientBase, batch: Batch): Promise<Contact[]> {
  if (!batch.deletes) return [];
  const lines = batch.rows.toString('utf8').split('\n');
  const erased = lines
    .map((line) => line.split('\t', uuid + 1))
    .filter((cells) => cells[op] === String(opCodes.erase));
  if (erased.length === 0) return [];
  const { rows } = await client.query<Contact>(
    `select u as uuid, c.email_address as email, c.phone_number as phone
     from unnest($1::uuid[]) as u left join public.customers as c on c.uuid = u`,
    [[...new Set(erased.map((cells) => cells[uuid]!))]],
  );
  return rows;
}
