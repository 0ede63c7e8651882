import { readFileSync } from 'node:fs';
import type { WireCustomer, WireCustomerList } from '@clientele/contract';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportCustomers } from '@clientele/directory';
import { startTestService, type TestService } from '@clientele/sandbox/testing';

const { customers, cases } = JSON.parse(
  readFileSync(new URL('../../contract/fixtures/search-cases.json', import.meta.url), 'utf8'),
) as { customers: WireCustomer[]; cases: { search: string; expect: string[] }[] };

let service: TestService;
let client: pg.Client;
beforeAll(async () => {
  service = await startTestService();
  client = await service.database.connect();
  await service.database.insert(customers);
});
afterAll(() => service[Symbol.asyncDispose]());

async function exported(search: string): Promise<{ total: number | undefined; lines: string[] }> {
  const { total, batches } = await exportCustomers(client, { search, count: true });
  const lines: string[] = [];
  for await (const { customers: batch } of batches) lines.push(...batch);
  return { total, lines };
}

test('exports what the list finds, in the same order, for every documented search', async () => {
  for (const { search, expect: expected } of cases) {
    const { total, lines } = await exported(search.trim());
    const found = lines.map((line) => (JSON.parse(line) as WireCustomer).uuid);
    expect({ search, found, total }).toEqual({ search, found: expected, total: expected.length });
  }
});

test('exports customers exactly as the list returns them', async () => {
  const response = await service.get('/v3/customers?perPage=100');
  const listed = response.json<WireCustomerList>().data.map((each) => JSON.stringify(each));
  expect((await exported('')).lines).toEqual(listed);
});

test('exports one snapshot: writes during the export are not included', async () => {
  await using other = await startTestService();
  const reader = await other.database.connect();
  await other.database.query(
    `insert into customers (full_name, email_address)
     select 'Before ' || i, i || '@mail.example' from generate_series(1, 2500) as i`,
  );
  const { total, batches } = await exportCustomers(reader, { search: 'before', count: true });
  let seen = 0;
  for await (const { customers: batch } of batches) {
    if (seen === 0) {
      await other.database.query(`delete from customers where full_name like '%7%'`);
      await other.database.query(
        `insert into customers (full_name, email_address) values ('before too', 'x@mail.example')`,
      );
    }
    seen += batch.length;
  }
  expect({ total, seen }).toEqual({ total: 2500, seen: 2500 });
});

test('leaves no transaction open, even if the reader stops early', async () => {
  const { batches } = await exportCustomers(client, { search: '', count: false });
  for await (const _ of batches) break;
  const { rows } = await client.query<{ fresh: boolean }>(
    'select now() = statement_timestamp() as fresh',
  );
  expect(rows[0]!.fresh).toBe(true);
});

test('reports a connection that is lost while the reader is busy, when the reader asks for more', async () => {
  await using other = await startTestService();
  await other.database.query(
    `insert into customers (full_name, email_address)
     select 'Some ' || i, i || '@mail.example' from generate_series(1, 2500) as i`,
  );
  const reader = await other.database.connect();
  const lost = new Promise((resolve) => reader.once('end', resolve));
  let fetches = 0;
  const query = async (text: string, values?: unknown[]) => {
    if (text.startsWith('fetch') && (fetches += 1) === 2) {
      const { rows } = await reader.query<{ pid: number }>('select pg_backend_pid() as pid');
      await other.database.query(`select pg_terminate_backend(${rows[0]!.pid})`);
      await lost;
    }
    return reader.query(text, values);
  };
  const cut = { query } as unknown as pg.ClientBase;
  const { batches } = await exportCustomers(cut, { search: '', count: false });
  expect((await batches.next()).value).toMatchObject({ customers: { length: 1_000 } });
  await lost;
  // A rejection without a handler is reported before this.
  await new Promise((resolve) => setImmediate(resolve));
  await expect(batches.next()).rejects.toThrow(/terminat|closed|not queryable/i);
});
