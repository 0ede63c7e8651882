import { measureBareEngine } from '../bare-engine.ts';
import { list, searchPath, totalOf } from '../list-requests.ts';
import type { Service } from '../service.ts';
import { median, type Summary } from '../statistics.ts';
import { columns, order, row, rounds, type Bench, type Row } from './measure.ts';

/** a, b and c: pages and searches that the service has answered before. */
export async function warmPages({ database, customers }: Bench, service: Service): Promise<Row[]> {
  const gmail = totalOf((await service.getWithRetries(searchPath('gmail'))).body);
  // Before each request, so that no response can be reused from an earlier one.
  const commit = () => database.commit();
  const lastPage = Math.ceil(customers / 25);
  const paths: Record<string, string> = {
    [`page ${lastPage}`]: `${list}?page=${lastPage}`,
    'gmail 1': searchPath('gmail'),
    [`gmail ${Math.ceil(gmail / 60)}`]: searchPath('gmail', Math.ceil(gmail / 60)),
    'gmail last': searchPath('gmail', Math.ceil(gmail / 25)),
    smith: searchPath('smith'),
    a: searchPath('a'),
    sm: searchPath('sm'),
    'anna gmail': searchPath('anna gmail'),
  };
  for (const path of [list, ...Object.values(paths)]) {
    await service.getWithRetries(path);
    await service.latency(path, 30);
  }

  const bareRows = { sql: `select ${columns} from customers ${order} limit 25`, times: 200 };
  const firstPages: Summary[] = [];
  const bare: Summary[] = [];
  const others: Record<string, Summary[]> = {};
  for (let i = 0; i < rounds; i += 1) {
    firstPages.push(await service.latency(list, 150, commit));
    bare.push(await measureBareEngine(database.url, bareRows));
    for (const [name, path] of Object.entries(paths)) {
      (others[name] ??= []).push(await service.latency(path, 100, commit));
    }
  }
  const ratios = (name: string): number[] =>
    others[name]!.map(({ p50 }, i) => p50 / firstPages[i]!.p50);
  const deep = `page ${lastPage}`;
  const differences = firstPages.map(({ p50 }, i) => p50 - bare[i]!.p50);
  const searches = Object.keys(paths).filter((name) => name !== deep);
  const worst = Math.max(...searches.map((name) => median(ratios(name))));
  const worstP99 = Math.max(...searches.map((name) => median(others[name]!.map(({ p99 }) => p99))));
  // On a machine that stalls, page 1 is slow too.
  const p99Limit = Math.max(50, 4 * median(firstPages.map((each) => each.p99)));
  return [
    row('a', `p50 of ${deep} ÷ page 1`, ratios(deep), 2, { ratios: ratios(deep) }),
    row('b', 'p50 of page 1 over HTTP − its rows by PostgreSQL alone, ms', differences, 1, {
      differences,
      http: firstPages,
      bare,
    }),
    {
      ...row(
        'c',
        'slowest warm search, p50 ÷ page 1 (p99 ≤ 50 ms, or 4 × that of page 1)',
        worst,
        4,
        {
          ratios: Object.fromEntries(searches.map((name) => [name, ratios(name)])),
          milliseconds: others,
          worstP99,
        },
      ),
      holds: worst <= 4 && worstP99 <= p99Limit,
    },
  ];
}
