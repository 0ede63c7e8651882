import { setTimeout as sleep } from 'node:timers/promises';
import type { CustomersDatabase } from '../customers-database.ts';
import { list, searchPath } from '../list-requests.ts';
import { startService } from '../service.ts';
import { median } from '../statistics.ts';
import { row, type Bench, type Row } from './measure.ts';

/** How many instances are started. */
const instances = 3;
/** How long an instance may take to count and store the common searches, in milliseconds. */
const longestWarmUp = 600_000;

/** u: common searches on a new instance, one second after it is ready; another one has stored their counts. */
export async function newInstance({ database, say }: Bench): Promise<Row[]> {
  say('waiting until the maps of common searches are stored');
  await storeMaps(database);
  const raw: { first: number[]; warm: number[]; scans: number }[] = [];
  for (let i = 0; i < instances; i += 1) {
    const before = await scansOf(database);
    const service = await startService(database.url);
    const first: number[] = [];
    const warm: number[] = [];
    try {
      await service.latency(list, 20);
      await sleep(1_000);
      for (const { search } of await stored(database)) {
        first.push((await service.get(searchPath(search))).ms);
        warm.push((await service.latency(searchPath(search), 20)).p50);
      }
    } finally {
      await service.stop();
    }
    // Sessions report their scans when they end.
    await sleep(1_000);
    raw.push({ first, warm, scans: (await scansOf(database)) - before });
  }
  const ratios = raw.map(({ first, warm, scans }) =>
    // An instance that reads the table is not warm, however fast it is.
    scans > 0 ? Infinity : median(first.map((ms, i) => ms / warm[i]!)),
  );
  return [row('u', 'common search on a new instance ÷ its warm p50, no scan', ratios, 2, raw)];
}

/** With the counts of all common searches: they are stored one after the other, once all are counted. */
export async function storeMaps(database: CustomersDatabase): Promise<void> {
  const service = await startService(database.url);
  try {
    const until = performance.now() + longestWarmUp;
    for (let before = 0; ;) {
      await sleep(2_000);
      const now = (await stored(database)).length;
      if (now > 0 && now === before) return;
      before = now;
      if (performance.now() > until) throw new Error('the maps were not stored in time');
    }
  } finally {
    await service.stop();
  }
}

const stored = (database: CustomersDatabase) =>
  database.query<{ search: string }>('select search from clientele.stored_maps order by search');

async function scansOf(database: CustomersDatabase): Promise<number> {
  const [found] = await database.query<{ scans: number }>(
    `select (t.seq_scan + i.idx_scan)::int as scans
     from pg_stat_user_tables as t, pg_stat_user_indexes as i
     where t.relid = 'public.customers'::regclass and i.relid = t.relid
       and i.indexrelname = 'customers_search'`,
  );
  return found!.scans;
}
