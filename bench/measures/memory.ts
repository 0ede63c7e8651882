import { list, searchPath } from '../list-requests.ts';
import type { Service } from '../service.ts';
import { row, type Bench, type Row } from './measure.ts';

/** k: resident memory after many different searches and pages. */
export async function memoryAfterSearches(
  { database, customers }: Bench,
  service: Service,
): Promise<Row[]> {
  // The first page of a large directory takes longer than a request may.
  await service.getWithRetries(list);
  const before = await service.memoryMb();
  const names = await database.query<{ name: string }>(
    `select distinct regexp_replace(lower(full_name), '[^a-z]+', '', 'g') as name
     from customers tablesample system ($1) limit 10000`,
    [Math.min(100, 5_000_000 / customers)],
  );
  const texts = names.map(({ name }) => name).filter((name) => name.length > 2);
  for (let i = 0; texts.length < 10_000; i += 1) texts.push(`x${i.toString(36)}z`);
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < 10_000) {
      const i = next++;
      // All over the list, none twice.
      const page = 1 + ((7_919 * i) % Math.ceil(customers / 25));
      await service.get(searchPath(texts[i]!)).catch(() => undefined);
      await service.get(`${list}?page=${page}`);
    }
  };
  await Promise.all([client(), client(), client()]);
  const after = await service.memoryMb();
  return [
    row('k', 'memory after 10,000 searches and 10,000 pages, all distinct, MB', after, 256, {
      before,
      after,
    }),
  ];
}
