import { measureBareEngine, measureBestPlan } from '../bare-engine.ts';
import type { CustomersDatabase } from '../customers-database.ts';
import { list, searchPath } from '../list-requests.ts';
import { startService } from '../service.ts';
import { median } from '../statistics.ts';
import { columns, order, row, type Bench, type Row } from './measure.ts';

/** d: searches for rare names, which use the index. Each run has a new service, so that every search in it is cold. */
export async function coldRareSearches({ database, customers, runs }: Bench): Promise<Row[]> {
  const names = await rareNames(database, customers, 12);
  const raw: { ours: number[]; bare: number[] }[] = [];
  for (let i = 0; i < runs; i += 1) {
    const service = await startService(database.url, { CLIENTELE_WARM_UP: 'off' });
    try {
      await service.getWithRetries(list);
      await service.latency(searchPath('zzzzzz'), 5);
      const ours: number[] = [];
      const bare: number[] = [];
      for (const { name } of names) {
        bare.push(await bareRareSearch(database.url, name));
        ours.push((await service.get(searchPath(name))).ms);
      }
      raw.push({ ours, bare });
    } finally {
      await service.stop();
    }
  }
  const ratios = raw.map(({ ours, bare }) => median(ours.map((ms, i) => ms / bare[i]!)));
  return [
    row('d', 'cold rare search ÷ best count and page by PostgreSQL alone', ratios, 1.5, {
      names,
      runs: raw,
      ratios,
    }),
  ];
}

async function bareRareSearch(url: string, name: string): Promise<number> {
  const condition = `search_text like '%${name}%'`;
  const settings = { enable_seqscan: 'off' };
  const page = `select ${columns} from customers where ${condition} ${order} limit 25`;
  const count = `select count(*) from customers where ${condition}`;
  // A first run loads the pages into memory, so that neither side is charged for that.
  await measureBareEngine(url, { sql: count, times: 2, settings });
  return (
    (await measureBareEngine(url, { sql: page, times: 9, settings })).p50 +
    (await measureBareEngine(url, { sql: count, times: 9, settings })).p50
  );
}

/** e: searches with many matches, each the first of its kind after a restart. */
export async function coldBroadSearches({ database, runs }: Bench): Promise<Row[]> {
  const searches = { gmail: '%gmail%', a: '% a%', sm: '% sm%' };
  const raw: Record<string, { ours: number[]; bare: number[] }> = {};
  for (let i = 0; i < runs; i += 1) {
    const service = await startService(database.url, { CLIENTELE_WARM_UP: 'off' });
    try {
      await service.getWithRetries(list);
      for (const [search, pattern] of Object.entries(searches)) {
        const { ours, bare } = (raw[search] ??= { ours: [], bare: [] });
        const sql = `select count(*) from customers where search_text like '${pattern}'`;
        bare.push(
          (
            await measureBestPlan(database.url, [
              {
                sql,
                times: 3,
                settings: {
                  enable_bitmapscan: 'off',
                  parallel_setup_cost: '0',
                  parallel_tuple_cost: '0',
                },
              },
              { sql, times: 1, settings: { enable_seqscan: 'off' } },
            ])
          ).p50,
        );
        ours.push((await service.getWithRetries(searchPath(search))).ms);
      }
    } finally {
      await service.stop();
    }
  }
  const slowest = Object.values(raw)
    .map(({ ours, bare }) => ours.map((ms, i) => ms / bare[i]!))
    .reduce((a, b) => (median(b) > median(a) ? b : a));
  return [
    row('e', 'slowest cold broad search ÷ best count(*) by PostgreSQL alone', slowest, 1.5, raw),
  ];
}

/** Names that match between 0.005 % and 0.05 % of the customers. */
async function rareNames(database: CustomersDatabase, customers: number, count: number) {
  const candidates = await database.query<{ name: string }>(
    `select distinct lower(split_part(full_name, ' ', 2)) as name
     from customers tablesample system ($1) where full_name ~ '^[A-Z][a-z]+ [A-Z][a-z]{5,}$' limit 400`,
    [Math.min(100, 2_000_000 / customers)],
  );
  const names: { name: string; matches: number }[] = [];
  for (const { name } of candidates) {
    if (names.length === count) break;
    const [found] = await database.query<{ matches: number }>(
      'select count(*)::int as matches from customers where search_text like $1',
      [`%${name}%`],
    );
    const { matches } = found!;
    if (matches >= customers * 5e-5 && matches <= customers * 5e-4) names.push({ name, matches });
  }
  return names;
}
