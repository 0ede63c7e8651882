/**
 * Requests during an import get complete and exact responses, without much delay.
 * `IMPORT_READERS=1000000` measures the delay with that many customers; by default only exactness is tested.
 */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTestDatabase, temporaryFolder } from '@clientele/sandbox/testing';
import { copyCustomers, customersCsv } from '@clientele/sandbox/generator';
import { clientele, startService } from './setup/executable.ts';
import { startLoad, failures, type HttpResponse } from './setup/load.ts';

const customers = Number(process.env['IMPORT_READERS'] ?? 2_000);
const measured = customers >= 100_000;

const paths = [
  '/v3/customers',
  '/v3/customers?search=anna',
  '/v3/customers?page=7&perPage=50',
  '/v3/customers?search=mar&page=3',
  '/v3/customers?page=100000',
  '/v3/customers?search=example',
  '/v3/customers?search=smith%20jo',
];

/** Pages that are shorter or longer than their total allows. */
function inconsistent(responses: readonly HttpResponse[]): object[] {
  return responses.flatMap(({ path, body }) => {
    const query = new URL(path, 'http://localhost').searchParams;
    const [page, perPage] = [Number(query.get('page') ?? 1), Number(query.get('perPage') ?? 25)];
    const { total } = body.pagination!;
    const length = (body.data as unknown[]).length;
    const complete = length === Math.min(perPage, Math.max(0, total - (page - 1) * perPage));
    return complete ? [] : [{ path, total, length }];
  });
}

function percentile(responses: readonly HttpResponse[], share: number): number {
  const sorted = responses.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))]!;
}

test(
  `lists stay exact for ${customers} customers while as many are imported`,
  { timeout: 3_600_000 },
  async () => {
    await using folder = await temporaryFolder();
    await using database = await createTestDatabase();
    const client = await database.connect();
    const [index] = await database.query<{ sql: string }>(
      `select pg_get_indexdef('public.customers_search'::regclass) as sql`,
    );
    await client.query('drop index public.customers_search');
    await copyCustomers(client, 1, customers);
    // The file will update some of the customers that are both in it and in the directory.
    await client.query(
      `update public.customers set company_name = 'Old' where total_orders % 4 = 1`,
    );
    await client.query(index!.sql);
    await client.query('vacuum analyze public.customers');
    // Half of the customers in the file exist already.
    const file = folder.path('customers.csv');
    const half = Math.floor(customers / 2);
    await pipeline(customersCsv(1, half, customers), createWriteStream(file));

    await using service = await startService({
      DATABASE_URL: database.url,
      CLIENTELE_AUTH: 'none',
    });
    const load = { targets: [service.url], paths, key: '', clients: 2, pauseMs: measured ? 50 : 0 };
    await using quiet = startLoad(load);
    await sleep(measured ? 20_000 : 1_000); // The measurement needs a period of time.
    await quiet.stop();

    await using busy = startLoad(load);
    const imported = await clientele(
      ['import', file, '--json', '--batch', measured ? '4000' : '200'],
      {
        DATABASE_URL: database.url,
      },
    );
    await busy.stop();

    const summary = JSON.parse(imported.stdout) as Record<string, number>;
    expect(summary, imported.stderr).toMatchObject({ read: customers, inserted: customers - half });
    expect(summary['updated']! + summary['unchanged']!).toBe(half);
    expect(summary['updated']).toBeGreaterThan(half / 20);
    for (const { responses } of [quiet, busy]) {
      expect(failures(responses)).toEqual({});
      expect(inconsistent(responses)).toEqual([]);
    }
    const totals = busy.responses
      .filter(({ path }) => path === paths[0])
      .map(({ body }) => body.pagination!.total);
    expect(totals.length).toBeGreaterThan(2);
    expect(new Set(totals).size, 'different totals during the import').toBeGreaterThan(1);
    const after = await fetch(`${service.url}/v3/customers`);
    const { pagination } = (await after.json()) as { pagination: { total: number } };
    expect(pagination.total).toBe(customers + customers - half);
    if (measured) {
      const [before, during] = [
        percentile(quiet.responses, 0.99),
        percentile(busy.responses, 0.99),
      ];
      const medians = [percentile(quiet.responses, 0.5), percentile(busy.responses, 0.5)];
      process.stderr.write(
        `p50 ${medians.map((ms) => ms.toFixed(1)).join(' → ')} ms, p99 ${before.toFixed(1)} → ${during.toFixed(1)} ms, ${busy.responses.length} responses, import ${imported.stdout}`,
      );
      expect(during).toBeLessThanOrEqual(3 * before);
    }
  },
);

test('lists and searches stay exact during a first import', async () => {
  await using folder = await temporaryFolder();
  await using database = await createTestDatabase();
  const env = { DATABASE_URL: database.url, CLIENTELE_AUTH: 'none' };
  const file = folder.path('customers.csv');
  await pipeline(customersCsv(1, 0, 10_000), createWriteStream(file));
  await using service = await startService(env);
  await using load = startLoad({ targets: [service.url], paths, key: '', clients: 2, pauseMs: 0 });
  expect((await clientele(['import', file, '--batch', '100'], env)).code).toBe(0);
  await load.stop();
  expect(load.responses.length).toBeGreaterThan(20);
  expect(failures(load.responses)).toEqual({});
  expect(inconsistent(load.responses)).toEqual([]);
  const total = async (path: string): Promise<number> => {
    const response = await fetch(`${service.url}${path}`);
    return ((await response.json()) as { pagination: { total: number } }).pagination.total;
  };
  expect(await total(paths[0]!)).toBe(10_000);
  const [anna] = await database.query<{ n: number }>(
    `select count(*)::int as n from customers where search_text like '%anna%'`,
  );
  expect(await total(paths[1]!)).toBe(anna!.n);
});
