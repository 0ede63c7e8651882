/** Takes the records of erased people out of batches. */
import type { Contact, Suppressions } from '@clientele/directory';
import type pg from 'pg';
import type { Batch } from './batch-builder.ts';
import { opCodes } from './copy-line.ts';
import { columns } from './fields.ts';
import { stagingColumns } from './upsert.ts';

const names: readonly string[] = [...stagingColumns, ...columns];
const [op, uuid, email, phone] = ['op', 'uuid', 'email_address', 'phone_number'].map((name) =>
  names.indexOf(name),
) as [number, number, number, number];
const cellsNeeded = Math.max(op, uuid, email, phone) + 1;

/**
 * The batch without them, and how many there were. In the transaction that writes the batch, after `lock_deletes`:
 * until its end, nobody is erased.
 */
export async function takeSuppressed(
  client: pg.ClientBase,
  suppressions: Suppressions,
  batch: Batch,
): Promise<{ batch: Batch; suppressed: number }> {
  await suppressions.update(client);
  const { screened } = batch;
  const isCurrent = screened !== undefined && !suppressions.isOutdated(screened);
  const found = await suppressions.find(
    client,
    isCurrent ? screened : suppressions.screen(contactsIn(batch)),
  );
  if (found.length === 0) return { batch, suppressed: 0 };
  return { batch: without(batch, new Set(found)), suppressed: found.length };
}

/** Of a whole file, not everything is read into memory at once. */
const portion = 10_000;

/** For records that were staged before the transaction that writes them. Returns how many were taken out. */
export async function takeNewlySuppressed(
  client: pg.ClientBase,
  suppressions: Suppressions,
): Promise<number> {
  if (!(await suppressions.update(client))) return 0;
  await client.query(
    `declare staged no scroll cursor for
     select i.position, i.uuid, i.email_address as email, i.phone_number as phone
     from pg_temp.incoming as i`,
  );
  const taken: number[] = [];
  for (;;) {
    const { rows } = await client.query<Contact & { position: number }>(
      `fetch ${portion} from staged`,
    );
    if (rows.length === 0) break;
    taken.push(...(await suppressions.find(client, suppressions.screen(rows))));
  }
  await client.query('close staged');
  await client.query('delete from pg_temp.incoming as i where i.position = any ($1)', [taken]);
  return taken.length;
}

/** For the triggers: what this transaction writes was compared with the suppressions. */
export const markChecked = `select set_config('clientele.checked', pg_current_xact_id()::text, true)`;

/** Of the records that write a customer. */
function* contactsIn({ rows, ends }: Batch): Generator<Contact & { position: number }> {
  let start = 0;
  for (const [position, end] of ends.entries()) {
    const cells = rows.toString('utf8', start, end).split('\t', cellsNeeded);
    start = end;
    if (Number(cells[op]) !== opCodes.upsert) continue;
    yield {
      position,
      uuid: cells[uuid]!,
      email: unescape(cells[email]!),
      phone: unescape(cells[phone]!),
    };
  }
}

const characters: Record<string, string> = { t: '\t', n: '\n', r: '\r' };

/** The value of a cell of COPY. */
function unescape(cell: string): string | null {
  if (cell === '\\N') return null;
  if (!cell.includes('\\')) return cell;
  return cell.replace(/\\(.)/g, (_, escaped: string) => characters[escaped] ?? escaped);
}

function without(batch: Batch, taken: ReadonlySet<number>): Batch {
  const kept: Buffer[] = [];
  const ends: number[] = [];
  let length = 0;
  for (const [i, end] of batch.ends.entries()) {
    if (taken.has(i)) continue;
    const line = batch.rows.subarray(batch.ends[i - 1] ?? 0, end);
    kept.push(line);
    length += line.length;
    ends.push(length);
  }
  return { ...batch, rows: Buffer.concat(kept), ends, raw: batch.raw.without(taken) };
}
