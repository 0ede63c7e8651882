/** What imports leave behind. */
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
 * Everything that an import may leave in the database, and nothing that depends on when it ran. Killed
 * after it had finished, the next run is another one; the counts are those of the first.
 */
export async function leftBehind(database: Pick<TestDatabase, 'query'>) {
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

export async function forget(database: Pick<TestDatabase, 'query'>): Promise<void> {
  await database.query(
    'truncate public.customers, clientele.imports, clientele.gone_customers, clientele.changes',
  );
}
