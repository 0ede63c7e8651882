/** The state of the database after an import. */
import type { TestDatabase } from '@clientele/sandbox/testing';

export interface Counts {
  read: number;
  inserted: number;
  updated: number;
  unchanged: number;
  deleted: number;
  rejected: number;
  superseded: number;
}

/**
 * Everything an import writes, except times. If a run was killed after it had finished, running the command
 * again starts a second import; the counts are those of the first.
 */
export async function importedState(database: Pick<TestDatabase, 'query'>) {
  const [customers] = await database.query<{ hash: string; count: number }>(
    `select md5(string_agg(md5(c::text), '' order by c.uuid)) as hash, count(*)::int as count
     from public.customers as c`,
  );
  const [counts] = await database.query<Counts>(
    `select i.read::int, i.inserted::int, i.updated::int, i.unchanged::int, i.deleted::int,
       i.rejected::int, i.superseded::int
     from clientele.imports as i where i.finished_at is not null order by i.id limit 1`,
  );
  return { ...customers!, counts: counts! };
}

export async function resetDatabase(database: Pick<TestDatabase, 'query'>): Promise<void> {
  await database.query(
    'truncate public.customers, clientele.imports, clientele.gone_customers, clientele.changes',
  );
}
