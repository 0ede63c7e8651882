/** Timelines as documented in docs/api.md. */
import type { WireCustomerList, WireTimeline } from '@clientele/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '@clientele/sandbox/testing';
import { BlockMap } from '../src/maps/shape/block-map.ts';
import { periodsBetween } from '../src/maps/shape/periods.ts';
import { timelineOf } from '../src/maps/timeline.ts';
import { everyone, type RunStatement } from '@clientele/directory';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.database.query(
    `insert into customers (uuid, full_name, email_address, created_at, is_verified)
     select ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid, 'Customer ' || i, i || '@mail.example',
       timestamptz '2024-01-01 00:00Z' + i * interval '7 hours', i % 3 = 0
     from generate_series(0, 499) as i`,
  );
});
afterAll(() => service[Symbol.asyncDispose]());

async function timeline(query: string): Promise<WireTimeline['data']> {
  const response = await service.get(`/v3/customers/timeline?${query}`);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<WireTimeline>().data;
}

test.each([
  ['buckets=500', 'day', 146],
  ['', 'week', 21],
  ['buckets=20', 'month', 5],
  ['buckets=4', 'quarter', 2],
  ['buckets=1', 'year', 1],
  ['joinedFrom=2024-03-01&joinedTo=2024-03-02', 'hour', 22],
])('%s is shown by %s', async (query, unit, length) => {
  const { buckets, ...rest } = await timeline(`exact=true&${query}`);
  expect(rest).toMatchObject({ unit, exact: true });
  expect(buckets).toHaveLength(length);
});

test('every customer is counted in the period in which it was created', async () => {
  const { total, exact, buckets } = await timeline('exact=true&buckets=12&verified=true');
  expect({ total, exact }).toEqual({ total: 167, exact: true });
  expect(buckets.map(({ from }) => from)).toEqual([
    ...['2024-05-01T00:00:00.000Z', '2024-04-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z'],
    ...['2024-02-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z'],
  ]);
  for (const [i, { from, count, above }] of buckets.entries()) {
    const to = i === 0 ? '' : `&joinedTo=${buckets[i - 1]!.from}`;
    const response = await service.get(`/v3/customers?verified=true&joinedFrom=${from}${to}`);
    expect(response.json<WireCustomerList>().pagination.total).toBe(count);
    expect(above).toBe(buckets.slice(0, i).reduce((sum, bucket) => sum + bucket.count, 0));
  }
});

test('the page on which a period starts is known from the customers above it', async () => {
  const { buckets } = await timeline('exact=true&buckets=12');
  for (const [i, { above }] of buckets.entries()) {
    const response = await service.get(
      `/v3/customers?perPage=10&page=${Math.floor(above / 10) + 1}`,
    );
    const first = response.json<WireCustomerList>().data[above % 10]!;
    expect(first.created_at >= buckets[i]!.from).toBe(true);
    if (i > 0) expect(first.created_at < buckets[i - 1]!.from).toBe(true);
  }
});

test('many matches are estimated where a period starts within a block, and add up to the total', async () => {
  const bounds = Float64Array.from({ length: 200 }, (_, i) => 1e10 * (i - 50));
  const block = fc.integer({ min: 0, max: 500 });
  const counts = fc.array(block, { minLength: 201, maxLength: 201 }).filter(isMany);
  const most = fc.integer({ min: 1, max: 500 });
  await fc.assert(
    fc.asyncProperty(counts, most, async (inBlocks, buckets) => {
      const map = new BlockMap(bounds, Int32Array.from(inBlocks));
      const first = inBlocks.findIndex((count) => count > 0);
      const last = inBlocks.findLastIndex((count) => count > 0);
      // One match at the beginning of its block is the oldest, another one is the newest.
      const ends = { oldest: (bounds[first - 1] ?? -6e11) + 1, newest: (bounds[last] ?? 2e12) - 1 };
      const run = (<T>() => Promise.resolve([ends] as T[])) as RunStatement;
      const found = await timelineOf(run, everyone.full, map, { buckets, exact: false });
      expect(found.total).toBe(map.total);
      expect(found.buckets.length).toBeLessThanOrEqual(buckets);
      let above = 0;
      for (const bucket of found.buckets) {
        expect(bucket.count).toBeGreaterThanOrEqual(0);
        expect(bucket.above).toBe(above);
        above += bucket.count;
        // No more than the matches of the block in which it starts are counted in another period.
        const start = map.blockOf(Date.parse(bucket.from) - Date.UTC(2000));
        if (bucket !== found.buckets.at(-1)) {
          expect(above).toBeGreaterThanOrEqual(map.above[start]!);
          expect(above).toBeLessThanOrEqual(map.above[start]! + inBlocks[start]!);
        }
      }
      expect(above).toBe(map.total);
    }),
    { numRuns: 200 },
  );
});

const isMany = (counts: number[]): boolean =>
  counts.reduce((sum, count) => sum + count, 0) > 20_000;

test('nobody has no periods, and one customer has one', async () => {
  expect(await timeline('search=zzzz')).toEqual({
    total: 0,
    exact: true,
    unit: 'hour',
    buckets: [],
  });
  const uuid = '00000000-0000-4000-8000-000000000001';
  expect(await timeline(`search=${uuid}&verified=false`)).toEqual({
    ...{ total: 1, exact: true, unit: 'hour' },
    buckets: [{ from: '2024-01-01T07:00:00.000Z', count: 1, above: 0 }],
  });
  expect(await timeline(`search=${uuid}&verified=true`)).toMatchObject({ total: 0, buckets: [] });
});

test('a write is in the next timeline', async () => {
  const before = await timeline('search=customer&buckets=12');
  await service.database.query(
    `insert into customers (full_name, email_address, created_at)
     values ('Customer x', 'x@mail.example', '2024-06-01T00:00Z')`,
  );
  const after = await timeline('search=customer&buckets=12');
  expect(after.total).toBe(before.total + 1);
  expect(after.buckets[0]).toEqual({ from: '2024-06-01T00:00:00.000Z', count: 1, above: 0 });
  await service.database.query(`delete from customers where full_name = 'Customer x'`);
  expect(await timeline('search=customer&buckets=12')).toEqual(before);
});

test('periods follow each other without gaps, and are as few and as short as possible', () => {
  const instant = fc.date({
    ...{
      min: new Date('0001-01-01T00:00Z'),
      max: new Date('9999-12-31T23:59Z'),
      noInvalidDate: true,
    },
  });
  fc.assert(
    fc.property(instant, instant, fc.integer({ min: 1, max: 500 }), (a, b, most) => {
      const [oldest, newest] = [Math.min(+a, +b), Math.max(+a, +b)];
      const { unit, starts } = periodsBetween(oldest, newest, most);
      expect(starts.length).toBeLessThanOrEqual(most);
      expect(starts.at(-1)).toBeLessThanOrEqual(newest);
      if (unit !== 'year') expect(starts[0]).toBeLessThanOrEqual(oldest);
      if (starts.length > 1 && unit !== 'year') expect(starts[1]).toBeGreaterThan(oldest);
      const lengths = starts.slice(1).map((start, i) => (start - starts[i]!) / 86_400_000);
      const [least, longest] = {
        ...{ hour: [1 / 24, 1 / 24], day: [1, 1], week: [7, 7], month: [28, 31] },
        ...{ quarter: [90, 92], year: [365, 366] },
      }[unit] as [number, number];
      expect(lengths.every((length) => length >= least && length <= longest)).toBe(true);
      if (unit === 'week')
        expect(starts.every((start) => new Date(start).getUTCDay() === 1)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test('periods without anybody are empty, also between those of many customers', async () => {
  await using many = await startTestService();
  await many.database.query(
    `insert into customers (full_name, email_address, created_at)
     select 'Person', 'p@mail.example', timestamptz '2016-01-01 00:00Z' + i * interval '2 hours'
     from generate_series(0, 24999) as i
     union all select 'First', 'f@mail.example', timestamptz '1970-06-01 00:00Z'`,
  );
  const rows = await many.database.query<{ year: string; count: number }>(
    `select to_char(created_at at time zone 'UTC', 'YYYY') as year, count(*)::int as count from customers
     group by year order by year desc`,
  );
  const response = await many.get('/v3/customers/timeline');
  const { data } = response.json<WireTimeline>();
  expect(data).toMatchObject({ total: 25_001, exact: true, unit: 'year' });
  const shown = data.buckets.map(({ from, count }) => ({ year: from.slice(0, 4), count }));
  expect(shown.filter(({ count }) => count > 0)).toEqual(rows);
});
