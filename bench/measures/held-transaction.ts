import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '@clientele/sandbox';
import { copyCustomers } from '@clientele/sandbox/generator';
import type pg from 'pg';
import { list } from '../list-requests.ts';
import { withScratchDatabase } from '../scratch-database.ts';
import { startService, type Service } from '../service.ts';
import { median, type Summary } from '../statistics.ts';
import { row, rounds, type Bench, type Row } from './measure.ts';

const mostCustomers = 200_000;
/** Fewer than a transaction may list. */
const perTransaction = 5_000;
/** The default of CLIENTELE_MEMORY_MB. */
const memoryMb = 256;

/** o: page 1 while a transaction that has written stays open, and others write a million changes (fewer where there are few customers). */
export async function heldTransaction({ database, customers, say }: Bench): Promise<Row[]> {
  const size = Math.min(customers, mostCustomers);
  const entries = Math.min(1_000_000, 2 * customers);
  return withScratchDatabase(database.url, async (client, url) => {
    // Nothing is searched here, and without this index the changes are written many times faster.
    await client.query('drop index public.customers_search');
    await copyCustomers(client, 1, size);
    await client.query('vacuum (analyze) customers');
    await client.query('truncate clientele.changes');
    const service = await startService(url, { CLIENTELE_WARM_UP: 'off' });
    try {
      const commit = () => client.query('select pg_current_xact_id()');
      const measure = async (): Promise<Summary[]> => {
        const summaries: Summary[] = [];
        for (let i = 0; i < rounds; i += 1)
          summaries.push(await service.latency(list, 150, commit));
        return summaries;
      };
      await service.getWithRetries(list);
      await service.latency(list, 100, commit);
      const before = await measure();
      let firstMs = 0;
      let memory = 0;
      const held = await withClient(url, async (holder) => {
        await holder.query('begin');
        await holder.query(`insert into customers (full_name, email_address)
          values ('Held Open', 'held@example.com')`);
        say(`o: writing ${entries} changes`);
        await writeEntries(client, entries, service);
        firstMs = (await service.getWithRetries(list)).ms;
        const summaries = await measure();
        memory = await service.memoryMb();
        await holder.query('rollback');
        return summaries;
      });
      const after = await measure();
      const p50s = (summaries: Summary[]): number[] => summaries.map(({ p50 }) => p50);
      const quiet = median(p50s([...before, ...after]));
      const ratios = p50s(held).map((ms) => ms / quiet);
      say(`o: ${memory.toFixed(0)} MB, first page 1 after the changes ${firstMs.toFixed(1)} ms`);
      const result = row(
        'o',
        `p50 of page 1, transaction held over ${entries.toLocaleString('en')} changes ÷ without (≤ ${memoryMb} MB)`,
        ratios,
        2,
        { ratios, memory, firstMs, before, held, after },
      );
      return [{ ...result, holds: result.holds === true && memory <= memoryMb }];
    } finally {
      await service.stop();
    }
  });
}

/**
 * Real changes of searchable text, none of them on the first pages: their dead versions would slow down
 * PostgreSQL alone, too. A request from time to time, as in production.
 */
async function writeEntries(client: pg.Client, entries: number, service: Service): Promise<void> {
  const { rows } = await client.query<{ uuids: string[] }>(
    `select array_agg(uuid) as uuids from (
       select uuid, (row_number() over (order by uuid) - 1) / $1 as batch
       from customers order by place desc offset 1000
     ) as numbered group by batch`,
    [perTransaction],
  );
  for (let written = 0, i = 0; written < entries; i += 1) {
    const { uuids } = rows[i % rows.length]!;
    const batch = uuids.slice(0, entries - written);
    await client.query(
      `update customers set company_name = 'Changed ' || $2::text where uuid = any ($1)`,
      [batch, i],
    );
    written += batch.length;
    // One in a few fails where the service is overwhelmed; the measurement itself tolerates no failure.
    await service.get(list).catch(() => sleep(100));
  }
}
