/**
 * `pnpm bench:skew`: how bulk changes to a million customers affect pages while a server is running: a
 * million with the same creation time, a million backdated, a million more, and deleting half of all.
 * Prints Markdown.
 */
import { startWithCustomers } from './customers-database.ts';
import { list, searchPath, totalOf } from './list-requests.ts';
import { startService, type Service } from './service.ts';
import { median, type Summary } from './statistics.ts';

const million = 1_000_000;
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);

const copies = (createdAt: string): string => `
  insert into customers (uuid, full_name, email_address, phone_number, company_name, is_verified,
    total_orders, lifetime_value_cents, last_order_at, created_at)
  select gen_random_uuid(), full_name, email_address, phone_number, company_name, is_verified,
    total_orders, lifetime_value_cents, last_order_at, ${createdAt}
  from customers order by uuid limit ${million}`;

const steps: [string, string][] = [
  ['before', 'select'],
  ['a million with the same creation time', copies("'2024-05-05 05:05:05.555+00'")],
  ['a million backdated', copies("created_at - interval '30 years'")],
  ['a million more', copies("created_at + interval '1 millisecond'")],
  [
    'half of all deleted',
    "delete from customers where ('x' || left(uuid::text, 2))::bit(8)::int % 2 = 0",
  ],
];

const database = await startWithCustomers(million, say);
try {
  const service = await startService(database.url, { CLIENTELE_WARM_UP: 'off' });
  try {
    process.stdout.write(
      '| Step | Customers | a: deepest page ÷ page 1 | c: slowest search ÷ page 1 | c: p99, ms | first page after, ms |\n|---|---:|---:|---:|---:|---:|\n',
    );
    for (const [name, sql] of steps) {
      say(name);
      await database.query(sql);
      // Replaces autovacuum, which is off during measurements.
      await database.query('vacuum (analyze) customers');
      process.stdout.write(`| ${name} | ${(await measure(service)).join(' | ')} |\n`);
    }
  } finally {
    await service.stop();
  }
} finally {
  await database.stop();
}

async function measure(service: Service): Promise<(number | string)[]> {
  const first = await service.getWithRetries(list);
  const customers = totalOf(first.body);
  const searches: string[] = [];
  for (const search of ['gmail', 'a', 'smith', 'anna gmail']) {
    const { body } = await service.getWithRetries(searchPath(search));
    const pages = Math.ceil(totalOf(body) / 25);
    for (const page of [1, Math.ceil(pages / 2), pages]) searches.push(searchPath(search, page));
  }
  const deepest = [0.25, 0.5, 0.75, 1].map(
    (share) => `${list}?page=${Math.ceil((share * customers) / 25)}`,
  );
  const summaries = async (paths: string[]): Promise<Summary[]> => {
    const all: Summary[] = [];
    for (const path of paths) {
      await service.latency(path, 10);
      all.push(await service.latency(path, 60, () => database.commit()));
    }
    return all;
  };
  const rounds: { a: number; c: number; p99: number }[] = [];
  for (let i = 0; i < 3; i += 1) {
    const [one] = await summaries([list]);
    const deep = await summaries(deepest);
    const found = await summaries(searches);
    rounds.push({
      a: Math.max(...deep.map(({ p50 }) => p50)) / one!.p50,
      c: Math.max(...found.map(({ p50 }) => p50)) / one!.p50,
      p99: Math.max(...found.map(({ p99 }) => p99)),
    });
  }
  const medianOf = (key: 'a' | 'c' | 'p99'): string =>
    median(rounds.map((round) => round[key])).toFixed(2);
  return [customers, medianOf('a'), medianOf('c'), medianOf('p99'), Math.round(first.ms)];
}
