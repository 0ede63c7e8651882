/** The rows and the total of a page come from one snapshot, whatever is written at the same time. */
import type { WireCustomerList } from '@clientele/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newestFirst } from '@clientele/sandbox/testing/reference';
import { startTestService, type TestService } from '@clientele/sandbox/testing';

const reads = 1_000;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.database.query(
    `insert into customers (full_name, email_address, phone_number, created_at)
     select 'Anna ' || n, 'anna' || n || '@example.com', '+1 415 555 01' || n % 100,
       timestamptz '2026-01-01Z' + n % 50 * interval '1 hour'
     from generate_series(1, 300) as n`,
  );
});
afterAll(() => service[Symbol.asyncDispose]());

/** Rows that no other writer has locked, so that writers do not wait for each other. */
const unlocked = (count: string): string =>
  `(select uuid from customers order by random() limit ${count} for update skip locked)`;

/** Each writer cycles through these. */
const statements = [
  `insert into customers (full_name, email_address, phone_number, created_at)
   select 'Anna New', 'new@example.com', '+1 415 555 0199',
     timestamptz '2026-01-01Z' + floor(random() * 50) * interval '1 hour'
   from generate_series(1, (random() * 14)::int)`,
  `update customers set full_name = case full_name when 'Anna Smith' then 'Bob' else 'Anna Smith' end
   where uuid in ${unlocked('11')}`,
  `begin; delete from customers where uuid in ${unlocked('60')}; rollback`,
  `update customers set created_at = created_at + interval '90 minutes' where uuid in ${unlocked('5')}`,
  `begin;
   insert into customers (full_name, email_address) values ('Anna Never', 'never@example.com');
   update customers set full_name = 'Nobody' where uuid in ${unlocked('60')};
   rollback`,
  `delete from customers where uuid in ${unlocked('7')}`,
];

async function writeUntil(stopped: () => boolean, first: number): Promise<number> {
  const client = await service.database.connect();
  let written = 0;
  for (let turn = first; !stopped(); turn += 1) {
    await client.query(statements[turn % statements.length]!);
    written += 1;
  }
  return written;
}

test('every page agrees with its total, has no duplicates and is in order', async () => {
  let left = reads;
  const totals = new Set<number>();
  const searches = ['', 'anna', 'smith', 'an', '415 555', '0199', 'nobody', 'never'];
  const sizes = [1, 7, 25, 100];

  const readSome = async (): Promise<void> => {
    while (left-- > 0) {
      const turn = left;
      const search = searches[turn % searches.length]!;
      const perPage = sizes[Math.floor(turn / searches.length) % sizes.length]!;
      // Around the last page, where a total from another snapshot would show.
      const page = perPage === 100 ? 1 + (turn % 5) : 1 + (turn % 13);
      const query = new URLSearchParams({ search, page: `${page}`, perPage: `${perPage}` });
      const response = await service.get(`/v3/customers?${query}`);
      expect(response.statusCode, response.body).toBe(200);
      const { data, pagination } = response.json<WireCustomerList>();
      const offset = (page - 1) * perPage;
      const about = `${query}, total ${pagination.total}`;
      expect(data.length, about).toBe(Math.min(perPage, Math.max(0, pagination.total - offset)));
      expect(new Set(data.map(({ uuid }) => uuid)).size, about).toBe(data.length);
      expect(data, about).toEqual(data.toSorted(newestFirst));
      if (search === 'nobody' || search === 'never') {
        expect(pagination.total, 'rolled-back writes are not visible').toBe(0);
      }
      totals.add(pagination.total);
    }
  };

  let done = false;
  const writers = [0, 1, 2].map((writer) => writeUntil(() => done, writer * 2));
  try {
    await Promise.all(Array.from({ length: 4 }, readSome));
  } finally {
    done = true;
  }
  const written = await Promise.all(writers);
  expect(Math.min(...written), 'every writer made progress').toBeGreaterThan(10);
  expect(totals.size, 'the readers saw the table change').toBeGreaterThan(20);
});
