/**
 * `pnpm bench:masking`: searches of a masked caller compared with those of a full one, in turn, in one service; and
 * inserts with masking prepared compared with before. Works on a copy of the customers, because it changes them.
 */
import { parseArgs } from 'node:util';
import { scopes, type Scope } from '@clientele/contract';
import { prepareMasking } from '@clientele/server';
import { createAccessKey, withClient } from '@clientele/sandbox';
import { startWithCustomers } from './customers-database.ts';
import { HttpClient } from './http-client.ts';
import { startService } from './service.ts';
import { median, spread } from './statistics.ts';

const { values } = parseArgs({ options: { customers: { type: 'string', default: '100000' } } });
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);
const withoutContact = scopes.filter((scope) => scope !== 'customers:contact');

const database = await startWithCustomers(Number(values.customers), say);
try {
  const before = await insertTimes();
  const preparing = performance.now();
  await withClient(database.url, (client) => prepareMasking(client));
  say(`masking prepared in ${((performance.now() - preparing) / 1_000).toFixed(1)} s`);
  const after = await insertTimes();
  process.stdout.write('| Masked ÷ full | Median | between |\n| --- | ---: | --- |\n');
  row('single insert, with masking prepared ÷ before', ratios(after, before));
  await compareSearches();
} finally {
  await database.stop();
}

async function insertTimes(): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < 800; i += 1) {
    const start = performance.now();
    await database.query(
      `insert into customers (full_name, email_address, company_name)
       values ('Ada ' || $1::int, 'ada.' || $1::int || '@mail.example', 'Example ' || $1::int)`,
      [i],
    );
    times.push(performance.now() - start);
  }
  // The first ones find caches cold.
  return times.slice(-400);
}

async function compareSearches(): Promise<void> {
  const service = await startService(database.url, { CLIENTELE_WARM_UP: 'off' });
  const port = Number(new URL(service.origin).port);
  const clientWith = async (may: readonly Scope[]): Promise<HttpClient> => {
    const key = await createAccessKey(database.url, 'bench', may);
    return new HttpClient(port, { authorization: `Bearer ${key}` });
  };
  const full = await clientWith(scopes);
  const masked = await clientWith(withoutContact);
  const time = async (client: HttpClient, path: string): Promise<number> => {
    // So that the page is not sent again.
    await database.commit();
    const start = performance.now();
    const { status, body } = await client.get(path);
    if (status !== 200) throw new Error(`${path} returned ${status}: ${body}`);
    return performance.now() - start;
  };
  /** Whoever comes first changes every time. */
  const inTurn = async (paths: string[]): Promise<number[]> => {
    const found: number[] = [];
    for (const [i, path] of paths.entries()) {
      const order = i % 2 === 0 ? [full, masked] : [masked, full];
      const times = new Map<HttpClient, number>();
      for (const client of order) times.set(client, await time(client, path));
      found.push(times.get(masked)! / times.get(full)!);
    }
    return found;
  };
  try {
    for (const client of [full, masked]) await time(client, '/v3/customers');
    const names = await database.query<{ name: string }>(
      `select distinct lower(split_part(full_name, ' ', 1)) as name from customers order by 1 limit 60`,
    );
    const searches = names.map(({ name }) => `/v3/customers?search=${encodeURIComponent(name)}`);
    row('first count of a name', await inTurn(searches));
    row('page of a counted name', await inTurn([...searches, ...searches]));
    row('any page', await inTurn(searches.map((_, i) => `/v3/customers?page=${1 + 60 * i}`)));
  } finally {
    full.close();
    masked.close();
    await service.stop();
  }
}

function ratios(some: number[], others: number[]): number[] {
  const usual = median(others);
  return some.map((value) => value / usual);
}

function row(name: string, values: number[]): void {
  const { median: middle, least, most } = spread(values);
  process.stdout.write(
    `| ${name} | ${middle.toFixed(2)} | ${least.toFixed(2)} and ${most.toFixed(2)} |\n`,
  );
}
