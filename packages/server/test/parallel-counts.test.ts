/** On an idle machine, a scan shares its work with a second process. */
import { expect, test } from 'vitest';
import { createTestDatabase, insertRandomCustomers, Random } from '@clientele/sandbox/testing';
import { countBlocks } from '../src/maps/count/count-map.ts';
import { everyone, inEveryOrder, withFlags } from '@clientele/directory';

test('every count of many matches can use a second process, whatever the view, order and filter', async () => {
  await using database = await createTestDatabase();
  const owner = await database.connect();
  await insertRandomCustomers(owner, new Random(1), 2_000);
  await owner.query(
    `analyze public.customers;
     set max_parallel_workers_per_gather = 1; set min_parallel_table_scan_size = 0;
     set parallel_setup_cost = 0; set parallel_tuple_cost = 0`,
  );
  const searches = Object.values(everyone)
    .flatMap(inEveryOrder)
    .flatMap((search) => [search, withFlags(search)]);
  const plans: Record<string, string> = {};
  for (const search of searches) {
    const counting = countBlocks(
      async ({ text }, values) => {
        const explained = await owner.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
        plans[search.key] = explained.rows.map((line) => line['QUERY PLAN']).join('\n');
        return [];
      },
      search,
      { places: Float64Array.of(1, 2, 3) },
    );
    await expect(counting, 'there is only a plan').rejects.toBeInstanceOf(TypeError);
  }
  expect(Object.keys(plans)).toHaveLength(16);
  const withOneProcess = Object.keys(plans).filter(
    (key) => !/Workers Planned: 1/.test(plans[key]!),
  );
  expect(withOneProcess).toEqual([]);
});
