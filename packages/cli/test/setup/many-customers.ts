/** A database in which broad searches are counted by reading the whole table, as with many more customers. */
import { copyCustomers } from '@clientele/sandbox/generator';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';

/** The planner is made to expect a hundred times as many customers. Without the index, every search is expensive. */
export async function createManyCustomers(count: number): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await database.query('drop index public.customers_search');
  await database.query('alter table public.customers set (autovacuum_enabled = off)');
  await copyCustomers(await database.connect(), 1, count);
  await database.query('analyze public.customers');
  await database.query(
    `update pg_class set reltuples = 100 * reltuples where oid = 'public.customers'::regclass`,
  );
  return database;
}
