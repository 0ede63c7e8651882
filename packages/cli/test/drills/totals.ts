/** Totals over HTTP against counts by SQL, while nothing is written. */
import { withClient } from '@clientele/sandbox';
import type pg from 'pg';
import { httpGet } from '../setup/load.ts';

/** More customers, so that the table is not tiny: none of them matches the searches of the load. */
export async function insertBulk(client: pg.Client, count: number): Promise<void> {
  await client.query(
    `insert into customers (full_name, email_address, company_name, created_at)
     select 'Bulk ' || i, 'bulk-' || i || '@mail.example', 'Bulk Company ' || i % 1000,
       '2021-01-01T00:00:00Z'::timestamptz + i * interval '1 minute'
     from generate_series(1, $1::int) as i`,
    [count],
  );
}

/** The searches are words of names only. They are matched by a plain pattern, not by our own functions. */
export async function compareTotals(
  databaseUrl: string,
  serviceUrl: string,
  key: string,
  searches: readonly string[],
) {
  const differences: string[] = [];
  await withClient(databaseUrl, async (client) => {
    for (const search of searches) {
      const query = search === '' ? '' : `?search=${search}`;
      const { status, body } = await httpGet(`${serviceUrl}/v3/customers${query}`, key);
      const count = await countCustomers(client, search);
      const total = body.pagination?.total;
      if (total !== count) differences.push(`“${search}”: ${status}, ${total} instead of ${count}`);
    }
  });
  return { compared: searches.length, differences };
}

export async function countCustomers(client: pg.Client, search = ''): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from customers where full_name ilike $1',
    [`%${search}%`],
  );
  return rows[0]!.count;
}
